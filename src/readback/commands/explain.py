"""Say what a rule finds, why it matters and how to fix it, with its examples."""

from __future__ import annotations

import argparse

from readback import as_json, rules
from readback.commands import _workspace
from readback.rules_page import described


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="a rule's code, such as fmt-markers; `readback rules` lists them")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    code = _workspace.one_of("rule", args.code, rules.RULES())
    if args.format == "json":
        print(as_json.dumps(described(rules.RULES()[code]), indent=1))
    else:
        print(rules.explain(code))
    return 0
