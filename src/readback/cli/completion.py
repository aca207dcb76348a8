"""The command `readback completion`: a script that completes commands, options and their values in a shell."""

from __future__ import annotations

import argparse

from readback import cli
from readback.checks import rules
from readback.cli import _completion_scripts
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", choices=_completion_scripts.SHELLS, help=t("cli.completion.help_shell")
    )


def run(args: argparse.Namespace) -> int:
    values = {"COMMAND": cli.COMMANDS, "CODE": rules.RULES()}
    commands = _completion_scripts.list_commands(cli.parser(), values)
    print(_completion_scripts.SHELLS[args.shell](commands), end="")
    return 0
