"""Run `readback adapters` and `readback import-adapter`: list adapters, and read those of an installed program."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readback import adapters, as_json
from readback.cli import UsageError
from readback.cli.common import options
from readback.cli.common.lines import print_note, print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill
from readback.cli.common.workspace import open_workspace
from readback.exporting.whole_file import whole_file
from readback.prompts.adapter_texts import Entry, Part, list_entries
from readback.sources.verification import list_workspace_runs
from readback.tasks import DOCUMENT, PROFILES, profile_of, tasks_of
from readback.types import Adapter, Workspace

if TYPE_CHECKING:
    from readback.bridge.import_result import ImportResult
    from readback.bridge.run import Program

LIST_TITLE = "List the adapters and what each adds to which task: those that Readback ships, and those of a workspace."
LIST_ABOUT = (
    "For a workspace with a preset or a verification configuration the list also says which tasks run"
    " there, and why a\n"
    "task does not run.\n"
    "\n"
    "exit codes: 0 listed; 2 wrong use, or nothing at all could be read"
)
IMPORT_TITLE = "Read the adapter texts and base prompts of an installed program (karenina) as files of a workspace."
IMPORT_ABOUT = (
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

CONFIG_FILE = "readback.yml"


# Listing.


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback adapters`."""
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="a folder, or one file in it")
    options.add_format(parser)
    parser.add_argument("--profile", choices=PROFILES, help="the profile to use in place of that of the workspace")


def run_list(args: argparse.Namespace) -> int:
    """Print the adapters and the tasks; return the exit code."""
    workspace = None
    profile = args.profile or DOCUMENT
    known_adapters = adapters.load_shipped(profile)
    if args.workspace:
        if args.profile:
            stated = {"assembly_profile": args.profile}
        else:
            stated = {}
        workspace = open_workspace(args, **stated)
        profile = profile_of(workspace.options)
        known_adapters = {**adapters.load_shipped(profile), **workspace.adapters}
    rows = [_build_adapter(adapter, known_adapters, profile) for _, adapter in sorted(known_adapters.items())]
    tasks = _build_tasks(workspace, profile)
    if args.format == "json":
        entries = [
            _build_entry(entry) for entry in list_entries(known_adapters, profile, (task["name"] for task in tasks))
        ]
        answer = {"profile": profile, "adapters": rows, "tasks": tasks, "entries": entries}
        print(as_json.dumps(answer, indent=1))
    else:
        print("\n".join((*_format_adapters(rows), *_format_tasks(tasks))))
    return 0


def _build_adapter(adapter: Adapter, known_adapters: Mapping[str, Adapter], profile: str) -> dict[str, Any]:
    tasks = [task for task in tasks_of(profile) if adapters.list_additions(adapter, task, known_adapters, profile)]
    return {
        "name": adapter.name,
        "extends": adapter.extends,
        "wording": adapter.wording,
        **adapters.list_capabilities(adapter, known_adapters, profile),
        "tasks": tasks,
        "place": as_json.known_place_to_json(adapter.place),
    }


def _build_tasks(workspace: Workspace | None, profile: str) -> list[dict[str, Any]]:
    """Return the tasks of the profile and of the workspace; `runs` is None where no configuration says so."""
    texts = workspace.tasks if workspace else {}
    decisions = {}
    if workspace:
        decisions = {decision.task: decision for decision in list_workspace_runs(workspace.configs, profile)}
    profile_tasks = tasks_of(profile)
    rows = []
    for name in dict.fromkeys((*profile_tasks, *texts)):
        task = profile_tasks.get(name)
        decision = decisions.get(name)
        rows.append(
            {
                "name": name,
                "stage": task.stage if task else None,
                "description": task.description if task else None,
                "text_here": name in texts,
                "runs": decision.runs if decision else None,
                "why": decision.why if decision else None,
            }
        )
    return rows


def _build_entry(entry: Entry) -> dict[str, Any]:
    parts = {"system": _build_part(entry.system), "user": _build_part(entry.user)}
    return {"interface": entry.adapter, "task": entry.task, "wording": entry.wording, **parts}


def _build_part(part: Part | None) -> dict[str, Any] | None:
    """Return a part; any key of `when` is enough, and where it is empty but not `always`, the record decides."""
    if part is None:
        return None
    return {
        "always": part.always,
        "when": part.when,
        "reads": part.reads,
        "place": as_json.known_place_to_json(part.place),
    }


