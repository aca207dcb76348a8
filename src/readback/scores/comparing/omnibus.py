"""Does any of several conditions differ? One test over the items scored under all of them, before pairs are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from readback.scores.comparing.compare import criteria_of, judges_of, sides_of
from readback.scores.comparing.comparison import Omnibus
from readback.scores.comparing.difference import EXACT
from readback.scores.comparing.paired_items import PairedItems, items, scored_items
from readback.scores.table import ScoreTable

MOST = 30  # conditions a test takes together
FEWEST = 5  # items, or clusters


@lru_cache(maxsize=16)
def omnibus(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> tuple[Omnibus, ...]:
    """Friedman's test for each criterion and judge with three conditions or more; Cochran's Q for a binary one.

    Only items scored under every condition count; `left_out` says how many others there are. Where every one of them
    carries a cluster, Friedman's test ranks the means of clusters: items of a cluster are not independent. None is
    made for names (a nominal scale), or of fewer than 5 items or clusters. A reference
    answer, which the table sets apart, is none of the conditions.
    """
    return tuple(_tests(table, by, criteria_of(table, criterion), judge))


def _tests(table: ScoreTable, by: str | None, names: tuple[str, ...], wanted: str | None) -> Iterator[Omnibus]:
    from readback.stats import multiple_tests

    for name in names:
        sides = tuple(side for side in sides_of(table, by, name) if side not in table.apart)
        if not 3 <= len(sides) <= MOST or table.criteria[name].scale == "nominal":
            continue
        told = dict.fromkeys(judge for side in sides for judge in judges_of(table, side, name))
        for judge in (one for one in told if wanted in (None, one)):
            here = [side for side in sides if judge in judges_of(table, side, name)]
            if len(here) < 3:
                continue
            columns = [scored_items(table, side, name, judge) for side in here]
            shared, matrix = _complete(columns)
            codes = _clusters(items(table, here[0], here[1], name, judge), shared)
            if codes is not None:
                matrix = _means(matrix, codes)
            if len(matrix) < FEWEST:
                continue
            rates = table.criteria[name].scale == "binary" and bool(((matrix == 0) | (matrix == 1)).all())
            test, p = ("Cochran's Q", multiple_tests.cochran_q) if rates else ("Friedman", multiple_tests.friedman)
            left = len({item for found, _ in columns for item in found}) - len(shared)
            clusters = None if codes is None else len(matrix)
            yield Omnibus(name, judge, len(here), len(shared), test, p(matrix), left, clusters)


def _complete(columns: Sequence[tuple[tuple[str, ...], Any]]) -> tuple[list[str], Any]:
    """The items that have a score under every condition, and their scores, items by conditions."""
    import numpy as np

    if all(found == columns[0][0] for found, _ in columns):  # as in most studies, and much faster
        return list(columns[0][0]), np.round(np.stack([values for _, values in columns], 1), EXACT)
    by = [dict(zip(found, values.tolist(), strict=True)) for found, values in columns]
    shared = [item for item in by[0] if all(item in one for one in by)]
    matrix = np.array([[one[item] for one in by] for item in shared], np.float64).reshape(len(shared), len(by))
    return shared, np.round(matrix, EXACT)  # means of the same scores differ by rounding alone


def _clusters(pair: PairedItems, shared: Sequence[str]) -> Any:
    """The cluster codes of the items; None where they carry none, or each its own."""
    import numpy as np

    if pair.clusters is None or not shared:
        return None
    known = dict(zip(pair.items, pair.clusters.tolist(), strict=True))
    codes = np.unique([known[item] for item in shared], return_inverse=True)[1].ravel()
    return None if len(np.unique(codes)) == len(codes) else codes


def _means(matrix: Any, codes: Any) -> Any:
    import numpy as np

    sizes = np.bincount(codes)
    return np.round(np.stack([np.bincount(codes, column) / sizes for column in matrix.T], 1), EXACT)
