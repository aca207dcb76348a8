"""Files with one column for each judge, as the workspace says: what it names as `judges` are the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.scores.files.layout import CRITERION, Layout, first, layout
from readback.scores.files.score_rows import FileScores, FileSettings, Row, read_rows
from readback.types import Diagnostic

NAME = "judge columns"


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Only by the workspace's word: numbers under names of machines may be anything."""
    return any(judge in row for row in rows for judge in settings.source.judges)


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every row's score by each judge, under the criterion the workspace or the row names."""
    return read_rows(NAME, rows, head, settings, plan)


def plan(fields: Sequence[str], settings: FileSettings, samples: Sequence[Mapping[str, Any]]) -> Layout:
    """Return the role of each column."""
    source = settings.source
    criterion = source.criterion or ("" if first(CRITERION, fields) else "score")
    return layout(fields, source, tuple((name, criterion, name) for name in source.judges if name in fields))
