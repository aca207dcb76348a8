"""Run `readback help` and `readback completion`: what commands there are, for people and for a shell."""

from __future__ import annotations

import argparse

from readback import cli
from readback.cli import UsageError
from readback.cli.common import completion_scripts
from readback.cli.common.parser import Command

HELP_TITLE = "List the commands, or print what one of them does and takes."
HELP_ABOUT = (
    "readback help                 the commands, each with a line\n"
    "readback help check           what readback check does and takes; the same as readback check --help\n"
    "\n"
    "exit codes: 0 printed; 2 there is no such command"
)
COMPLETION_TITLE = "Print a script that completes commands, options and their values in a shell."
COMPLETION_ABOUT = (
    'bash, in ~/.bashrc:                   eval "$(readback completion bash)"\n'
    'zsh, in ~/.zshrc, behind compinit:    eval "$(readback completion zsh)"\n'
    "fish, in ~/.config/fish/config.fish:  readback completion fish | source\n"
    "\n"
    "exit codes: 0 printed; 2 wrong use"
)


def add_help_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback help`."""
    parser.add_argument("words", metavar="COMMAND", nargs="*", help="a command")


def run_help(args: argparse.Namespace) -> int:
    """Print the list of the commands, or the help of one; return the exit code."""
    words: list[str] = [cli.FORMER_NAMES.get(word, word) for word in args.words]
    if not words:
        print(cli.build_parser().format_help(), end="")
        return 0
    if words[0] not in cli.COMMANDS:
        raise UsageError(cli.suggest_commands(words[0]))
    cli.build_parser(words).parse_args([*words, "--help"])
    return 0


def add_completion_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback completion`."""
    parser.add_argument("shell", metavar="SHELL", choices=completion_scripts.SHELLS, help="bash, zsh or fish")


def run_completion(args: argparse.Namespace) -> int:
    """Print the script of a shell; return the exit code."""
    from readback.checks import rules  # slow to load, and `readback help` needs none of it

    values = {"COMMAND": cli.COMMANDS, "CODE": rules.RULES()}
    commands = completion_scripts.list_commands(cli.build_parser(), values)
    print(completion_scripts.SHELLS[args.shell](commands), end="")
    return 0


COMMANDS = {
    "help": Command(HELP_TITLE, HELP_ABOUT, add_help_arguments, run_help),
    "completion": Command(COMPLETION_TITLE, COMPLETION_ABOUT, add_completion_arguments, run_completion),
}
