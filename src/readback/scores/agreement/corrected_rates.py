"""Correct the share of answers that a judge passes by the answers that a person labelled too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from readback.scores.agreement.ratings import Ratings, build_grid, is_person
from readback.scores.table import ConditionKey, ScoreTable

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """Hold one judge's rate against one person, over all conditions (`condition` None) or in one.

    The judge passes the share `pass_rate` of `n` answers. Of `positives` that the person passes it passes the share
    `sensitivity`, of `negatives` it fails the share `specificity`, over all conditions. `rate` is None where one of the
    two kinds was never labelled, or the judge tells them apart no better than chance.
    """

    judge: str
    person: str
    condition: ConditionKey | None
    n: int
    pass_rate: float
    positives: int
    negatives: int
    sensitivity: float | None = None
    specificity: float | None = None
    rate: float | None = None
    interval: Span | None = None


def correct_rates(table: ScoreTable, ratings: Ratings, person: str | None = None) -> tuple[CorrectedRate, ...]:
    """Return the rates of every judge that is no person, corrected by the labels of `person`.

    By default of the person who gave most labels; empty where no person labelled anything.
    """
    import numpy as np

    ratings_of_judge = np.bincount(ratings.judge, minlength=len(ratings.judges)).tolist()
    people = [judge for judge in ratings.judges if is_person(judge, table.people)]
    if not person:
        person = max(people, key=lambda judge: ratings_of_judge[ratings.judges.index(judge)], default=None)
    if person is None:
        return ()
    rates: list[CorrectedRate] = []
    for judge in ratings.judges:
        if judge != person and judge not in people:
            rates.extend(_correct_judge(table, ratings, judge, person))
    return tuple(rates)


def _correct_judge(table: ScoreTable, ratings: Ratings, judge: str, person: str) -> Iterator[CorrectedRate]:
    import numpy as np

    grid = build_grid(ratings, [ratings.judges.index(judge), ratings.judges.index(person)])
    judged = np.isfinite(grid[:, 0])
    labelled = grid[judged & np.isfinite(grid[:, 1])]
    if not len(labelled):
        return
    yes, no = labelled[labelled[:, 1] == 1, 0], labelled[labelled[:, 1] == 0, 0]
    sample = (float((yes == 1).sum()), len(yes), float((no == 0).sum()), len(no))
    yield _correct_rate(judge, person, None, grid[judged, 0], sample)
    codes = np.unique(ratings.condition[judged]).tolist()
    if len(codes) < 2:
        return
    for code in codes:
        in_condition = judged & (ratings.condition == code)
        yield _correct_rate(judge, person, table.columns.conditions[code], grid[in_condition, 0], sample)


def _correct_rate(
    judge: str, person: str, condition: ConditionKey | None, values: Any, sample: tuple[float, int, float, int]
) -> CorrectedRate:
    """Correct the rate of these values by a labelled sample: true passes, positives, true fails, negatives."""
    from readback.stats.judge_error import rogan_gladen

    true_passes, positives, true_fails, negatives = sample
    n, passed = len(values), float((values == 1).sum())
    uncorrected = CorrectedRate(judge, person, condition, n, passed / n, positives, negatives)
    if not positives or not negatives:
        return uncorrected
    estimate = rogan_gladen(passed, n, true_passes, positives, true_fails, negatives)
    return replace(
        uncorrected,
        sensitivity=estimate.sensitivity,
        specificity=estimate.specificity,
        rate=estimate.rate,
        interval=(estimate.interval.low, estimate.interval.high) if estimate.interval else None,
    )
