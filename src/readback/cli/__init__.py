"""Run the command `readback`: find the subcommand, run it, and exit with its code.

SECTIONS says which module has a subcommand; only that module is imported. A module's COMMANDS has each subcommand with
its title, description, arguments and `run(args)`, which returns the exit code.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from io import TextIOWrapper
from typing import TextIO

from readback import __version__, sandbox
from readback.cli.common import terminal
from readback.cli.common.parser import Command, CommandsParser, Parser
from readback.cli.common.terminal import fill
from readback.readers.files.cache_folder import FULL, DiskFull
from readback.records.changed import DatasetChanged

WRONG_USE, OUR_MISTAKE, INTERRUPTED, NO_READER = 2, 70, 130, 141  # exit codes; each command states its own
# The sections of the help: the commands of each, with the module below `readback.cli` that has them in its COMMANDS.
SECTIONS = {
    "See what is sent": {
        "serve": "serve",
        "render": "render",
        "search": "search",
        "model-input": "model_input",
        "modelfile": "model_input",
        "adapters": "adapters",
        "tap": "tap",
    },
    "Find what is wrong, and what changed": {
        "check": "check",
        "rule": "rule",
        "diff": "diff",
        "lock": "lock",
        "since": "since",
    },
    "Read the scores": {"scores": "scores", "agreement": "scores"},
    "Review it together": {"agenda": "agenda", "review": "review", "report": "report"},
    "Write files": {"init": "init", "schema": "init", "export": "export", "import-adapter": "adapters"},
    "Readback itself": {"cache": "maintenance", "completion": "help", "doctor": "maintenance", "help": "help"},
}
COMMANDS = dict(sorted((name, module) for commands in SECTIONS.values() for name, module in commands.items()))
# Names that commands had, which scripts may still use; no help mentions them.
FORMER_NAMES = {"wire": "model-input", "rules": "rule", "explain": "rule"}
# What other programs call a similar command; only for suggestions.
SIMILAR = {
    "audit": "check",
    "compare": "diff",
    "dashboard": "serve",
    "gui": "serve",
    "grep": "search",
    "lint": "check",
    "open": "serve",
    "run": "serve",
    "show": "render",
    "start": "serve",
    "test": "check",
    "ui": "serve",
    "validate": "check",
    "verify": "check",
    "version": "--version",
}
MOST_SUGGESTED, LEAST_SIMILAR = 3, 0.65  # commands that are suggested, and how alike they must be
# Commands without child processes. For all others the process that forks children starts while they are loaded; besides
# what every child needs, it loads the modules that CHILD_MODULES names.
WITHOUT_CHILDREN = {"cache", "completion", "help", "import-adapter", "modelfile", "rule", "schema", "serve", "tap"}
CHILD_MODULES = {"check": ("readback.checks.run.chunk",)}


class UsageError(Exception):
    """The command was used wrongly, or there is nothing to work on; the text goes to standard error, exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; only its answer goes to standard output."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    _escape_unencodable(sys.stdout, sys.stderr)
    previous = terminal.CHOICE.set(terminal.CHOICE.get())
    try:
        return _run(_take_colour(words))
    finally:
        terminal.CHOICE.reset(previous)


def _take_colour(words: list[str]) -> list[str]:
    """Apply a --color before the command; return the words from the command on."""
    rest = words
    while rest:
        name, equals, choice = rest[0].partition("=")
        count = 1 if equals else 2
        choice = choice if equals else "".join(rest[1:2])
        if name not in terminal.OPTIONS or choice not in terminal.CHOICES:
            break
        terminal.CHOICE.set(choice)
        rest = rest[count:]
    return rest


