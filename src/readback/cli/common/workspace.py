"""Open the workspace that a command names, and look up names in it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, TypeVar

from readback import workspace as workspaces
from readback.cli import UsageError
from readback.cli.common import lines, options, temporary_workspace
from readback.cli.common.terminal import Progress, describe_reading, fill
from readback.readers.files import by_address
from readback.readers.files.decoding import ENCODINGS
from readback.readers.files.progress import report_progress_to
from readback.readers.files.row import Row
from readback.readers.yaml.yaml_file import find_nearest
from readback.records.dataset import Dataset, open_dataset
from readback.records.raw_rows import read_raw_rows
from readback.sources.templates.template_language import LANGUAGES
from readback.types import Condition, Workspace
from readback.workspace.candidates import KINDS
from readback.workspace.dataset_choices import ENCODING_KEY, ID_KEY, TABLE_KEY
from readback.workspace.tables import judge_tables, score_tables
from readback.workspace.templates.plain_templates import KEY, PARTS, SYNTAX, list_cut_files
from readback.workspace.tools import tool_choices, tool_projects

T = TypeVar("T")
TABLES = (judge_tables.KEY, score_tables.KEY)  # options and keys are called the same
BUILTIN = "builtin:"


def add_workspace_arguments(parser: argparse.ArgumentParser, formats: Collection[str] = ("text", "json")) -> None:
    """Add the arguments that every command on a workspace has."""
    parser.add_argument(
        "workspace",
        metavar="WORKSPACE",
        help=(
            "a folder, or one file in it, or a zip file, or - for rows on standard input, or "
            "org/name[@revision] from the local Hugging Face cache, or an address "
            "(store://place/folder) that READBACK_ADDRESSES allows"
        ),
    )
    add_file_options(parser)
    options.add_format(parser, formats)


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which file or field to take where several could be meant."""
    group = parser.add_argument_group("files and fields, where several could be meant")
    for kind in KINDS:
        group.add_argument(
            f"--{kind}",
            metavar="FILE",
            help="the file to use where the folder has several; takes the place of the one in readback.yml",
        )
    add = partial(group.add_argument, action="append", default=[])
    add(
        "--template",
        metavar="FILE",
        help="a text file to use as a prompt where no configuration names one; may be repeated",
    )
    add(
        "--parts",
        metavar="FILE",
        help=(
            "a .txt file with several prompts between lines of three dashes; each becomes a mode, "
            "named FILE · 1 and so on"
        ),
    )
    add(
        "--syntax",
        metavar="MODE=LANGUAGE",
        help=fill("the language of a mode's template: {languages}", languages=", ".join(LANGUAGES)),
    )
    add("--judges", metavar="FILE=COLUMN,COLUMN", help="read a table with one column for each judge as scores")
    add("--scores", metavar="FILE=COLUMN,COLUMN", help="read a table with one column for each criterion as scores")
    add(
        "--as-tool",
        metavar="[FILE=]NAME",
        help=fill(
            (
                "the tool that reads a prompt file whose content does not decide that; without FILE, the opened "
                "file, or each file of the folder that may be a prompt of the tool: {tools}"
            ),
            tools=", ".join(tool_choices.list_names()),
        ),
    )
    add(
        "--env",
        metavar="NAME=VALUE",
        help=(
            "a variable of the environment with which a promptfoo project is read, such as PROMPTFOO_CSV_DELIMITER; "
            "may be repeated, and the real environment is never read"
        ),
    )
    group.add_argument(
        "--encoding", choices=tuple(ENCODINGS), help="the encoding of the dataset, where it is not UTF-8"
    )
    group.add_argument("--table", metavar="NAME", help="the sheet of a workbook, or the table of a database")
    group.add_argument("--id", metavar="FIELD", help="the field that holds the ids of the records")
    add(
        "--field",
        metavar="NAME=FIELD",
        help="the template's variable NAME takes the record's field FIELD; may be repeated",
    )


