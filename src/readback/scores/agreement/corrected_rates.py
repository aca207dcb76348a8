"""What share would people have passed? A judge's rate, corrected by the answers that a person labelled too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readback.scores.agreement.ratings import Ratings, grid, is_person
from readback.scores.table import ConditionKey, ScoreTable

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """One judge against one person, over all conditions (`condition` None) or in one.

    The judge passes `seen` of `n` answers. Of `positives` that the person passes it passes the share `sensitivity`, of
    `negatives` it fails the share `specificity`, over all conditions. `rate` is None where one of the two kinds was
    never labelled, or the judge tells them apart no better than chance.
    """

    judge: str
    person: str
    condition: ConditionKey | None
    n: int
    seen: float
    positives: int
    negatives: int
    sensitivity: float | None = None
    specificity: float | None = None
    rate: float | None = None
    interval: Span | None = None


def corrected_rates(table: ScoreTable, found: Ratings, person: str | None = None) -> tuple[CorrectedRate, ...]:
    """Every judge that is no person, by the labels of `person` or of the person who gave most; none without people."""
    import numpy as np

    often = np.bincount(found.judge, minlength=len(found.judges)).tolist()
    people = [judge for judge in found.judges if is_person(judge, table.people)]
    chosen = person or max(people, key=lambda judge: often[found.judges.index(judge)], default=None)
    if chosen is None:
        return ()
    judges = [judge for judge in found.judges if judge != chosen and not is_person(judge, table.people)]
    return tuple(one for judge in judges for one in _of(table, found, judge, chosen))


def _of(table: ScoreTable, found: Ratings, judge: str, person: str) -> Iterator[CorrectedRate]:
    import numpy as np

    rated = grid(found, [found.judges.index(judge), found.judges.index(person)])
    judged = np.isfinite(rated[:, 0])
    labelled = rated[judged & np.isfinite(rated[:, 1])]
    if not len(labelled):
        return
    yes, no = labelled[labelled[:, 1] == 1, 0], labelled[labelled[:, 1] == 0, 0]
    sample = (float((yes == 1).sum()), len(yes), float((no == 0).sum()), len(no))
    yield _one(judge, person, None, rated[judged, 0], sample)
    codes = np.unique(found.condition[judged]).tolist()
    for code in codes if len(codes) > 1 else ():
        here = judged & (found.condition == code)
        yield _one(judge, person, table.columns.conditions[code], rated[here, 0], sample)


def _one(
    judge: str, person: str, condition: ConditionKey | None, values: Any, sample: tuple[float, int, float, int]
) -> CorrectedRate:
    from readback.stats.judge_error import rogan_gladen

    found, positives, cleared, negatives = sample
    n, passed = len(values), float((values == 1).sum())
    begun = CorrectedRate(judge, person, condition, n, passed / n, positives, negatives)
    if not positives or not negatives:
        return begun
    made = rogan_gladen(passed, n, found, positives, cleared, negatives)
    return CorrectedRate(
        judge, person, condition, n, passed / n, positives, negatives, made.sensitivity, made.specificity, made.rate,
        (made.interval.low, made.interval.high) if made.interval else None,
    )  # fmt: skip
