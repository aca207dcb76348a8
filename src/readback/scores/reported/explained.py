"""Which habit of the program that wrote a mean gives that mean, where the rows give another one.

The beyond-the-cutoff evaluation program counts true as 1 and false as 0, drops numbers written as text, takes values
off the scale as they are, divides the passes by all rows, and lets one NaN spoil a mean; the judge of GRAG-LiveRAG
writes its failures as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from readback.quantity import quantity
from readback.scores.files.cells import NOT_A_NUMBER, SAYS, WRITTEN
from readback.scores.reported.beside_rows import share, tolerance
from readback.scores.table import FAILED, MISSING, SCORED, Reported, ScoreTable

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

OFF_SCALE = "not on the scale: "
TRUTHS = {f"{NOT_A_NUMBER}true": 1.0, f"{NOT_A_NUMBER}false": 0.0}
UNEXPLAINED = "nothing in the rows explains the difference"
ALL = "all of its rows, those without a value as 0"


@dataclass(slots=True)
class _Cells:
    """The cells of one condition, criterion and judge: what counts, and what another program counts beside it."""

    values: list[float] = field(default_factory=list)
    texts: list[float] = field(default_factory=list)  # those of `values` that are written as text
    truths: list[float] = field(default_factory=list)
    off: list[float] = field(default_factory=list)
    lost: int = 0  # failed or missing cells with a row
    spoiled: int = 0  # cells that say NaN


def because(table: ScoreTable, row: Row, means: Reported) -> str:
    """What explains the difference, as the end of a sentence."""
    cells = _cells(table, row)
    if means.state == FAILED:
        return (
            f"{cells.spoiled} of its rows hold NaN, which spoils the mean of the program"
            if cells.spoiled
            else UNEXPLAINED
        )
    for what, values in _readings(cells):
        if values and abs(math.fsum(values) / len(values) - share(means)) <= tolerance(means):
            return f"the stated one comes out when a program counts {what}"
    return UNEXPLAINED


def scored(table: ScoreTable, row: Row) -> Sequence[float]:
    """The scored values of one row's cells."""
    return _cells(table, row).values


def _readings(cells: _Cells) -> Iterator[tuple[str, list[float]]]:
    truths = (f"true as 1 and false as 0 ({quantity(len(cells.truths), 'row')})", cells.values + cells.truths)
    off = (f"values off the scale ({quantity(len(cells.off), 'row')})", cells.values + cells.off)
    numbers = (
        f"no number that is written as text ({quantity(len(cells.texts), 'row')})",
        _without(cells.values, cells.texts),
    )
    zeros = (ALL, cells.values + [0.0] * (cells.lost + len(cells.truths) + len(cells.off)))
    there = [reading for reading, cause in ((truths, cells.truths), (off, cells.off), (numbers, cells.texts)) if cause]
    yield from there
    if len(there) > 1:
        named = ", ".join(what for what, _ in there)
        yield named, _without(cells.values, cells.texts) + cells.truths + cells.off
    if cells.lost or cells.truths or cells.off:
        yield zeros


def _cells(table: ScoreTable, row: Row) -> _Cells:
    import numpy as np

    c = table.columns
    of_it = np.asarray(c.condition) == c.conditions.index(row.condition)
    of_it &= np.asarray(c.criterion) == c.criteria.index(row.criterion)
    of_it &= np.asarray(c.judge) == c.judges.index(row.judge)
    found = _Cells()
    for at in np.flatnonzero(of_it).tolist():
        why = c.whys.get(at, "")
        if c.state[at] == SCORED:
            found.values.append(c.value[at])
            if why == WRITTEN:
                found.texts.append(c.value[at])
        elif why in TRUTHS:
            found.truths.append(TRUTHS[why])
        elif why.startswith(OFF_SCALE):
            found.off.append(float(why.removeprefix(OFF_SCALE)))
        elif c.state[at] in (FAILED, MISSING):
            found.lost += 1
            found.spoiled += why.lower() == f"{SAYS}nan"
    return found


def _without(values: Sequence[float], some: Sequence[float]) -> list[float]:
    left = list(values)
    for value in some:
        left.remove(value)
    return left
