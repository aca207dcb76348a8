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
from readback.exporting.whole_file import whole_file
from readback.words import t

WORKSPACE = "readback.yml"


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "path",
        metavar="PATH",
        type=Path,
        help=t("cli.import_adapter.help_path"),
    )
    add("-o", "--output", metavar="FOLDER", type=Path, required=True, help=t("cli.import_adapter.help_output"))
    add("--yes", action="store_true", help=t("cli.import_adapter.help_yes"))
    add("--format", choices=("text", "json"), default="text", help=t("cli.options.help_format"))


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
            print(f"readback: {t('cli.import_adapter.no_landlock')}", file=sys.stderr)
        if found["walls"]["calls"] == "all":
            print(f"readback: {t('cli.import_adapter.no_seccomp')}", file=sys.stderr)
    return int(made.kept < made.registrations or not made.registrations)


def _ask(program: Program, yes: bool) -> None:
    """Say which files are run, and go on only where somebody agrees. Raises UsageError."""
    called = " ".join(filter(None, (str(program.root), program.version)))
    print(_lines.safe(f"readback: {t('cli.import_adapter.runs', program=called)}"), file=sys.stderr)
    for file in program.files:
        print(_lines.safe(f"  {file}"), file=sys.stderr)
    print(t("cli.import_adapter.runs_in"), file=sys.stderr)
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(t("cli.import_adapter.nobody"))
    print(f"{t('cli.import_adapter.ask')} ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError(t("cli.import_adapter.not_run"))


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
        raise UsageError(t("cli.import_adapter.taken", file=folder / taken[0]))
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
        t("cli.import_adapter.counts", n=made.registrations, kept=made.kept, **of),
        t("cli.import_adapter.equal", n=made.equal, all=made.texts),
    ]
    lines += [f"{folder / file}" for file in sorted(files)]
    left = [t("cli.import_adapter.left_out"), *(f"  {one}" for one in made.left_out)] if made.left_out else []
    return [*lines, *left]
