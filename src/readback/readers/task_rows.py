"""The documents of a task of lm-eval as a dataset, in the tool's order and with the types that it gives their columns.

ID counts documents from 0, as samples files do. ROW holds the examples of a document where a seed says which they are,
and what the document itself has under one of these two names. The files are read in the bounded child.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.logs.formats.lm_eval_results import list_runs
from readback.sandbox import Limits, Stopped, stream
from readback.types import Diagnostic, Location

NAME = "documents of a task"
SUFFIXES: tuple[str, ...] = ()
BY_LINES = False
ID, ROW = "doc_id", "lm-eval row"
WORK = "readback.projects.lm_eval:stream_rows"  # `projects` is above the readers; the child loads it by its name
LIMITS = Limits(seconds=20.0, total=120.0, memory=1 << 30, output=512 << 20)
parse = jsonl.parse
rows = jsonl.rows


def spool(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
    """Write a line for each document of the task at `path`; yield how far it is. Its faults are the workspace's."""
    root = Path(str(path).removesuffix(f"/{file}"))
    payload = {"path": str(path), "root": str(root), "runs": list_runs(root)}
    size = path.stat().st_size
    try:
        for row in stream(WORK, payload, LIMITS):
            fields = row["fields"]
            about: dict[str, Any] = {"shots": row["shots"]} if row["shots"] else {}
            if own := {name: fields[name] for name in (ID, ROW) if name in fields}:
                about["own"] = own
            line = {**fields, ID: row["index"], **({ROW: about} if about else {})}
            out.write(json.dumps(line).encode() + b"\n")
            yield size
    except Stopped as stopped:
        values = {"what": f"{stopped.kind} for reading the documents of a task", "limit": stopped.detail}
        yield Diagnostic("dat-limit", values, Location(file=file))
