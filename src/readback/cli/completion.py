"""The command `readback completion`: a script that completes commands, options and their values in a shell."""

from __future__ import annotations

import argparse

from readback import cli
from readback.checks import rules
from readback.cli import _completion_scripts

TITLE = "Print a script that completes commands, options and their values in a shell."
ABOUT = (
    'bash, in ~/.bashrc:                   eval "$(readback completion bash)"\n'
    'zsh, in ~/.zshrc, behind compinit:    eval "$(readback completion zsh)"\n'
    "fish, in ~/.config/fish/config.fish:  readback completion fish | source\n"
    "\n"
    "exit codes: 0 printed; 2 wrong use"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=_completion_scripts.SHELLS, help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    values = {"COMMAND": cli.COMMANDS, "CODE": rules.RULES()}
    commands = _completion_scripts.list_commands(cli.parser(), values)
    print(_completion_scripts.SHELLS[args.shell](commands), end="")
    return 0
