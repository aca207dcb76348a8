"""The command `readback import-adapter`: a program's own adapter texts as files of a workspace."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from readback import as_json
from readback.bridge import run as program_run
from readback.bridge import yaml_files
from readback.bridge.imported import Imported, imported
from readback.bridge.run import NotImported, Program
from readback.cli import UsageError, _lines
from readback.cli._sentence import fill
from readback.exporting.whole_file import whole_file

TITLE = "Read the adapter texts and base prompts of an installed program (karenina) as files of a workspace."
ABOUT = (
    "This runs the Python code of that program's prompt modules, in a child process without an"
    " environment, under limits\n"
    "of time and memory. It reaches no network. On Linux with Landlock and seccomp it opens no files but"
    " those of Python\n"
    "and of the program, writes none, connects to no socket, sends no signal, starts no other program,"
    " and changes no\n"
    "file's rights, owner, attributes or times; where one of the two is missing, the command says so. The"
    " command first\n"
    "lists the files with that code and asks whether to run them. The files that it writes have the"
    " authors' own sentences;\n"
    "they belong to your workspace.\n"
    "\n"
    "exit codes: 0 everything was read; 1 something was left out, or there was nothing; 2 wrong use, or"
    " nothing was written"
)

WORKSPACE = "readback.yml"


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "path",
        metavar="PATH",
        type=Path,
        help="a checkout, a folder of installed packages, or the program's own folder",
    )
    add("-o", "--output", metavar="FOLDER", type=Path, required=True, help="the folder to write the files to")
    add("--yes", action="store_true", help="run that program's code without asking")
    add("--format", choices=("text", "json"), default="text", help="output for people (text), or for programs")


def run(args: argparse.Namespace) -> int:
    try:
        program = program_run.find(args.path)
        _ask(program, args.yes)
        found = program_run.read(program)
        made = imported(program, found)
    except NotImported as reason:
        raise UsageError(str(reason)) from None
    files = {**made.files, **_workspace(args.output, made)}
    _write(args.output, files)
    if args.format == "json":
        values = {name: getattr(made, name) for name in ("registrations", "kept", "texts", "equal")}
        lists = {name: list(getattr(made, name)) for name in ("interfaces", "tasks", "left_out")}
        print(as_json.dumps({**values, **lists, "files": sorted(files), "walls": found["walls"]}, indent=1))
    else:
        print(_lines.safe("\n".join(_said(made, files, args.output))))
        if found["walls"]["files"] != "its own":
            print("readback: this system has no Landlock, so that code could also read other files", file=sys.stderr)
        if found["walls"]["calls"] == "all":
            print(
                (
                    "readback: this system has no seccomp filter that is known here, so that code could also "
                    "send signals, connect to sockets of this machine, and change the rights and times of files"
                ),
                file=sys.stderr,
            )
    return int(made.kept < made.registrations or not made.registrations)


def _ask(program: Program, yes: bool) -> None:
    """Say which files are run, and go on only where somebody agrees. Raises UsageError."""
    called = " ".join(filter(None, (str(program.root), program.version)))
    print(_lines.safe(fill("readback: this runs Python code of {program}:", program=called)), file=sys.stderr)
    for file in program.files:
        print(_lines.safe(f"  {file}"), file=sys.stderr)
    print(
        ("and what these files import, in a child process without network, under limits of time and memory."),
        file=sys.stderr,
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at; --yes runs the code without asking")
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("not run")


def _workspace(folder: Path, made: Imported) -> dict[str, str]:
    """A readback.yml that names the files, where the folder has none of somebody's own."""
    if not made.files or ((folder / WORKSPACE).exists() and not _ours(folder / WORKSPACE)):
        return {}
    adapters = [file for file in made.files if file.startswith("adapters/")]
    tasks = {Path(file).stem: file for file in made.files if file.startswith("tasks/")}
    return {WORKSPACE: yaml_files.workspace(adapters, tasks)}


def _write(folder: Path, files: dict[str, str]) -> None:
    """Each file whole. A file that an import did not write is not replaced: UsageError."""
    if taken := [file for file in files if (folder / file).exists() and not _ours(folder / file)]:
        raise UsageError(
            fill(
                "{file} is already there and was not written by import-adapter; nothing was written",
                file=folder / taken[0],
            )
        )
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / file) as out:
            out.write(text.encode("utf-8"))


def _ours(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(yaml_files.HEADER.encode())) == yaml_files.HEADER.encode()
    except OSError:
        return False


def _said(made: Imported, files: dict[str, str], folder: Path) -> list[str]:
    of = {"interfaces": len(made.interfaces), "tasks": len(made.tasks)}
    lines = [
        fill(
            (
                "{n:,} {n:registration|registrations}, {kept:,} written, for {interfaces:,} "
                "{interfaces:interface|interfaces} and {tasks:,} {tasks:task|tasks}"
            ),
            n=made.registrations,
            kept=made.kept,
            **of,
        ),
        fill("texts that are equal, byte for byte: {n:,} of {all:,}", n=made.equal, all=made.texts),
    ]
    lines += [f"{folder / file}" for file in sorted(files)]
    left = ["left out, or changed:", *(f"  {one}" for one in made.left_out)] if made.left_out else []
    return [*lines, *left]