def _format_adapters(rows: Collection[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        if row["extends"]:
            extends = f"extends {row['extends']}, "
        else:
            extends = ""
        if row["system_prompt"]:
            yield f"{row['name']}: system message, {extends}wording {row['wording']}"
        else:
            head = f"{row['name']}: no system message, its text is put into the user message"
            yield f"{head}; {extends}wording {row['wording']}"
        if row["tasks"]:
            tasks = ", ".join(row["tasks"])
            yield fill("  adds text to {n:,} {n:task|tasks}: {tasks}", n=len(row["tasks"]), tasks=tasks)
        else:
            yield "  adds text to no task"


def _format_tasks(tasks: Collection[Mapping[str, Any]]) -> Iterator[str]:
    for task in tasks:
        if task["runs"] is None:
            continue
        if not task["runs"]:
            yield f"{task['name']}: does not run ({task['why']})"
        elif task["text_here"]:
            yield f"{task['name']}: runs ({task['why']})"
        else:
            yield f"{task['name']}: runs ({task['why']}), but this workspace has no text for it"


# Importing.


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback import-adapter`."""
    add = parser.add_argument
    add(
        "path",
        metavar="PATH",
        type=Path,
        help="a checkout, a folder of installed packages, or the program's own folder",
    )
    add("-o", "--output", metavar="FOLDER", type=Path, required=True, help="the folder to write the files to")
    add("--yes", action="store_true", help="run that program's code without asking")
    options.add_format(parser)


def run_import(args: argparse.Namespace) -> int:
    """Run a program's prompt modules and write their texts; return the exit code."""
    from readback.bridge import run as bridge
    from readback.bridge.import_result import build_import

    try:
        program = bridge.find_program(args.path)
        _confirm(program, args.yes)
        answer = bridge.read_program(program)
        result = build_import(program, answer)
    except bridge.NotImported as reason:
        raise UsageError(str(reason)) from None
    files = {**result.files, **_format_config(args.output, result)}
    _write_files(args.output, files)
    walls = answer["walls"]
    if args.format == "json":
        registrations = {"registrations": result.registrations, "kept": result.written}
        counts = {**registrations, **{name: getattr(result, name) for name in ("texts", "equal")}}
        names = {name: list(getattr(result, name)) for name in ("interfaces", "tasks", "left_out")}
        print(as_json.dumps({**counts, **names, "files": sorted(files), "walls": walls}, indent=1))
    else:
        print_safe("\n".join(_format_result(result, files, args.output)))
        if walls["files"] != "its own":
            print_note("this system has no Landlock, so that code could also read other files")
        if walls["calls"] == "all":
            print_note(
                "this system has no seccomp filter that is known here, so that code could also "
                "send signals, connect to sockets of this machine, and change the rights and times of files"
            )
    return int(result.written < result.registrations or not result.registrations)


COMMANDS = {
    "adapters": Command(LIST_TITLE, LIST_ABOUT, add_list_arguments, run_list),
    "import-adapter": Command(IMPORT_TITLE, IMPORT_ABOUT, add_import_arguments, run_import),
}


def _confirm(program: Program, yes: bool) -> None:
    """Print which files are run, and ask whether to run them. Raises UsageError where nobody agrees."""
    name = " ".join(filter(None, (str(program.root), program.version)))
    print_note(fill("this runs Python code of {program}:", program=name))
    for file in program.files:
        print_safe(f"  {file}", sys.stderr)
    print_safe(
        "and what these files import, in a child process without network, under limits of time and memory.", sys.stderr
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at; --yes runs the code without asking")
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("not run")


def _format_config(folder: Path, result: ImportResult) -> dict[str, str]:
    """Return a readback.yml that names the files, unless the folder has one that somebody wrote."""
    from readback.bridge import yaml_files

    if not result.files or _is_foreign(folder / CONFIG_FILE):
        return {}
    adapter_files = [file for file in result.files if file.startswith("adapters/")]
    task_files = {Path(file).stem: file for file in result.files if file.startswith("tasks/")}
    return {CONFIG_FILE: yaml_files.format_workspace(adapter_files, task_files)}


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write each file whole. Raises UsageError where one exists that an import did not write."""
    foreign = next((folder / file for file in files if _is_foreign(folder / file)), None)
    if foreign:
        raise UsageError(
            fill("{file} is already there and was not written by import-adapter; nothing was written", file=foreign)
        )
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / file) as out:
            out.write(text.encode("utf-8"))


def _is_foreign(file: Path) -> bool:
    """Return whether a file exists that an import did not write."""
    from readback.bridge import yaml_files

    if not file.exists():
        return False
    header = yaml_files.HEADER.encode()
    try:
        with file.open("rb") as stream:
            return stream.read(len(header)) != header
    except OSError:
        return True


def _format_result(result: ImportResult, files: Collection[str], folder: Path) -> Iterator[str]:
    yield fill(
        (
            "{n:,} {n:registration|registrations}, {kept:,} written, for {interfaces:,} "
            "{interfaces:interface|interfaces} and {tasks:,} {tasks:task|tasks}"
        ),
        n=result.registrations,
        kept=result.written,
        interfaces=len(result.interfaces),
        tasks=len(result.tasks),
    )
    yield fill("texts that are equal, byte for byte: {n:,} of {all:,}", n=result.equal, all=result.texts)
    yield from (f"{folder / file}" for file in sorted(files))
    if result.left_out:
        yield "left out, or changed:"
        yield from (f"  {text}" for text in result.left_out)
