"""Conditions that were scored on different records: what a comparison leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback.scores.comparing.comparability import ROWS
from readback.scores.comparing.compare import find_side
from readback.scores.comparing.sides import count_states
from readback.scores.table import NOT_APPLICABLE, ConditionKey, ScoreTable
from readback.types import Diagnostic

LEFT_OUT = 0.05  # share of the records of two conditions that only one has
LARGEST = 20_000_000  # cells of conditions × items


def diagnostics(table: ScoreTable) -> Iterator[Diagnostic]:
    """The pair that shares the least, once for each criterion: of the planned pairs, where some are planned."""
    c = table.columns
    for criterion in c.criteria:
        found = [one for judge in c.judges if (one := _least(table, criterion, judge))]
        if not found:
            continue
        a, b, judge, shared, of_a, of_b = min(found, key=lambda one: one[3] / (one[4] + one[5] - one[3]))
        values = {
            "criterion": criterion, "judge": judge, "a": table.label(a), "b": table.label(b), "part": [], "pairs": 1,
            "differs": f"n {of_a} / {of_b}, {shared} shared",
        }  # fmt: skip
        if shared or not table.planned:  # a planned pair that shares nothing is refused, and said so there
            among = (table.label(a), table.label(b))
            yield Diagnostic(ROWS, values, flagged=criterion, severity="info" if shared else None, among=among)


def _least(
    table: ScoreTable, criterion: str, judge: str
) -> tuple[ConditionKey, ConditionKey, str, int, int, int] | None:
    import numpy as np

    c = table.columns
    code, by = c.criteria.index(criterion), c.judges.index(judge)
    keys = [c.conditions[at] for one, other, at in count_states(table) if (one, other) == (code, by)]
    if len(keys) < 2 or len(c.conditions) * len(c.items) > LARGEST:
        return None
    there = np.zeros((len(c.conditions), len(c.items)), np.float32)
    cells = (np.asarray(c.criterion) == code) & (np.asarray(c.judge) == by)
    cells &= np.frombuffer(c.state, np.uint8) != NOT_APPLICABLE
    there[np.asarray(c.condition)[cells], np.asarray(c.item)[cells]] = 1
    there = there[[c.conditions.index(key) for key in keys]]
    sizes = there.sum(1)
    shared = there @ there.T
    union = sizes[:, None] + sizes[None, :] - shared
    wanted = _wanted(table, keys) & (sizes[:, None] > 0) & (sizes[None, :] > 0)
    ratio = np.where(wanted, shared / np.maximum(union, 1), 1.0)
    row, column = divmod(int(ratio.argmin()), len(keys))
    if ratio[row, column] >= 1 - LEFT_OUT:
        return None
    numbers = (int(value) for value in (shared[row, column], sizes[row], sizes[column]))
    return keys[row], keys[column], judge, *numbers  # type: ignore[return-value]


def _wanted(table: ScoreTable, keys: list[ConditionKey]) -> Any:
    """Which pairs are looked at: the planned ones, else all."""
    import numpy as np

    if not table.planned:
        return ~np.eye(len(keys), dtype=bool)
    at = {key: row for row, key in enumerate(keys)}
    wanted = np.zeros((len(keys), len(keys)), bool)
    for one in table.planned:
        a, b = find_side(table, one.a), find_side(table, one.b)
        if a in at and b in at and a != b:
            wanted[at[a], at[b]] = True
    return wanted
