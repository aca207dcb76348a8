"""List the rules: code, severity, and what is wrong."""

from __future__ import annotations

import argparse

from readback import as_json, rules, rules_page


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--markdown", action="store_true", help="the whole documentation page, docs/rules.md")


def run(args: argparse.Namespace) -> int:
    found = rules.RULES().values()
    if args.markdown:
        print(rules_page.page(), end="")
    elif args.format == "json":
        print(as_json.dumps([rules_page.described(rule) for rule in found], indent=1))
    else:
        width = max(len(rule.CODE) for rule in found)
        for rule in found:
            print(f"{rule.CODE:<{width}}  {rule.SEVERITY:<7}  {rules_page.title(rule)}")
    return 0