def open_workspace(args: argparse.Namespace, **workspace_options: str) -> Workspace:
    """Open the workspace that the arguments name, under `workspace_options` in place of those that it states.

    Raises UsageError when nothing at all could be read, or an option names what is not there.
    """
    displayed = by_address.redact_address(args.workspace)
    path = temporary_workspace.unpack(args.workspace, args.command, args.stack)
    is_address = by_address.is_address(args.workspace)
    if is_address and sys.stderr.isatty():  # a slow store may take its time
        lines.print_note(fill("{workspace} is copied to this machine …", workspace=displayed))
    progress = Progress(getattr(args, "quiet", False), describe_reading)
    try:
        choices = _read_choices(args)
        fields = _read_fields(getattr(args, "field", []))
        with report_progress_to(progress):
            workspace = workspaces.open(path, fields=fields, options=workspace_options or None, chosen=choices)
    except workspaces.NothingRead as nothing:
        raise UsageError(nothing.name_path(displayed)) from None
    finally:
        progress.end()
    _check_files(args, workspace)
    _check_parts(args, workspace)
    if is_address:
        lines.print_note(
            fill(
                "{workspace} was copied to {folder}, and is read there",
                workspace=args.workspace,
                folder=workspace.root,
            )
        )
    elif not os.path.lexists(path):
        lines.print_note(
            fill(
                "{workspace} is revision {revision} of the local Hugging Face cache ({folder})",
                workspace=args.workspace,
                revision=workspace.root.name,
                folder=workspace.root,
            )
        )
    return workspace


def _read_choices(args: argparse.Namespace) -> dict[str, str]:
    """Return which file, table, encoding and id is chosen, by the key under which a workspace takes it."""
    values: dict[str, Any] = {kind: getattr(args, kind, None) for kind in KINDS}
    values |= {
        KEY: "\n".join(getattr(args, "template", [])),
        PARTS: "\n".join(getattr(args, "parts", [])),
        SYNTAX: "\n".join(map(_read_syntax, getattr(args, "syntax", []))),
        tool_projects.ENVIRONMENT_KEY: tool_projects.format_environment(_read_environment(args)),
        tool_choices.KEY: "\n".join(map(_read_tool, getattr(args, "as_tool", []))),
        judge_tables.KEY: "\n".join(getattr(args, "judges", [])),
        score_tables.KEY: "\n".join(getattr(args, "scores", [])),
        ENCODING_KEY: getattr(args, "encoding", None),
        TABLE_KEY: getattr(args, "table", None),
        ID_KEY: getattr(args, "id", None),
    }
    return {key: value for key, value in values.items() if value}


def _check_files(args: argparse.Namespace, workspace: Workspace) -> None:
    """Raise UsageError where an option names a file, a field or columns that are not there."""
    files = [(kind, file) for kind in KINDS if (file := getattr(args, kind, None))]
    files += [("template", file) for file in getattr(args, "template", [])]
    files += [("as-tool", file) for text in getattr(args, "as_tool", []) if (file := text.rpartition("=")[0])]
    tables = [(option, *_read_table(option, text)) for option in TABLES for text in getattr(args, option, [])]
    for option, file in (*files, *((option, file) for option, file, _ in tables)):
        if not file.startswith(BUILTIN) and not (workspace.root / file).exists():
            raise UsageError(
                fill(
                    "--{option} {file}: there is no such file in {workspace}",
                    option=option,
                    file=file,
                    workspace=args.workspace,
                )
            )
    score_files = {source.path for source in workspace.scores}
    for option, file, columns in tables:
        rows = read_raw_rows(workspace.root / file, file, enough=1)
        first = next((row for row in rows if isinstance(row, Row)), None)
        if first:
            for name in filter(None, columns.split(",")):
                check_name("column", name, list(first.fields))
        if file not in score_files:
            raise UsageError(
                fill(
                    (
                        "--{option} {file}={columns}: this file was not read as scores; it is no table here, or "
                        "readback.yml names the files of the scores"
                    ),
                    option=option,
                    file=file,
                    columns=columns,
                )
            )
    if getattr(args, "id", None) and workspace.dataset and not workspace.dataset.absent:
        from readback.checks.fields.field_mapping import LOOKED_AT, fields  # with it come the rules

        names = fields(tuple(open_records(workspace).records(0, LOOKED_AT)))
        if names:
            check_name("field", args.id, names)


