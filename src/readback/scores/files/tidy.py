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
from readback.scores.files.score_rows import Asked, Read, Row, read_rows
from readback.types import Diagnostic, ScoreSource

NAME = "tidy"


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """An item, a score, and at least one of criterion, condition and judge."""
    fields = fields_of(rows)
    about = (*asked.source.condition, *(name for names in (CRITERION, CONDITION, JUDGE) for name in names))
    return bool(
        item_columns(fields, asked.source, rows)
        and first(VALUE, fields)
        and (first(about, fields) or asked.source.criterion or asked.source.label)
        and not asked.source.judges
    )


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], asked: Asked) -> Read:
    """Every row's score under the criterion and judge it names."""
    return read_rows(NAME, rows, head, asked, plan)


def plan(fields: Sequence[str], asked: Asked, samples: Sequence[Mapping[str, Any]]) -> Layout:
    """The role of each column."""
    source: ScoreSource = asked.source
    column = first(VALUE, fields)
    return layout(fields, source, ((column, source.criterion or "", ""),) if column else (), samples)
