"""The rows of another tool's project as a dataset: the tool's own tests, expanded and in its order.

A record has the merged variables of its row before anything is rendered; ID counts rows from 0 as the tool does, and
ROW holds what rendering needs besides. The project is read in the bounded child.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from readback.readers import jsonl
from readback.sandbox import Limits, Stopped, stream
from readback.types import Diagnostic, Location

NAME = "project rows"
SUFFIXES: tuple[str, ...] = ()
BY_LINES = False
ENVIRONMENT = True  # `spool` takes what the workspace states of it
ID, ROW = "testIdx", "promptfoo row"
WORK = "readback.projects.promptfoo:stream_rows"  # `projects` is above the readers; the child loads it by its name
LIMITS = Limits(seconds=20.0, total=120.0, memory=768 << 20, output=512 << 20)
parse = jsonl.parse
rows = jsonl.rows


def spool(path: Path, out: BinaryIO, file: str, environment: Mapping[str, str]) -> Iterator[int | Diagnostic]:
    """Write a line for each row of the project at `path`; yield how far it is. Its faults are the workspace's."""
    root = str(path).removesuffix(f"/{file}")
    payload = {"path": str(path), "root": root, "environment": dict(environment)}
    size = path.stat().st_size
    try:
        for row in stream(WORK, payload, LIMITS):
            fields = {name: value for name, value in row["fields"].items() if name not in (ID, ROW)}
            about = {name: row[name] for name in ("description", "settings", "metadata") if row[name]}
            line = {**fields, ID: row["index"], **({ROW: about} if about else {})}
            out.write(json.dumps(line).encode() + b"\n")
            yield size
    except Stopped as stopped:
        values = {"what": f"{stopped.kind} for reading the project", "limit": stopped.detail}
        yield Diagnostic("dat-limit", values, Location(file=file))
