"""The command `readback help`: the list of the commands, or what one of them does and takes."""

from __future__ import annotations

import argparse

from readback import cli
from readback.cli import COMMANDS, UsageError

TITLE = "List the commands, or print what one of them does and takes."
ABOUT = (
    "readback help                 the commands, each with a line\n"
    "readback help check           what readback check does and takes; the same as readback check --help\n"
    "\n"
    "exit codes: 0 printed; 2 there is no such command"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="COMMAND", nargs="*", help="a command")


def run(args: argparse.Namespace) -> int:
    words: list[str] = [cli.FORMERLY.get(word, word) for word in args.words]
    if not words:
        print(cli.parser().format_help(), end="")
        return 0
    if words[0] not in COMMANDS:
        raise UsageError(cli.suggest_commands(words[0]))
    cli.parser(words).parse_args([*words, "--help"])
    return 0
