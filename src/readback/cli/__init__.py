"""The command `readback`: find the subcommand, run it, and leave with its exit code.

The subcommands are one module each, with `arguments(parser)` and `run(args) -> exit code`. The words of all of them are
in `readback.words`, file `cli.en.yml`: a command named `x-y` has the title and the description `cli.x_y.title` and
`.about`.
"""

from __future__ import annotations

import argparse
import errno
import os
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType
from typing import TextIO

from readback import __version__, sandbox
from readback.readers.cache_folder import FULL, DiskFull
from readback.records.changed import DatasetChanged
from readback.words import t

CLEAN, FOUND, WRONG, OURS, STOPPED, UNHEARD = 0, 1, 2, 70, 130, 141
MODULES = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
COMMANDS = {name.replace("_", "-"): name for name in MODULES}
# Names that commands had, which scripts may still use; no help speaks of them.
FORMERLY = {"wire": "model-input", "rules": "rule", "explain": "rule"}
# Commands for which no child works. For all others the process that makes children starts while they are loaded, and
# loads what is here, beside what every child needs.
ALONE = {"cache", "import-adapter", "modelfile", "rule", "serve"}
CHILDREN = {"check": ("readback.checks.chunk",)}


class UsageError(Exception):
    """The command was used wrongly, or there is nothing to work on: its text goes to standard error, exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and answer its exit code; nothing but its answer goes to standard output."""
    words = list(sys.argv[1:] if argv is None else argv)
    words[:1] = [FORMERLY.get(word, word) for word in words[:1]]
    _open_streams()
    _any_text(sys.stdout, sys.stderr)
    try:
        if words and words[0] in COMMANDS.keys() - ALONE and not {"-h", "--help"} & set(words):
            sandbox.begin(*CHILDREN.get(words[0], ()))
        args = parser(words[:1]).parse_args(words)
        code: int = args.run(args)
        sys.stdout.flush()
    except UsageError as wrong:
        print(f"readback: {wrong}", file=sys.stderr)
        return WRONG
    except DatasetChanged as changed:
        print(f"readback: {t('cli.main.again', why=changed)}", file=sys.stderr)
        return WRONG
    except DiskFull as full:
        print(f"readback: {full}", file=sys.stderr)
        return WRONG
    except BrokenPipeError:  # whoever read our output has left, `| head` for one
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNHEARD
    except KeyboardInterrupt:
        print(f"readback: {t('cli.main.stopped')}", file=sys.stderr)
        return STOPPED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            _give_up(sys.stdout)
            print(f"readback: {t('cli.main.no_room', why=(error.strerror or str(error)).lower())}", file=sys.stderr)
            return WRONG
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            print(f"readback: {t('cli.main.many_files', why=(error.strerror or str(error)).lower())}", file=sys.stderr)
            return WRONG
        traceback.print_exc()
        print(f"readback: {t('cli.main.ours')}", file=sys.stderr)
        return OURS
    return code


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
    top = argparse.ArgumentParser("readback", description=t("cli.main.about"), epilog=t("cli.main.codes"))
    top.add_argument("--version", action="version", version=f"readback {__version__}")
    subparsers = top.add_subparsers(metavar="COMMAND", required=True)
    needed = [] if "--version" in first else COMMANDS
    for name in [name for name in COMMANDS if name in first] or needed:
        _add(subparsers, name, import_module(f"readback.cli.{COMMANDS[name]}"))
    return top


def _add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser], name: str, module: ModuleType) -> None:
    own = name.replace("-", "_")
    title, about = t(f"cli.{own}.title"), t(f"cli.{own}.about")
    text = argparse.RawDescriptionHelpFormatter
    one = subparsers.add_parser(name, help=title, description=f"{title}\n\n{about}", formatter_class=text)
    module.arguments(one)
    one.set_defaults(run=module.run)


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
