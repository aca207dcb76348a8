"""Run `readback doctor` and `readback cache`: what Readback runs on, and what it stores on the disk between runs."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path

from readback import as_json
from readback.cli.common import options
from readback.cli.common.lines import print_safe
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill
from readback.readers.files import cache_folder

DOCTOR_TITLE = "Show what Readback runs on: versions, folders, and the limits around untrusted work."
DOCTOR_ABOUT = "exit codes: 0 no problem; 1 there is a problem"
CACHE_TITLE = "Show what Readback keeps on the disk between runs, and remove it."
CACHE_ABOUT = (
    "All of it is made again from the files when it is asked for. READBACK_CACHE names another folder.\n"
    "Uploads are no part of it.\n"
    "\n"
    "exit codes: 0"
)

# What is built again from its source, by the name of its folder; uploads and unfinished downloads are not.
CACHES = {
    "checks": "answers of checks: {n:,} ({mb:,.1f} MB)",
    "datasets": "indexes of datasets and other tables: {n:,} ({mb:,.1f} MB)",
    "observed": "indexes of logged requests: {n:,} ({mb:,.1f} MB)",
    "revisions": "files of earlier versions in git: {n:,} ({mb:,.1f} MB)",
    "trained": "indexes of training rows: {n:,} ({mb:,.1f} MB)",
    "addresses": "copies of what is at addresses: {n:,} ({mb:,.1f} MB)",
    "zips": "unpacked zip files: {n:,} ({mb:,.1f} MB)",
}


def run_doctor(args: argparse.Namespace) -> int:
    """Print what `readback.doctor` examines; return the exit code."""
    from readback import doctor  # slow to load, and `readback cache` needs none of it

    report = doctor.examine()
    if args.format == "json":
        print(as_json.dumps(report, indent=1))
    else:
        print("\n".join(doctor.format_lines(report)))
    return int(bool(report["problems"]))


def add_cache_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback cache`."""
    parser.add_argument("--clear", action="store_true", help="remove all of it")
    options.add_format(parser)


def run_cache(args: argparse.Namespace) -> int:
    """Print how much each cache holds, after removing it with --clear; return the exit code."""
    folders = {name: cache_folder.cache_folder(name) for name in CACHES}
    if args.clear:
        for folder in folders.values():
            for entry in _list_entries(folder):
                cache_folder.remove(entry)
    sizes = {
        name: {"entries": len(_list_entries(folder)), "bytes": _measure_size(folder)}
        for name, folder in folders.items()
    }
    home = str(next(iter(folders.values())).parent)
    if args.format == "json":
        print(as_json.dumps({"folder": home, "kept": sizes}, indent=1))
        return 0
    print_safe(fill("In {folder}:", folder=home))
    for name, size in sizes.items():
        print("  " + fill(CACHES[name], n=size["entries"], mb=size["bytes"] / 1_000_000))
    return 0


def _list_entries(folder: Path) -> list[Path]:
    """Return what is complete; what is being written, and locks, begin with a dot."""
    return [entry for entry in folder.iterdir() if not entry.name.startswith(".")]


def _measure_size(folder: Path) -> int:
    """Return the bytes of all files below a folder; what is removed meanwhile counts as nothing."""
    total = 0
    for path, _, names in os.walk(folder):  # which passes over a folder that is gone
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size  # noqa: PTH118
    return total


COMMANDS = {
    "doctor": Command(DOCTOR_TITLE, DOCTOR_ABOUT, options.add_format, run_doctor),
    "cache": Command(CACHE_TITLE, CACHE_ABOUT, add_cache_arguments, run_cache),
}
