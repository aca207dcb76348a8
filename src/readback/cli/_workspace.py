"""What most commands begin with: the workspace they are given, opened, and names in it looked up."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Mapping

from readback import workspace
from readback.cli import UsageError, _lines
from readback.readers.yaml_file import nearest
from readback.records.dataset import Dataset, open_dataset
from readback.sources.template_language import LANGUAGES
from readback.types import Workspace
from readback.workspace import id_column, judge_tables, score_tables
from readback.workspace.candidates import KINDS
from readback.workspace.plain_templates import KEY, PARTS, SYNTAX, cut_files


def add(parser: argparse.ArgumentParser, formats: Collection[str] = ("text", "json")) -> None:
    """The arguments every command on a workspace has."""
    parser.add_argument(
        "workspace",
        metavar="WORKSPACE",
        help="a folder, or one file of it; or org/name[@revision], from the local Hugging Face cache",
    )
    choices_of_files(parser)
    parser.add_argument("--format", choices=tuple(formats), default="text", help="for people, or for programs")


def choices_of_files(parser: argparse.ArgumentParser) -> None:
    """Which file to take where several could be meant."""
    for kind in KINDS:
        there = "the file that is meant, of several in the folder; replaces what readback.yml says"
        parser.add_argument(f"--{kind}", metavar="FILE", help=there)
    parser.add_argument(
        "--template", action="append", default=[], metavar="FILE",
        help="a text file to take as a prompt where no configuration names any; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--parts", action="append", default=[], metavar="FILE",
        help="a .txt file of several prompts between lines of ---: each is a mode, FILE · 1 and so on",
    )  # fmt: skip
    parser.add_argument(
        "--syntax", action="append", default=[], metavar="MODE=LANGUAGE",
        help=f"the language of a mode's template: {', '.join(LANGUAGES)}",
    )  # fmt: skip
    parser.add_argument(
        "--judges", action="append", default=[], metavar="FILE=COLUMN,COLUMN",
        help="read a table with one column for each judge as scores",
    )  # fmt: skip
    parser.add_argument(
        "--scores", action="append", default=[], metavar="FILE=COLUMN,COLUMN",
        help="read a table with one column for each criterion as scores",
    )  # fmt: skip
    parser.add_argument("--id", metavar="FIELD", help="the field that holds the records' ids")
    parser.add_argument(
        "--field", action="append", default=[], metavar="NAME=FIELD",
        help="what a template calls NAME is the record's FIELD; may be repeated",
    )  # fmt: skip


def opened(args: argparse.Namespace, options: Mapping[str, str] | None = None) -> Workspace:
    """The workspace, under `options` instead of its own. Raises UsageError when nothing at all could be read."""
    try:
        chosen = {kind: file for kind in KINDS if (file := getattr(args, kind, None))}
        chosen |= {KEY: "\n".join(named)} if (named := getattr(args, "template", [])) else {}
        chosen |= {PARTS: "\n".join(cut)} if (cut := getattr(args, "parts", [])) else {}
        chosen |= {SYNTAX: "\n".join(map(_language, said))} if (said := getattr(args, "syntax", [])) else {}
        chosen |= {judge_tables.KEY: "\n".join(tables)} if (tables := getattr(args, "judges", [])) else {}
        chosen |= {score_tables.KEY: "\n".join(tables)} if (tables := getattr(args, "scores", [])) else {}
        chosen |= {id_column.KEY: named} if (named := getattr(args, "id", None)) else {}
        fields = _fields(getattr(args, "field", []))
        found = workspace.open(args.workspace, fields=fields, options=options, chosen=chosen)
    except workspace.NothingRead as nothing:
        raise UsageError(f"{args.workspace}: {nothing.reason}") from None
    for file in getattr(args, "template", []):
        if not (found.root / file).is_file():
            raise UsageError(f"--template {file}: there is no such file in {args.workspace}")
    for file in getattr(args, "parts", []):
        if file not in cut_files(found):
            may = ", ".join(found.alternatives.get(PARTS, ()))
            there = f"; there {'are' if ', ' in may else 'is'} {may}" if may else ""
            why = "is no .txt file of prompts with lines of three dashes, or a configuration brings the prompts"
            raise UsageError(f"--parts {file}: it {why}{there}")
    if not os.path.lexists(args.workspace):
        revision = f"revision {found.root.name} of the local Hugging Face cache"
        print(_lines.safe(f"readback: {args.workspace} is {revision} ({found.root})"), file=sys.stderr)
    return found


def _language(said: str) -> str:
    """mode=language with a language there is. Raises UsageError."""
    mode, equals, syntax = said.rpartition("=")
    if not (mode and equals):
        raise UsageError(f"--syntax {said}: write MODE=LANGUAGE")
    return f"{mode}={one_of('language', syntax, LANGUAGES)}"


def _fields(given: Collection[str]) -> dict[str, str]:
    """name=field by name. Raises UsageError."""
    pairs = [one.partition("=") for one in given]
    if wrong := next((one for one, (name, _, field) in zip(given, pairs, strict=True) if not (name and field)), None):
        raise UsageError(f"--field {wrong}: write NAME=FIELD")
    return {name: field for name, _, field in pairs}


def data(found: Workspace) -> Dataset:
    """Its records."""
    return open_dataset(found.root, found.dataset)


def one_of(kind: str, name: str, known: Collection[str]) -> str:
    """`name`, or UsageError with the names there are."""
    if name in known:
        return name
    near = nearest(name, known)
    hint = f"; did you mean '{near}'?" if near else ""
    there = f"there are: {', '.join(known)}" if known else "the workspace has none"
    raise UsageError(f"no {kind} '{name}'{hint or f'; {there}'}")
