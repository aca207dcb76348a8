"""Wide score files: one row for each item and condition, criteria as columns, factors as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.scores.files.cells import legible
from readback.scores.files.layout import Layout, fields_of, layout, score_columns
from readback.scores.files.score_rows import Asked, Read, Row, read_rows
from readback.types import Diagnostic

NAME = "wide"


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """At least one column that is a criterion by its ending, its name or the workspace's word."""
    fields = fields_of(rows)
    return not asked.source.judges and bool(score_columns(fields, asked.source, asked.criteria, rows))


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], asked: Asked) -> Read:
    """Every row's score columns."""
    return read_rows(NAME, rows, head, asked, plan)


def plan(fields: Sequence[str], asked: Asked, samples: Sequence[Mapping[str, Any]]) -> Layout:
    """The role of each column."""
    names = score_columns(fields, asked.source, asked.criteria, samples)
    return layout(fields, asked.source, tuple((name, legible(name), "") for name in names), samples)
