"""When one judge scores one answer again: how often the score flips, and how much of its spread is the judge's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readback.scores.agreement.ratings import scored_cells
from readback.scores.table import ScoreTable


@dataclass(frozen=True, slots=True)
class Flips:
    """One judge's repeats: `answers` with two scores or more, `scores` in all, `flipped` answers whose scores differ.

    `rate` is the chance that two scores of one answer differ. `judge_variance` is the spread within an answer,
    `answer_variance` that between answers without it; None for names instead of amounts, or fewer than 2 answers.
    """

    judge: str
    answers: int
    scores: int
    flipped: int
    rate: float
    judge_variance: float | None
    answer_variance: float | None


def flips(table: ScoreTable, criterion: str) -> tuple[Flips, ...]:
    """For each judge with repeats, in the order of the files; empty where no answer was scored twice.

    Variances of the one-way analysis: MS_within, and (MS_between − MS_within)/n0 cut at 0, n0 = (N − Σm²/N)/(G − 1)
    (Searle, Casella, McCulloch 1992, Variance Components, 3.6). Whether a run judges the same text again or a new
    answer to the same prompt the files do not say.
    """
    return tuple(_flips(table, criterion))


def _flips(table: ScoreTable, criterion: str) -> Iterator[Flips]:
    import numpy as np

    c = table.columns
    cells = scored_cells(c, criterion)
    judge = np.asarray(c.judge)[cells]
    answer = np.asarray(c.item)[cells].astype(np.int64) * max(len(c.conditions), 1) + np.asarray(c.condition)[cells]
    value = np.asarray(c.value)[cells]
    amounts = table.criteria[criterion].scale != "nominal"
    for code in np.unique(judge).tolist():
        here = judge == code
        _, group, many = np.unique(answer[here], return_inverse=True, return_counts=True)
        again = many[group.ravel()] > 1
        if again.any():
            yield _of_judge(c.judges[code], group.ravel()[again], value[here][again], amounts)


def _of_judge(judge: str, group: Any, value: Any, amounts: bool) -> Flips:
    import numpy as np

    _, group, many = np.unique(group, return_inverse=True, return_counts=True)
    values, code = np.unique(value, return_inverse=True)
    kinds, times = np.unique(group.astype(np.int64) * len(values) + code.ravel(), return_counts=True)
    same = np.bincount(kinds // len(values), times.astype(np.float64) ** 2, len(many))
    differ = (many.astype(np.float64) ** 2 - same) / (many * (many - 1))
    within, between = _variances(group, value, many) if amounts and len(many) > 1 else (None, None)
    return Flips(judge, len(many), len(value), int((differ > 0).sum()), float(differ.mean()), within, between)


def _variances(group: Any, value: Any, many: Any) -> tuple[float, float]:
    import numpy as np

    groups, n = len(many), len(value)
    means = np.bincount(group, value) / many
    within = float(((value - means[group]) ** 2).sum()) / (n - groups)
    between = float(many @ (means - value.mean()) ** 2) / (groups - 1)
    size = (n - float((many**2).sum()) / n) / (groups - 1)
    return within, max(0.0, (between - within) / size)
