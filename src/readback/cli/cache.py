"""The command `readback cache`: what Readback keeps on the disk between runs, and how to remove it."""

from __future__ import annotations

import argparse
from pathlib import Path

from readback import as_json
from readback.cli import _lines
from readback.readers import cache_folder
from readback.words import t

# What is made again from its source; uploads and what somebody downloads at the moment are no such thing.
KINDS = ("checks", "datasets", "observed", "revisions", "trained", "addresses")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help=t("cli.cache.help_clear"))
    parser.add_argument("--format", choices=("text", "json"), default="text", help=t("cli.options.help_format"))


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
    print(_lines.safe(t("cli.cache.folder", folder=home)))
    for kind, found in kept.items():
        print(f"  {t(f'cli.cache.{kind}', n=found['entries'], mb=found['bytes'] / 1e6)}")
    return 0


def _entries(folder: Path) -> list[Path]:
    """What is whole; what somebody writes at the moment, and locks, begin with a dot."""
    return [one for one in folder.iterdir() if not one.name.startswith(".")]


def _size(folder: Path) -> int:
    """Bytes of all files below a folder; what goes meanwhile counts as nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total
