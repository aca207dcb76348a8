"""Wide score files: one row for each item and condition, criteria as columns, factors as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from readback.scores.files.cells import legible
from readback.scores.files.layout import Layout, fields_of, layout, score_columns
from readback.scores.files.score_rows import FileScores, FileSettings, PlainRow, Row, read_rows
from readback.types import Criterion, Diagnostic

NAME = "wide"
NO_CRITERIA: Mapping[str, Criterion] = MappingProxyType({})


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """At least one column that is a criterion by its ending, its name or the workspace's word."""
    fields = fields_of(rows)
    return not settings.source.judges and bool(score_columns(fields, settings.source, settings.criteria, rows))


def read(
    rows: Iterable[Row | Diagnostic],
    head: Sequence[Row],
    settings: FileSettings,
    name: str = NAME,
    criteria: Mapping[str, Criterion] = NO_CRITERIA,
) -> FileScores:
    """Read the score columns of every row.

    A format that gives its rows the names of a wide file passes its own `name`, and its `criteria`: the columns that
    are scores, with the scale of each.
    """
    scores = read_rows(name, rows, head, replace(settings, criteria={**settings.criteria, **criteria}), plan)
    return replace(scores, criteria={**scores.criteria, **criteria})


def read_changed(
    rows: Iterable[Row | Diagnostic],
    head: Sequence[Row],
    settings: FileSettings,
    name: str,
    change: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    criteria: Mapping[str, Criterion] = NO_CRITERIA,
) -> FileScores:
    """Read as `read` does, but every row with the fields that `change` returns for its own.

    Rows keep their lines; a `Diagnostic` among them is passed on as it is.
    """

    def change_row(row: Row) -> PlainRow:
        return PlainRow(change(row.fields), row.line)

    changed_rows = (row if isinstance(row, Diagnostic) else change_row(row) for row in rows)
    return read(changed_rows, [change_row(row) for row in head], settings, name, criteria)


def plan(fields: Sequence[str], settings: FileSettings, samples: Sequence[Mapping[str, Any]]) -> Layout:
    """Return the role of each column."""
    names = score_columns(fields, settings.source, settings.criteria, samples)
    return layout(fields, settings.source, tuple((name, legible(name), "") for name in names), samples)
