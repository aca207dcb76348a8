"""Test whether any of several conditions differs, over the items scored under all of them, before pairs are tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from readback.scores.comparing.compare import list_criteria, list_judges, list_sides
from readback.scores.comparing.comparison import Omnibus
from readback.scores.comparing.difference import EXACT
from readback.scores.comparing.paired_items import PairedItems, get_scored_items, pair_items
from readback.scores.table import ConditionKey, ScoreTable

MOST = 30  # conditions a test takes together
FEWEST = 5  # items, or clusters


@lru_cache(maxsize=16)
def run_omnibus_tests(
    table: ScoreTable, by: str | None = None, criterion: str | None = None, judge: str | None = None
) -> tuple[Omnibus, ...]:
    """Run Friedman's test for each criterion and judge with three conditions or more; Cochran's Q for a binary one.

    Only items scored under every condition count; `left_out` says how many others there are. Where every one of them
    carries a cluster, Friedman's test ranks the means of clusters: items of a cluster are not independent. No test is
    made for names (a nominal scale), or of fewer than 5 items or clusters. A reference answer, which the table sets
    apart, is not among the conditions.
    """
    return tuple(_run_tests(table, by, list_criteria(table, criterion), judge))


def _run_tests(table: ScoreTable, by: str | None, names: tuple[str, ...], wanted: str | None) -> Iterator[Omnibus]:
    for name in names:
        sides = tuple(side for side in list_sides(table, by, name) if side not in table.apart)
        if not 3 <= len(sides) <= MOST or table.criteria[name].scale == "nominal":
            continue
        judges: dict[str, list[ConditionKey]] = {}
        for side in sides:
            for judge in list_judges(table, side, name):
                judges.setdefault(judge, []).append(side)
        for judge, judged_sides in judges.items():
            if wanted in (None, judge) and len(judged_sides) >= 3:
                yield from _run_test(table, judged_sides, name, judge)


def _run_test(table: ScoreTable, sides: Sequence[ConditionKey], name: str, judge: str) -> Iterator[Omnibus]:
    from readback.stats import multiple_tests

    columns = [get_scored_items(table, side, name, judge) for side in sides]
    shared, matrix = _select_complete(columns)
    codes = _find_clusters(pair_items(table, sides[0], sides[1], name, judge), shared)
    if codes is not None:
        matrix = _average_clusters(matrix, codes)
    if len(matrix) < FEWEST:
        return
    test, compute_p = "Friedman", multiple_tests.friedman
    if table.criteria[name].scale == "binary" and bool(((matrix == 0) | (matrix == 1)).all()):
        test, compute_p = "Cochran's Q", multiple_tests.cochran_q
    scored: set[str] = set()
    for items, _ in columns:
        scored.update(items)
    clusters = None if codes is None else len(matrix)
    left_out = len(scored) - len(shared)
    yield Omnibus(name, judge, len(sides), len(shared), test, compute_p(matrix), left_out, clusters)


def _select_complete(columns: Sequence[tuple[tuple[str, ...], Any]]) -> tuple[list[str], Any]:
    """Return the items that have a score under every condition, and their scores, items by conditions."""
    import numpy as np

    if all(items == columns[0][0] for items, _ in columns):  # as in most studies, and much faster
        return list(columns[0][0]), np.round(np.stack([values for _, values in columns], 1), EXACT)
    by_item = [dict(zip(items, values.tolist(), strict=True)) for items, values in columns]
    shared = [item for item in by_item[0] if all(item in scores for scores in by_item)]
    rows = [[scores[item] for scores in by_item] for item in shared]
    matrix = np.array(rows, np.float64).reshape(len(shared), len(by_item))
    return shared, np.round(matrix, EXACT)  # means of the same scores differ by rounding alone


def _find_clusters(pair: PairedItems, shared: Sequence[str]) -> Any:
    """Return the cluster codes of the items; None where they carry none, or each its own."""
    import numpy as np

    if pair.clusters is None or not shared:
        return None
    cluster_of = dict(zip(pair.items, pair.clusters.tolist(), strict=True))
    codes = np.unique([cluster_of[item] for item in shared], return_inverse=True)[1].ravel()
    if len(np.unique(codes)) == len(codes):
        return None
    return codes


def _average_clusters(matrix: Any, codes: Any) -> Any:
    import numpy as np

    sizes = np.bincount(codes)
    return np.round(np.stack([np.bincount(codes, column) / sizes for column in matrix.T], 1), EXACT)
