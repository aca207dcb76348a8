"""What most commands begin with: the workspace they are given, opened, and names in it looked up."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping

from readback import workspace
from readback.cli import UsageError
from readback.readers.yaml_file import nearest
from readback.records.dataset import Dataset, open_dataset
from readback.types import Workspace
from readback.workspace.candidates import KINDS


def add(parser: argparse.ArgumentParser, formats: Collection[str] = ("text", "json")) -> None:
    """The arguments every command on a workspace has."""
    parser.add_argument("workspace", metavar="WORKSPACE", help="a folder, or one file of it")
    choices_of_files(parser)
    parser.add_argument("--format", choices=tuple(formats), default="text", help="for people, or for programs")


def choices_of_files(parser: argparse.ArgumentParser) -> None:
    """Which file to take where several could be meant."""
    for kind in KINDS:
        there = "the file that is meant, of several in the folder; replaces what readback.yml says"
        parser.add_argument(f"--{kind}", metavar="FILE", help=there)


def opened(args: argparse.Namespace, options: Mapping[str, str] | None = None) -> Workspace:
    """The workspace, under `options` instead of its own. Raises UsageError when nothing at all could be read."""
    try:
        chosen = {kind: file for kind in KINDS if (file := getattr(args, kind, None))}
        return workspace.open(args.workspace, options=options, chosen=chosen)
    except workspace.NothingRead as nothing:
        raise UsageError(f"{args.workspace}: {nothing.reason}") from None


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
