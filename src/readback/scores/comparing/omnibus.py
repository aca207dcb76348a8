"""Does any of several conditions differ? One test over the items scored under all of them, before pairs are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from readback.scores.comparing.compare import criteria_of, judges_of, sides_of
from readback.scores.comparing.comparison import Omnibus
from readback.scores.comparing.paired_items import scored_items
from readback.scores.table import ScoreTable

MOST = 30  # conditions a test takes together
FEWEST = 5  # items


@lru_cache(maxsize=16)
def omnibus(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> tuple[Omnibus, ...]:
    """Friedman's test for each criterion and judge with three conditions or more; Cochran's Q for a binary one.

    Only items scored under every condition count. None is made for names (a nominal scale).
    """
    return tuple(_tests(table, by, criteria_of(table, criterion), judge))


def _tests(table: ScoreTable, by: str | None, names: tuple[str, ...], wanted: str | None) -> Iterator[Omnibus]:
    from readback.statistics import several

    for name in names:
        sides = sides_of(table, by, name)
        if not 3 <= len(sides) <= MOST or table.criteria[name].scale == "nominal":
            continue
        told = dict.fromkeys(judge for side in sides for judge in judges_of(table, side, name))
        for judge in (one for one in told if wanted in (None, one)):
            here = [side for side in sides if judge in judges_of(table, side, name)]
            matrix = _complete([scored_items(table, side, name, judge) for side in here])
            if len(here) < 3 or matrix is None or len(matrix) < FEWEST:
                continue
            rates = table.criteria[name].scale == "binary" and bool(((matrix == 0) | (matrix == 1)).all())
            test, p = ("Cochran's Q", several.cochran_q) if rates else ("Friedman", several.friedman)
            yield Omnibus(name, judge, len(here), len(matrix), test, p(matrix))


def _complete(columns: list[tuple[tuple[str, ...], Any]]) -> Any:
    """Items by conditions, for the items that have a score under every one."""
    import numpy as np

    by = [dict(zip(items, values.tolist(), strict=True)) for items, values in columns]
    if not by:
        return None
    shared = [item for item in by[0] if all(item in one for one in by)]
    return np.array([[one[item] for one in by] for item in shared], np.float64) if shared else None
