"""Wide score files: one row for each item and condition, criteria as columns, factors as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.scores.files.cells import legible
from readback.scores.files.layout import Layout, fields_of, layout, score_columns
from readback.scores.files.score_rows import FileScores, FileSettings, Row, read_rows
from readback.types import Diagnostic

NAME = "wide"


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """At least one column that is a criterion by its ending, its name or the workspace's word."""
    fields = fields_of(rows)
    return not settings.source.judges and bool(score_columns(fields, settings.source, settings.criteria, rows))


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every row's score columns."""
    return read_rows(NAME, rows, head, settings, plan)


def plan(fields: Sequence[str], settings: FileSettings, samples: Sequence[Mapping[str, Any]]) -> Layout:
    """Return the role of each column."""
    names = score_columns(fields, settings.source, settings.criteria, samples)
    return layout(fields, settings.source, tuple((name, legible(name), "") for name in names), samples)
