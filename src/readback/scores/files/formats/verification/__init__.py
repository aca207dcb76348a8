"""Verification results of biocypher/karenina: JSON of format 2.2 and before, the append-only sidecar, and two tables.

A row is a question answered by one model and judged by another, once for each replicate and each turn of a
conversation. The judge of what a program decides (regular expressions, functions, similarity) is `computed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from readback.readers import csv_file
from readback.readers.choose_format import read_beginning
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.formats.verification import embedded
from readback.scores.files.formats.verification.shapes import COLUMNS, SIGNS, is_envelope, is_result, lacks_cell, sees
from readback.scores.files.formats.verification.stream import results
from readback.scores.files.formats.verification.taking import Taking
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.types import Diagnostic

NAME = "verification results"
__all__ = ["COLUMNS", "NAME", "SIGNS", "open_file", "read", "recognise", "sees"]


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """One result among the first rows, or what is beside them where there are none."""
    return any(is_result(_unwrap(row)) or is_envelope(row) for row in rows)


def open_file(path: Path, file: str, refused: Callable[[], None]) -> Iterator[Row | Diagnostic] | None:
    """Return the results of a checkpoint or of a file that looks like results; None for every other file.

    One result is held at a time.
    """
    results_of_checkpoint = embedded.rows(path, file, refused)
    if results_of_checkpoint is not None:
        return results_of_checkpoint
    if not sees(path):
        return None
    begin = read_beginning(path)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if begin[:1] in (b"{", b"["):
        return read_raw_rows(path, file, refused=refused, walk=None if suffix in LINES else results)
    return read_raw_rows(path, file, refused=refused, walk=_read_lacking_cell if lacks_cell(begin) else None)


LINES = (".jsonl", ".ndjson", ".jsonlines")


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every result's scores, and the scales that its rubric gives them."""
    taking = Taking(settings, lines=settings.source.path.lower().removesuffix(".gz").endswith(LINES))
    for row in rows:
        if isinstance(row, Diagnostic):
            taking.diagnostics.add(row)
        else:
            taking.take(_unwrap(row.fields), row.line)
    return taking.finished(NAME)


def _unwrap(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result that stands under `result`; other fields unchanged."""
    inner = fields.get("result")
    if isinstance(inner, Mapping) and not is_result(fields) and is_result(inner):
        return inner
    return fields


def _read_lacking_cell(stream: Any, file: str) -> Any:
    """Read the indexed table, whose rows have no cell for the `job_id` of the header."""
    return csv_file.rows(stream, file, absent="job_id")
