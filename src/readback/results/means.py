"""Files of means: one row for each condition, no items. They are set beside the means of the rows, not mixed in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.files.bounded_notes import BoundedNotes
from readback.results._cells import cell, legible, stem, text_of
from readback.results._intake import overflow
from readback.results._layout import MEANS, Layout, fields_of, first, item_columns, layout, looks_numeric, score_columns
from readback.results._rows import Asked, Read, Row
from readback.scores.table import SCORED, Reported, SourceRead
from readback.types import Note, Place

NAME = "means"
COUNT = ("count", "sample_count", "n")
FINEST = 6  # decimals at which two means are still compared
RUN_OF = ("system_name", "model_label", "label")  # which run a file of avg_ columns is about


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """No item column, and columns called means, or score columns where every row is a condition of its own."""
    if not rows or asked.source.judges or item_columns(fields_of(rows), asked.source):
        return False
    plan = _layout(rows, asked)
    if not plan.scores:
        return False
    if all(column.lower().startswith(MEANS) for column, _, _ in plan.scores):
        return True
    keys = [tuple(text_of(row.get(name)) for name in plan.candidates) for row in rows]
    return bool(plan.candidates) and len(set(keys)) == len(keys) > 1


def read(rows: Iterable[Row | Note], head: Sequence[Row], asked: Asked) -> Read:
    """Every row's means as reported values."""
    plan = _layout([row.fields for row in head], asked)
    averages = all(column.lower().startswith(MEANS) for column, _, _ in plan.scores)
    reported: list[Reported] = []
    notes = BoundedNotes()
    count = 0
    for row in rows:
        if isinstance(row, Note):
            notes.add(row)
            continue
        count += 1
        reported.extend(_row(row, plan, asked, averages))
    columns = {"condition": plan.candidates, "score": tuple(name for name, _, _ in plan.scores)}
    account = SourceRead(asked.source.path, NAME, count, 0, columns, synthetic=asked.source.synthetic)
    return Read(None, account, (*notes.kept, *overflow(notes, asked.source.path)), tuple(reported))


def _row(row: Row, plan: Layout, asked: Asked, averages: bool) -> Iterable[Reported]:
    fields = row.fields
    given = text_of(fields.get(name)) if averages and (name := first(RUN_OF, list(fields))) else ""
    single = asked.source.label or given or stem(asked.source.path)
    factors = tuple((legible(name), text_of(fields.get(name))) for name in plan.candidates)
    counted = first(COUNT, list(fields))
    n = cell(fields.get(counted)) if counted else None
    for column, criterion, _ in plan.scores:
        value, state, _ = cell(fields.get(column))
        if state == SCORED:
            yield Reported(
                condition=(("condition", single),) if averages or not factors else factors,
                criterion=criterion,
                judge=(text_of(fields.get(plan.judge)) if plan.judge else "") or asked.judge,
                mean=value,
                decimals=_decimals(fields.get(column)),
                n=int(n[0]) if n and n[1] == SCORED else None,
                place=Place(file=asked.source.path, line=row.line),
            )


def _layout(samples: Sequence[Mapping[str, Any]], asked: Asked) -> Layout:
    fields = fields_of(samples)
    averages = tuple(
        (name, legible(name.split("_", 1)[1]), "")
        for name in fields
        if name.lower().startswith(MEANS) and looks_numeric(row.get(name) for row in samples)
    )
    plain = tuple((name, legible(name), "") for name in score_columns(fields, asked.source, asked.criteria, samples))
    return layout(fields, asked.source, averages or plain)


def _decimals(value: Any) -> int:
    """How many decimals a mean is printed with, which is how exactly it can be compared."""
    _, _, behind = text_of(value).strip().lower().partition("e")[0].partition(".")
    return min(len(behind), FINEST)
