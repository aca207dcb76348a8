"""Run `readback rule`: one rule explained, or all listed."""

from __future__ import annotations

import argparse

from readback import as_json
from readback.checks import rule_pages, rules
from readback.cli import UsageError
from readback.cli.common import options
from readback.cli.common.parser import Command
from readback.cli.common.terminal import paint
from readback.cli.common.workspace import check_name

TITLE = (
    "Explain a rule, why it matters and how to fix what it finds, with its examples; without a code, list all rules."
)
ABOUT = "exit codes: 0 printed; 2 wrong use"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback rule`."""
    parser.add_argument("code", metavar="CODE", nargs="?", help="the code of a rule, such as fmt-markers")
    parser.add_argument("--all", action="store_true", help="list every rule: its code, its severity and its title")
    options.add_format(parser)
    parser.add_argument("--markdown", action="store_true", help="every rule in full, as one page")


def run(args: argparse.Namespace) -> int:
    """Print one rule, or all of them; return the exit code."""
    if args.code and (args.all or args.markdown):
        raise UsageError("give the code of one rule, or --all or --markdown for every rule, not both")
    if args.code:
        _print_rule(check_name("rule", args.code, rules.RULES()), args.format)
    elif args.markdown:
        print(rule_pages.format_rules_page(), end="")
    else:
        _print_rules(args.format)
    return 0


COMMANDS = {"rule": Command(TITLE, ABOUT, add_arguments, run)}


def _print_rule(code: str, output_format: str) -> None:
    if output_format == "json":
        print(as_json.dumps(rule_pages.describe_rule(rules.RULES()[code]), indent=1))
    else:
        print(rule_pages.format_text(rules.RULES()[code]))


def _print_rules(output_format: str) -> None:
    all_rules = rules.RULES().values()
    if output_format == "json":
        print(as_json.dumps([rule_pages.describe_rule(rule) for rule in all_rules], indent=1))
        return
    width = max(len(rule.code) for rule in all_rules)
    for rule in all_rules:
        severity = paint(f"{rule.severity:<7}", rule.severity)
        print(f"{rule.code:<{width}}  {severity}  {rule.title}")