def _run(words: list[str]) -> int:
    try:
        words[:1] = [FORMER_NAMES.get(word, word) for word in words[:1]]
        if not words:
            print(build_parser().format_help(), end="", file=sys.stderr)
            return WRONG_USE
        if not words[0].startswith("-") and words[0] not in COMMANDS:
            raise UsageError(suggest_commands(words[0]))
        if words[0] in COMMANDS.keys() - WITHOUT_CHILDREN and not {"-h", "--help"} & set(words):
            sandbox.start_zygote(*CHILD_MODULES.get(words[0], ()))
        args = build_parser(words[:1]).parse_args(words)
        terminal.CHOICE.set(getattr(args, "color", terminal.CHOICE.get()))
        with ExitStack() as stack:
            args.stack = stack  # its callbacks clean up when the command ends
            code: int = args.run(args)
            sys.stdout.flush()
    except UsageError as error:
        return _print_error(str(error))
    except DatasetChanged as changed:
        return _print_error(fill("{why}; run the command again", why=changed))
    except DiskFull as full:
        return _print_error(str(full))
    except BrokenPipeError:  # the reader of the output has ended, such as `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except KeyboardInterrupt:
        return _print_error("stopped", INTERRUPTED)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            _discard_unwritten(sys.stdout)
            why = (error.strerror or str(error)).lower()
            return _print_error(
                fill("not everything could be written: {why}; free some space, or write to another disk", why=why)
            )
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            why = (error.strerror or str(error)).lower()
            return _print_error(
                fill(
                    (
                        "this process may not open as many files as it needs: {why}; allow it more (ulimit -n "
                        "1024) and run the command again"
                    ),
                    why=why,
                )
            )
        traceback.print_exc()
        return _print_error("this is a mistake in Readback, not in your files; please report it", OUR_MISTAKE)
    return code


def _print_error(sentence: str, code: int = WRONG_USE) -> int:
    """Print what went wrong to standard error; return the exit code."""
    print(f"{terminal.paint('readback:', 'error', sys.stderr)} {sentence}", file=sys.stderr)
    return code


def suggest_commands(word: str) -> str:
    """Return the error for a first word that is not a command: what is near, or what to do with a file."""
    if os.path.lexists(word):
        return fill(
            (
                "'{word}' is a file or a folder, and a command must come first: readback check {word} "
                "lists what is wrong in it, readback serve {word} opens its pages"
            ),
            word=word,
        )
    names = [*COMMANDS, *FORMER_NAMES]
    if word in SIMILAR:
        near = [SIMILAR[word]]
    else:
        near = difflib.get_close_matches(word, names, n=MOST_SUGGESTED, cutoff=LEAST_SIMILAR)
    near += [name for name in COMMANDS if len(word) > 1 and name.startswith(word) and name not in near]
    suggestions = list(dict.fromkeys(FORMER_NAMES.get(name, name) for name in near))[:MOST_SUGGESTED]
    if suggestions:
        return fill("there is no command '{word}'; did you mean {near}?", word=word, near=", ".join(suggestions))
    return fill("there is no command '{word}'; readback help lists the commands", word=word)


def _discard_unwritten(out: TextIO) -> None:
    """Flush; where there is no room, discard the rest, about which Python would complain once more at its exit."""
    try:
        out.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser. If the first word names a command, only that command is imported, and for --version none."""
    parser = CommandsParser(
        "readback",
        description=(
            "See the exact messages each model gets, what is wrong with them, and what the judge scores support."
        ),
        epilog=(
            "exit codes: 0 nothing is wrong; 1 there are findings at or above --fail-on; 2 wrong use, "
            "or nothing at all could be read"
        ),
    )
    parser.add_argument("-V", "--version", action="version", version=f"readback {__version__}")
    parser.sections = {title: tuple(commands) for title, commands in SECTIONS.items()}
    parser.commands = subparsers = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    names = [name for name in COMMANDS if name in words]
    if not names and not {"-V", "--version"} & set(words[:1]):
        names = list(COMMANDS)
    for name in names:
        module = import_module(f"readback.cli.{COMMANDS[name]}")
        _add_command(subparsers, name, module.COMMANDS[name])
    return parser


def _add_command(subparsers: argparse._SubParsersAction[Parser], name: str, command: Command) -> None:
    parser = subparsers.add_parser(
        name,
        help=command.title,
        description=f"{command.title}\n\n{command.about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_arguments(parser)
    parser.set_defaults(run=command.run, command=name)


def _open_streams() -> None:
    """Open a standard stream that the starting process had closed, so that it leads nowhere.

    Otherwise the next file to be opened would get its number, and with it what is written to that stream.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest free number, which is this one
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for as long as we run


def _escape_unencodable(*streams: object) -> None:
    """Let any text be written: what a stream cannot encode, mostly lone surrogates, becomes an escape."""
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            if stream.isatty():
                encoding = stream.encoding
            else:
                encoding = "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")