def _check_parts(args: argparse.Namespace, workspace: Workspace) -> None:
    """Raise UsageError where --parts names a file that was not cut into prompts."""
    for file in getattr(args, "parts", []):
        if file in list_cut_files(workspace):
            continue
        message = fill(
            (
                "--parts {file}: this is not a .txt file of prompts between lines of three dashes, or a "
                "configuration brings the prompts"
            ),
            file=file,
        )
        files = workspace.alternatives.get(PARTS, ())
        if files:
            message += fill("; such files here: {files}", files=", ".join(files))
        raise UsageError(message)


def _read_table(option: str, text: str) -> tuple[str, str]:
    """Return the file and the columns of FILE=COLUMN,COLUMN. Raises UsageError."""
    file, _, columns = text.rpartition("=")
    if not (file and columns.strip(", ")):
        raise UsageError(fill("--{option} {text}: write FILE=COLUMN,COLUMN", option=option, text=text))
    return file, columns


def _read_syntax(text: str) -> str:
    """Return MODE=LANGUAGE, checked to name a known language. Raises UsageError."""
    mode, equals, language = text.rpartition("=")
    if not (mode and equals):
        raise UsageError(fill("--syntax {text}: write MODE=LANGUAGE", text=text))
    return f"{mode}={check_name('language', language, LANGUAGES)}"


def _read_tool(text: str) -> str:
    """Return [FILE=]NAME, checked to name a tool. Raises UsageError."""
    file, equals, written = text.rpartition("=")
    tool = tool_choices.find_name(written) or check_name("tool", written, tool_choices.list_names())
    return f"{file}{equals}{tool}"


def _read_environment(args: argparse.Namespace) -> dict[str, str]:
    """Return the variables of NAME=VALUE by name. Raises UsageError."""
    variables: dict[str, str] = {}
    for text in getattr(args, "env", []):
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(fill("--env {text}: write NAME=VALUE", text=text))
        variables[name] = value
    return variables


def _read_fields(texts: Collection[str]) -> dict[str, str]:
    """Return the fields of NAME=FIELD by the variable's name. Raises UsageError."""
    fields = {}
    for text in texts:
        name, _, field = text.partition("=")
        if not (name and field):
            raise UsageError(fill("--field {text}: write NAME=FIELD", text=text))
        fields[name] = field
    return fields


def open_records(workspace: Workspace) -> Dataset:
    """Return the records of a workspace."""
    return open_dataset(workspace.root, workspace.dataset)


def find_condition(workspace: Workspace, name: str) -> Condition:
    """Return the condition of that name or alias. Raises UsageError."""
    names = [name for condition in workspace.conditions for name in (condition.name, *condition.aliases)]
    condition = workspace.condition(check_name("condition", name, names))
    if condition is None:
        raise UsageError(fill("no condition '{name}'; the workspace has none", name=name))
    return condition


def find_by_prefix(noun: str, prefix: str, entries: Sequence[tuple[str, T]]) -> T:
    """Return the value of the (key, value) whose key is `prefix` or, if there is only one, begins with it.

    `noun` is what an entry is called in the UsageError that is raised otherwise. Of several entries with the same key
    the last is returned.
    """
    exact = [value for key, value in entries if key == prefix]
    matches = exact[-1:] or [value for key, value in entries if prefix and key.startswith(prefix)]
    if not matches:
        raise UsageError(fill("no {noun} begins with '{prefix}'", noun=noun, prefix=prefix))
    if len(matches) > 1:
        raise UsageError(fill("more than one {noun} begins with '{prefix}'", noun=noun, prefix=prefix))
    return matches[0]


def join_names(names: Collection[str]) -> str:
    """Return the names with commas between them, all in quotes where a name has a comma of its own."""
    if any("," in name for name in names):
        return ", ".join(f"'{name}'" for name in names)
    return ", ".join(names)


def check_name(kind: str, name: str, names: Collection[str]) -> str:
    """Return `name` if it is among the names; else raise UsageError with the nearest, or with all there are."""
    if name in names:
        return name
    near = find_nearest(name, names)
    if near:
        raise UsageError(fill("no {kind} '{name}'; did you mean '{near}'?", kind=kind, name=name, near=near))
    if kind == "rule":  # the list of all would be no help
        raise UsageError(fill("no rule '{name}'; readback rule lists the rules", name=name))
    if names:
        raise UsageError(fill("no {kind} '{name}'; there are: {names}", kind=kind, name=name, names=join_names(names)))
    raise UsageError(fill("no {kind} '{name}'; the workspace has none", kind=kind, name=name))
