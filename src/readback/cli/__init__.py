"""The command `readback`: find the subcommand, run it, and leave with its exit code.

The subcommands are one module each, with `arguments(parser)` and `run(args) -> exit code`. The words of all of them are
in `readback.words`, file `cli.en.yml`: a command named `x-y` has the title and the description `cli.x_y.title` and
`.about`.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import os
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType
from typing import TextIO

from readback import __version__, sandbox
from readback.cli import _colour
from readback.cli._parser import CommandsParser, Parser
from readback.cli._sentence import fill
from readback.readers.cache_folder import FULL, DiskFull
from readback.records.changed import DatasetChanged

CLEAN, FOUND, WRONG, OURS, STOPPED, UNHEARD = 0, 1, 2, 70, 130, 141
MODULES = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
COMMANDS = {name.replace("_", "-"): name for name in MODULES}
# What help lists the commands by.
SECTIONS = {
    "See what is sent": ("serve", "render", "search", "model-input", "modelfile", "adapters"),
    "Find what is wrong, and what changed": ("check", "rule", "diff", "lock", "since"),
    "Read the scores": ("scores", "agreement"),
    "Review it together": ("agenda", "review", "report"),
    "Write files": ("init", "schema", "export", "import-adapter"),
    "Readback itself": ("cache", "completion", "doctor", "help"),
}
# Names that commands had, which scripts may still use; no help speaks of them.
FORMERLY = {"wire": "model-input", "rules": "rule", "explain": "rule"}
# What other programs call the same thing; a suggestion, and no name of a command.
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
NEAR, LIKE = 3, 0.65  # commands that are suggested, and how alike they must be
# Commands for which no child works. For all others the process that makes children starts while they are loaded, and
# loads what is here, beside what every child needs.
ALONE = {"cache", "completion", "help", "import-adapter", "modelfile", "rule", "schema", "serve"}
CHILDREN = {"check": ("readback.checks.run.chunk",)}


class UsageError(Exception):
    """The command was used wrongly, or there is nothing to work on: its text goes to standard error, exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and answer its exit code; nothing but its answer goes to standard output."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    _any_text(sys.stdout, sys.stderr)
    before = _colour.CHOICE.set(_colour.CHOICE.get())
    try:
        return _run(_take_colour(words))
    finally:
        _colour.CHOICE.reset(before)


def _take_colour(words: list[str]) -> list[str]:
    """Set the colour that is asked for before the command; return the words from the command on."""
    rest = words
    while rest:
        name, equals, choice = rest[0].partition("=")
        count = 1 if equals else 2
        choice = choice if equals else "".join(rest[1:2])
        if name not in _colour.OPTIONS or choice not in _colour.CHOICES:
            break
        _colour.CHOICE.set(choice)
        rest = rest[count:]
    return rest


def _run(words: list[str]) -> int:
    try:
        words[:1] = [FORMERLY.get(word, word) for word in words[:1]]
        if not words:
            print(parser().format_help(), end="", file=sys.stderr)
            return WRONG
        if not words[0].startswith("-") and words[0] not in COMMANDS:
            raise UsageError(suggest_commands(words[0]))
        if words[0] in COMMANDS.keys() - ALONE and not {"-h", "--help"} & set(words):
            sandbox.begin(*CHILDREN.get(words[0], ()))
        args = parser(words[:1]).parse_args(words)
        _colour.CHOICE.set(getattr(args, "color", _colour.CHOICE.get()))
        with ExitStack() as stack:
            args.stack = stack  # what is to be cleared away when the command ends
            code: int = args.run(args)
            sys.stdout.flush()
    except UsageError as wrong:
        return _complain(str(wrong))
    except DatasetChanged as changed:
        return _complain(fill("{why}; run the command again", why=changed))
    except DiskFull as full:
        return _complain(str(full))
    except BrokenPipeError:  # whoever read our output has left, `| head` for one
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNHEARD
    except KeyboardInterrupt:
        return _complain("stopped", STOPPED)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            _give_up(sys.stdout)
            return _complain(
                fill(
                    "not everything could be written: {why}; free some space, or write to another disk",
                    why=(error.strerror or str(error)).lower(),
                )
            )
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return _complain(
                fill(
                    (
                        "this process may not open as many files as it needs: {why}; allow it more (ulimit -n "
                        "1024) and run the command again"
                    ),
                    why=(error.strerror or str(error)).lower(),
                )
            )
        traceback.print_exc()
        return _complain("this is a mistake in Readback, not in your files; please report it", OURS)
    return code


def _complain(sentence: str, code: int = WRONG) -> int:
    """Print what went wrong to standard error; return the exit code."""
    print(f"{_colour.paint('readback:', 'error', sys.stderr)} {sentence}", file=sys.stderr)
    return code


def suggest_commands(word: str) -> str:
    """Return the sentence on a first word that is no command: what is near, or what to do with a file."""
    if os.path.lexists(word):
        return fill(
            (
                "'{word}' is a file or a folder, and a command must come first: readback check {word} "
                "lists what is wrong in it, readback serve {word} opens its pages"
            ),
            word=word,
        )
    names = [*COMMANDS, *FORMERLY]
    near = [SIMILAR[word]] if word in SIMILAR else difflib.get_close_matches(word, names, n=NEAR, cutoff=LIKE)
    near += [name for name in COMMANDS if len(word) > 1 and name.startswith(word) and name not in near]
    suggestions = list(dict.fromkeys(FORMERLY.get(name, name) for name in near))[:NEAR]
    if suggestions:
        return fill("there is no command '{word}'; did you mean {near}?", word=word, near=", ".join(suggestions))
    return fill("there is no command '{word}'; readback help lists the commands", word=word)


def _give_up(out: TextIO) -> None:
    """Write what is still to be written; where there is no room for it, Python would say so once more at its end."""
    try:
        out.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def parser(first: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser. When the first word names a command, only that command is imported, for --version none; help needs
    all of them.
    """
    top = CommandsParser(
        "readback",
        description=(
            "See the exact messages each model gets, what is wrong with them, and what the judge scores support."
        ),
        epilog=(
            "exit codes: 0 nothing is wrong; 1 there are findings at or above --fail-on; 2 wrong use, "
            "or nothing at all could be read"
        ),
    )
    top.add_argument("-V", "--version", action="version", version=f"readback {__version__}")
    top.sections = SECTIONS
    top.commands = subparsers = top.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    needed = [] if {"-V", "--version"} & set(first[:1]) else COMMANDS
    for name in [name for name in COMMANDS if name in first] or needed:
        _add(subparsers, name, import_module(f"readback.cli.{COMMANDS[name]}"))
    return top


def _add(subparsers: argparse._SubParsersAction[Parser], name: str, module: ModuleType) -> None:
    parser = subparsers.add_parser(
        name,
        help=module.TITLE,
        description=f"{module.TITLE}\n\n{module.ABOUT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.arguments(parser)
    parser.set_defaults(run=module.run, command=name)


def _open_streams() -> None:
    """Let a standard stream that was closed by whoever started us lead nowhere: the next file to be opened would get
    its number, and with it what is written to that stream, by a child above all.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the least number that is free: this one
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for as long as we run


def _any_text(*streams: object) -> None:
    """Let any text through: what the stream cannot encode, lone surrogates above all, is written as an escape."""
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")
