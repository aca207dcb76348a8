"""The command `readback rule`: one rule explained, or all listed."""

from __future__ import annotations

import argparse

from readback import as_json
from readback.checks import rules, rules_page
from readback.cli import UsageError, _colour, _workspace

TITLE = (
    "Explain a rule, why it matters and how to fix what it finds, with its examples; without a code, list all rules."
)
ABOUT = "exit codes: 0 printed; 2 wrong use"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", nargs="?", help="the code of a rule, such as fmt-markers")
    parser.add_argument("--all", action="store_true", help="list every rule: its code, its severity and its title")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output for people (text), or for programs"
    )
    parser.add_argument("--markdown", action="store_true", help="every rule in full, as one page")


def run(args: argparse.Namespace) -> int:
    if args.code and (args.all or args.markdown):
        raise UsageError("give the code of one rule, or --all or --markdown for every rule, not both")
    if args.code:
        _one(_workspace.one_of("rule", args.code, rules.RULES()), args.format)
    elif args.markdown:
        print(rules_page.page(), end="")
    else:
        _every(args.format)
    return 0


def _one(code: str, form: str) -> None:
    if form == "json":
        print(as_json.dumps(rules_page.described(rules.RULES()[code]), indent=1))
    else:
        print(rules.explain(code))


def _every(form: str) -> None:
    found = rules.RULES().values()
    if form == "json":
        print(as_json.dumps([rules_page.described(rule) for rule in found], indent=1))
    else:
        width = max(len(rule.code) for rule in found)
        for rule in found:
            severity = _colour.paint(f"{rule.severity:<7}", rule.severity)
            print(f"{rule.code:<{width}}  {severity}  {rule.title}")
