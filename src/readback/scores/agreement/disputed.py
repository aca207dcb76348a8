"""The answers that judges part over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readback.scores.agreement.ratings import Ratings
from readback.scores.table import NONE, ConditionKey, ScoreTable

MOST = 20


@dataclass(frozen=True, slots=True)
class Disputed:
    """One answer and what each judge gave it."""

    item: str
    condition: ConditionKey
    run: str | None
    values: tuple[tuple[str, float], ...]
    spread: float  # highest − lowest; for names instead of amounts the share of pairs that differ
    variance: float


def disagreed(found: Ratings) -> int:
    """On how many units not all gave the same value."""
    low, high = _ends(found)
    return int((high > low).sum())


def disputed(table: ScoreTable, found: Ratings, names_only: bool) -> Iterator[Disputed]:
    """The units with the widest spread, then variance, then the order of the files."""
    import numpy as np

    low, high = _ends(found)
    many = np.bincount(found.unit).astype(np.float64)
    mean = np.bincount(found.unit, found.value) / many
    squares = np.bincount(found.unit, (found.value - mean[found.unit]) ** 2)
    variance = squares / np.maximum(many - 1, 1)
    spread = high - low
    if names_only:
        kinds, times = np.unique(np.stack([found.unit, found.value]), axis=1, return_counts=True)
        same = np.bincount(kinds[0].astype(np.int64), times.astype(np.float64) ** 2)
        spread, variance = (many**2 - same) / np.maximum(many * (many - 1), 1), np.zeros(len(many))
    c = table.columns
    for unit in np.lexsort((-variance, -spread))[:MOST].tolist():
        if spread[unit] > 0:
            here = np.flatnonzero(found.unit == unit).tolist()
            run = int(found.run[unit])
            yield Disputed(
                c.items[found.item[unit]], c.conditions[found.condition[unit]], None if run == NONE else c.runs[run],
                tuple((found.judges[found.judge[at]], float(found.value[at])) for at in here),
                float(spread[unit]), float(variance[unit]),
            )  # fmt: skip


def _ends(found: Ratings) -> tuple[Any, Any]:
    """The lowest and the highest value of each unit."""
    import numpy as np

    low, high = np.full(len(found.item), np.inf), np.full(len(found.item), -np.inf)
    np.minimum.at(low, found.unit, found.value)
    np.maximum.at(high, found.unit, found.value)
    return low, high
