"""Tidy score files: one row for each item, condition, criterion and judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.scores.files.layout import (
    CONDITION,
    CRITERION,
    JUDGE,
    VALUE,
    Layout,
    fields_of,
    first,
    item_columns,
    layout,
)
from readback.scores.files.score_rows import FileScores, FileSettings, Row, read_rows
from readback.types import Diagnostic, ScoreSource

NAME = "tidy"


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether rows have an item, a score, and at least one of criterion, condition and judge."""
    fields = fields_of(rows)
    about = (*settings.source.condition, *(name for names in (CRITERION, CONDITION, JUDGE) for name in names))
    return bool(
        item_columns(fields, settings.source, rows)
        and first(VALUE, fields)
        and (first(about, fields) or settings.source.criterion or settings.source.label)
        and not settings.source.judges
    )


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every row's score under the criterion and judge it names."""
    return read_rows(NAME, rows, head, settings, plan)


def plan(fields: Sequence[str], settings: FileSettings, samples: Sequence[Mapping[str, Any]]) -> Layout:
    """Return the role of each column."""
    source: ScoreSource = settings.source
    column = first(VALUE, fields)
    return layout(fields, source, ((column, source.criterion or "", ""),) if column else (), samples)
