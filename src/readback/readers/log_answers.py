"""The answers of another tool's log as a dataset: `readers/logs` decodes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from readback.readers import jsonl
from readback.readers.logs.decode import link_part, write_part
from readback.types import Diagnostic

NAME = "log answers"
SUFFIXES: tuple[str, ...] = ()
BY_LINES = False
parse = jsonl.parse
rows = jsonl.rows


def spool(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
    """Write the answers of the log at `path` to `out` as JSON lines; yield how far it is, and diagnostics."""
    return write_part(path, out, file, "answers")


def link(path: Path, target: Path, file: str) -> Iterator[Diagnostic]:
    """Let `target` be the answers of the log at `path`, without writing them once more; yield diagnostics."""
    return link_part(path, target, file, "answers")
