"""The command `readback help`: the list of the commands, or what one of them does and takes."""

from __future__ import annotations

import argparse

from readback import cli
from readback.cli import COMMANDS, UsageError
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="COMMAND", nargs="*", help=t("cli.help.help_words"))


def run(args: argparse.Namespace) -> int:
    words: list[str] = [cli.FORMERLY.get(word, word) for word in args.words]
    if not words:
        print(cli.parser().format_help(), end="")
        return 0
    if words[0] not in COMMANDS:
        raise UsageError(cli.suggest_commands(words[0]))
    cli.parser(words).parse_args([*words, "--help"])
    return 0
