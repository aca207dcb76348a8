"""What most commands begin with: the workspace they are given, opened, and names in it looked up."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

from readback import workspace
from readback.cli import UsageError, _brought, _lines
from readback.cli._sentence import fill
from readback.readers import by_address
from readback.readers.encodings import ENCODINGS
from readback.readers.row import Row
from readback.readers.yaml_file import nearest
from readback.records.dataset import Dataset, open_dataset
from readback.records.raw_rows import read_raw_rows
from readback.sources.template_language import LANGUAGES
from readback.types import Workspace
from readback.workspace import id_column, judge_tables, score_tables, stated_encoding
from readback.workspace.candidates import KINDS
from readback.workspace.plain_templates import KEY, PARTS, SYNTAX, cut_files

SENTENCES_WORKSPACE = {
    "kind_condition": "condition",
    "kind_field": "field",
    "kind_column": "column",
    "kind_mode": "mode",
    "kind_task": "task",
    "kind_judge": "judge",
    "kind_language": "language",
    "kind_rule": "rule",
    "kind_rule_or_area": "rule or area",
}
SENTENCES_OPTIONS = {
    "none_begins": "no {what} begins with '{name}'",
    "several_begin": "more than one {what} begins with '{name}'",
    "note": "note",
    "signoff": "sign-off",
    "item": "item of the agenda",
    "dropped_item": "dropped item",
}

T = TypeVar("T")
TABLES = (judge_tables.KEY, score_tables.KEY)  # options and keys are called the same
BUILTIN = "builtin:"


def add(parser: argparse.ArgumentParser, formats: Collection[str] = ("text", "json")) -> None:
    """The arguments every command on a workspace has."""
    parser.add_argument(
        "workspace",
        metavar="WORKSPACE",
        help=(
            "a folder, or one file in it, or a zip file, or - for rows on standard input, or "
            "org/name[@revision] from the local Hugging Face cache, or an address "
            "(store://place/folder) that READBACK_ADDRESSES allows"
        ),
    )
    choices_of_files(parser)
    parser.add_argument(
        "--format", choices=tuple(formats), default="text", help="output for people (text), or for programs"
    )


def choices_of_files(parser: argparse.ArgumentParser) -> None:
    """Which file to take where several could be meant."""
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
    group.add_argument(
        "--encoding", choices=tuple(ENCODINGS), help="the encoding of the dataset, where it is not UTF-8"
    )
    group.add_argument("--id", metavar="FIELD", help="the field that holds the ids of the records")
    add(
        "--field",
        metavar="NAME=FIELD",
        help="the template's variable NAME takes the record's field FIELD; may be repeated",
    )


def opened(args: argparse.Namespace, options: Mapping[str, str] | None = None) -> Workspace:
    """The workspace, under `options` instead of its own. Raises UsageError when nothing at all could be read."""
    given = by_address.shown(args.workspace)
    brought = _brought.bring(args.workspace, args.command, args.stack)
    if by_address.is_address(args.workspace) and sys.stderr.isatty():  # a slow store may take its time
        print(_lines.safe(fill("readback: {workspace} is copied to this machine …", workspace=given)), file=sys.stderr)
    try:
        chosen = {kind: file for kind in KINDS if (file := getattr(args, kind, None))}
        chosen |= {KEY: "\n".join(named)} if (named := getattr(args, "template", [])) else {}
        chosen |= {PARTS: "\n".join(cut)} if (cut := getattr(args, "parts", [])) else {}
        chosen |= {SYNTAX: "\n".join(map(_language, said))} if (said := getattr(args, "syntax", [])) else {}
        chosen |= {judge_tables.KEY: "\n".join(tables)} if (tables := getattr(args, "judges", [])) else {}
        chosen |= {score_tables.KEY: "\n".join(tables)} if (tables := getattr(args, "scores", [])) else {}
        chosen |= {stated_encoding.KEY: encoding} if (encoding := getattr(args, "encoding", None)) else {}
        chosen |= {id_column.KEY: named} if (named := getattr(args, "id", None)) else {}
        fields = _fields(getattr(args, "field", []))
        found = workspace.open(brought, fields=fields, options=options, chosen=chosen)
    except workspace.NothingRead as nothing:
        raise UsageError(nothing.name_path(given)) from None
    _check_files(args, found)
    for file in getattr(args, "parts", []):
        if file not in cut_files(found):
            may = ", ".join(found.alternatives.get(PARTS, ()))
            said = (
                fill(
                    (
                        "--parts {file}: this is not a .txt file of prompts between lines of three dashes, or a "
                        "configuration brings the prompts; such files here: {files}"
                    ),
                    file=file,
                    files=may,
                )
                if may
                else None
            )
            raise UsageError(
                said
                or fill(
                    (
                        "--parts {file}: this is not a .txt file of prompts between lines of three dashes, or a "
                        "configuration brings the prompts"
                    ),
                    file=file,
                )
            )
    if by_address.is_address(args.workspace):
        print(
            _lines.safe(
                fill(
                    "readback: {workspace} was copied to {folder}, and is read there",
                    workspace=args.workspace,
                    folder=found.root,
                )
            ),
            file=sys.stderr,
        )
    elif not os.path.lexists(brought):
        said = fill(
            "{workspace} is revision {revision} of the local Hugging Face cache ({folder})",
            workspace=args.workspace,
            revision=found.root.name,
            folder=found.root,
        )
        print(_lines.safe(f"readback: {said}"), file=sys.stderr)
    return found


def _check_files(args: argparse.Namespace, opened: Workspace) -> None:
    """Raise UsageError where an option names a file, a field or columns that are not there: whoever types a name means
    what is called so.
    """
    named = [(kind, file) for kind in KINDS if (file := getattr(args, kind, None))]
    named += [("template", file) for file in getattr(args, "template", [])]
    tables = [(option, *_table(option, said)) for option in TABLES for said in getattr(args, option, [])]
    for option, file in (*named, *((option, file) for option, file, _ in tables)):
        if not file.startswith(BUILTIN) and not (opened.root / file).exists():
            raise UsageError(
                fill(
                    "--{option} {file}: there is no such file in {workspace}",
                    option=option,
                    file=file,
                    workspace=args.workspace,
                )
            )
    read = {source.path for source in opened.scores}
    for option, file, columns in tables:
        rows = read_raw_rows(opened.root / file, file, enough=1)
        if first := next((row for row in rows if isinstance(row, Row)), None):
            for name in filter(None, columns.split(",")):
                one_of("column", name, list(first.fields))
        if file not in read:
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
    if getattr(args, "id", None) and opened.dataset and not opened.dataset.absent:
        from readback.checks.unmapped import LOOKED_AT, fields  # with it come the rules

        known = fields(tuple(data(opened).records(0, LOOKED_AT)))
        if known:
            one_of("field", args.id, known)


def _table(option: str, said: str) -> tuple[str, str]:
    """Return the file and the columns of FILE=COLUMN,COLUMN. Raises UsageError."""
    file, _, columns = said.rpartition("=")
    if not (file and columns.strip(", ")):
        raise UsageError(fill("--{option} {given}: write FILE=COLUMN,COLUMN", option=option, given=said))
    return file, columns


def _language(said: str) -> str:
    """mode=language with a language there is. Raises UsageError."""
    mode, equals, syntax = said.rpartition("=")
    if not (mode and equals):
        raise UsageError(fill("--syntax {given}: write MODE=LANGUAGE", given=said))
    return f"{mode}={one_of('language', syntax, LANGUAGES)}"


def _fields(given: Collection[str]) -> dict[str, str]:
    """name=field by name. Raises UsageError."""
    pairs = [one.partition("=") for one in given]
    if wrong := next((one for one, (name, _, field) in zip(given, pairs, strict=True) if not (name and field)), None):
        raise UsageError(fill("--field {given}: write NAME=FIELD", given=wrong))
    return {name: field for name, _, field in pairs}


def data(found: Workspace) -> Dataset:
    """Its records."""
    return open_dataset(found.root, found.dataset)


def begins(what: str, called: str, there: Sequence[tuple[str, T]]) -> T:
    """The one of (key, value) whose key is, or begins with, what was called. Raises UsageError.

    `what` is one of the kinds `cli.options` has a word for; of several with the same key the last is meant.
    """
    exact = [one for key, one in there if key == called]
    meant = exact[-1:] or [one for key, one in there if called and key.startswith(called)]
    if len(meant) != 1:
        many = "several_begin" if meant else "none_begins"
        raise UsageError(fill(SENTENCES_OPTIONS[many], what=SENTENCES_OPTIONS[what], name=called))
    return meant[0]


def list_names(names: Collection[str]) -> str:
    """Return the names with commas between them; in quotes where a name has a comma of its own."""
    quoted = any("," in name for name in names)
    return ", ".join(f"'{name}'" if quoted else name for name in names)


def one_of(kind: str, name: str, known: Collection[str]) -> str:
    """`name`, or UsageError with the names there are; `kind` is one that `cli.workspace.kind_…` has a word for."""
    if name in known:
        return name
    called = SENTENCES_WORKSPACE[f"kind_{kind}"]
    if near := nearest(name, known):
        raise UsageError(fill("no {kind} '{name}'; did you mean '{near}'?", kind=called, name=name, near=near))
    if kind == "rule":  # the list of all would be no help
        raise UsageError(fill("no rule '{name}'; readback rule lists the rules", name=name))
    if known:
        raise UsageError(
            fill("no {kind} '{name}'; there are: {names}", kind=called, name=name, names=list_names(known))
        )
    raise UsageError(fill("no {kind} '{name}'; the workspace has none", kind=called, name=name))
