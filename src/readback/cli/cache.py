"""The command `readback cache`: what Readback keeps on the disk between runs, and how to remove it."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path

from readback import as_json
from readback.cli import _lines
from readback.cli._sentence import fill
from readback.readers import cache_folder

TITLE = "Show what Readback keeps on the disk between runs, and remove it."
ABOUT = (
    "All of it is made again from the files when it is asked for. READBACK_CACHE names another folder.\n"
    "Uploads are no part of it.\n"
    "\n"
    "exit codes: 0"
)

SENTENCES_CACHE = {
    "folder": "In {folder}:",
    "checks": "answers of checks: {n:,} ({mb:,.1f} MB)",
    "datasets": "indexes of datasets and other tables: {n:,} ({mb:,.1f} MB)",
    "observed": "indexes of logged requests: {n:,} ({mb:,.1f} MB)",
    "revisions": "files of earlier versions in git: {n:,} ({mb:,.1f} MB)",
    "trained": "indexes of training rows: {n:,} ({mb:,.1f} MB)",
    "addresses": "copies of what is at addresses: {n:,} ({mb:,.1f} MB)",
}

# What is made again from its source; uploads and what somebody downloads at the moment are no such thing.
KINDS = ("checks", "datasets", "observed", "revisions", "trained", "addresses")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove all of it")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output for people (text), or for programs"
    )


def run(args: argparse.Namespace) -> int:
    folders = {kind: cache_folder.cache_folder(kind) for kind in KINDS}
    if args.clear:
        for folder in folders.values():
            for entry in _entries(folder):
                cache_folder.remove(entry)
    kept = {kind: {"entries": len(_entries(folder)), "bytes": _size(folder)} for kind, folder in folders.items()}
    home = str(next(iter(folders.values())).parent)
    if args.format == "json":
        print(as_json.dumps({"folder": home, "kept": kept}, indent=1))
        return 0
    print(_lines.safe(fill("In {folder}:", folder=home)))
    for kind, found in kept.items():
        print("  " + fill(SENTENCES_CACHE[kind], n=found["entries"], mb=found["bytes"] / 1000000.0))
    return 0


def _entries(folder: Path) -> list[Path]:
    """What is whole; what somebody writes at the moment, and locks, begin with a dot."""
    return [one for one in folder.iterdir() if not one.name.startswith(".")]


def _size(folder: Path) -> int:
    """Return the bytes of all files below a folder; what somebody removes meanwhile counts as nothing."""
    total = 0
    for path, _, names in os.walk(folder):  # which passes over a folder that is gone
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118
    return total
