"""Rows of a score file into cells, by a layout: what tidy and wide files have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from readback.files.bounded_notes import BoundedNotes
from readback.results._cells import Cell, cell, failure_note, legible, stem, text_of, with_status
from readback.results._intake import Intake, columns, make_conditions, overflow
from readback.results._layout import ITEM, Layout, fields_of
from readback.scores.table import FAILED, Columns, Reported, SourceRead
from readback.types import Criterion, Note, Place, ScoreSource


class Row(Protocol):
    """What the row reader gives: fields by name and where they stand."""

    @property
    def fields(self) -> Mapping[str, Any]: ...
    @property
    def line(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Read:
    """What came of one file: columns, or means only (`reported`), with notes and an account of it."""

    columns: Columns | None
    source: SourceRead
    notes: tuple[Note, ...] = ()
    reported: tuple[Reported, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """How one file is to be read: what the workspace says of it and what is known by name."""

    source: ScoreSource
    criteria: Mapping[str, Criterion]  # declared over known
    aliases: Mapping[str, str]  # condition alias -> name
    modes: Mapping[str, str]  # condition name -> mode
    judge: str = ""  # the judge's name where the file does not say


LayoutOf = Callable[[Sequence[str], Asked, Sequence[Mapping[str, Any]]], Layout]


def read_rows(what: str, rows: Iterable[Row | Note], head: Sequence[Row], asked: Asked, layout_of: LayoutOf) -> Read:
    """Every row of `rows` as cells; `head` is what its layout is worked out from, and is part of `rows`."""
    source = asked.source
    samples = [row.fields for row in head]
    plan = layout_of(fields_of(samples), asked, samples)
    intake = Intake(source.path)
    for name in plan.candidates:
        intake.candidate(name)
    notes = BoundedNotes()
    left_out: dict[str, int] = {}
    used = 0
    synthetic = source.synthetic
    known = set(fields_of(samples))
    for row in rows:
        if isinstance(row, Note):
            notes.add(row)
            continue
        fields = row.fields
        if not known.issuperset(fields):
            plan = _widened(plan, layout_of([*known, *(f for f in fields if f not in known)], asked, [fields]), intake)
            known.update(fields)
        if plan.aggregated and str(fields.get(plan.aggregated)).strip().lower() == "true":
            left_out["rows of means"] = left_out.get("rows of means", 0) + 1
            continue
        used += 1
        synthetic = synthetic or str(fields.get("source", "")).lower().startswith("synthetic")
        _take(row, plan, asked, intake)
    if intake.texts_left:
        left_out["judge's notes left in the file"] = intake.texts_left
    if not plan.item and used:
        notes.add(Note("dat-missing-id", {"field": ", ".join(ITEM), "called": "line_{n}"}, Place(file=source.path)))
    conditions, kept = make_conditions(intake, source, stem(source.path))
    conditions = tuple(_named(condition, asked.aliases) for condition in conditions)
    account = SourceRead(
        path=source.path,
        what=what,
        rows=used,
        cells=len(intake.value),
        columns={
            "item": _legible(plan.item),
            "condition": _legible(kept),
            "judge": _legible((plan.judge,) if plan.judge else ()),
            "score": _legible(column for column, _, _ in plan.scores),
            "unused": _legible((*plan.unused, *(name for name in intake.candidates if name not in kept))),
        },
        left_out=left_out,
        synthetic=synthetic,
    )
    return Read(columns(intake, conditions), account, (*notes.kept, *overflow(notes, source.path)))


def _take(row: Row, plan: Layout, asked: Asked, intake: Intake) -> None:
    """One row's cells."""
    fields = row.fields
    item = " | ".join(text_of(fields.get(name)) for name in plan.item) if plan.item else f"line_{row.line}"
    combo = intake.combo_code([text_of(fields.get(name)) for name in intake.candidates])
    cells: list[Cell] = [cell(fields.get(column)) for column, _, _ in plan.scores]
    if plan.status:
        cells = [with_status(found, fields.get(plan.status)) for found in cells]
    notes = [text for name in plan.notes if (text := text_of(fields.get(name)))]
    if notes and (begun := failure_note(notes, cells)):
        cells = [(math.nan, FAILED, f"the judge failed: {begun}")] * len(cells)
    judged_by = (text_of(fields.get(plan.judge)) if plan.judge else "") or asked.judge
    said = text_of(fields.get(plan.criterion)) if plan.criterion else ""
    runs = [text for name in (plan.run, plan.replicate) if name and (text := text_of(fields.get(name)))]
    code = intake.items.code(item)
    for (_, criterion, judge), found in zip(plan.scores, cells, strict=True):
        intake.add(
            code,
            combo,
            criterion or said or "score",
            judge or judged_by,
            found,
            note=notes[0] if notes else "",
            cluster=text_of(fields.get(plan.cluster)) if plan.cluster else "",
            run="/".join(runs),
            line=row.line,
        )


def _widened(plan: Layout, newer: Layout, intake: Intake) -> Layout:
    """The layout with the columns that a later row brings; roles that are taken stay as they are."""
    have = {*plan.item, *(column for column, _, _ in plan.scores), *plan.notes, *plan.candidates, *plan.unused}
    for name in newer.candidates:
        if name not in have:
            intake.candidate(name)
    return replace(
        plan,
        item=plan.item or newer.item,
        scores=(*plan.scores, *(entry for entry in newer.scores if entry[0] not in have)),
        judge=plan.judge or newer.judge,
        criterion=plan.criterion or newer.criterion,
        notes=(*plan.notes, *(name for name in newer.notes if name not in have)),
        status=plan.status or newer.status,
        run=plan.run or newer.run,
        replicate=plan.replicate or newer.replicate,
        cluster=plan.cluster or newer.cluster,
        candidates=(*plan.candidates, *(name for name in newer.candidates if name not in have)),
        unused=(*plan.unused, *(name for name in newer.unused if name not in have)),
    )


def _legible(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(legible(name) for name in names)


def _named(condition: tuple[tuple[str, str], ...], aliases: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A condition the workspace knows by another name gets that name."""
    return tuple((f, aliases.get(v, v)) if f == "condition" else (f, v) for f, v in condition)
