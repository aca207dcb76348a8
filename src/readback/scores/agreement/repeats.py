"""Measure how often a judge who scores one answer again gives another score, and how much of the spread that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from readback.scores.agreement.ratings import find_scored_cells, number_answers
from readback.scores.table import ScoreTable


@dataclass(frozen=True, slots=True)
class Flips:
    """Hold one judge's repeats: `answers` with two scores or more, `scores` in all, `flipped` answers whose scores
    differ.

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


def measure_flips(table: ScoreTable, criterion: str) -> tuple[Flips, ...]:
    """Return the repeats of each judge who has any, in the order of the files.

    Variances of the one-way analysis: MS_within, and (MS_between − MS_within)/n0 cut at 0, n0 = (N − Σm²/N)/(G − 1)
    (Searle, Casella, McCulloch 1992, Variance Components, 3.6). The files do not say whether a run judges the same
    text again or a new answer to the same prompt.
    """
    import numpy as np

    columns = table.columns
    cells = find_scored_cells(columns, criterion)
    judge = np.asarray(columns.judge)[cells]
    answer = number_answers(columns, cells)
    value = np.asarray(columns.value)[cells]
    amounts = table.criteria[criterion].scale != "nominal"
    flips: list[Flips] = []
    for code in np.unique(judge).tolist():
        by_judge = judge == code
        _, group, sizes = np.unique(answer[by_judge], return_inverse=True, return_counts=True)
        repeated = sizes[group.ravel()] > 1
        if repeated.any():
            flips.append(
                _count_flips(columns.judges[code], group.ravel()[repeated], value[by_judge][repeated], amounts)
            )
    return tuple(flips)


def _count_flips(judge: str, group: Any, value: Any, amounts: bool) -> Flips:
    """Count the flips of one judge; `group` numbers the answer of each value."""
    import numpy as np

    _, group, sizes = np.unique(group, return_inverse=True, return_counts=True)
    values, code = np.unique(value, return_inverse=True)
    group_and_value, occurrences = np.unique(group.astype(np.int64) * len(values) + code.ravel(), return_counts=True)
    same = np.bincount(group_and_value // len(values), occurrences.astype(np.float64) ** 2, len(sizes))
    differ = (sizes.astype(np.float64) ** 2 - same) / (sizes * (sizes - 1))
    if amounts and len(sizes) > 1:
        within, between = _split_variance(group, value, sizes)
    else:
        within, between = (None, None)
    return Flips(judge, len(sizes), len(value), int((differ > 0).sum()), float(differ.mean()), within, between)


def _split_variance(group: Any, value: Any, sizes: Any) -> tuple[float, float]:
    """Return the variance within groups, and that between groups without it."""
    import numpy as np

    groups, n = len(sizes), len(value)
    means = np.bincount(group, value) / sizes
    within = float(((value - means[group]) ** 2).sum()) / (n - groups)
    between = float(sizes @ (means - value.mean()) ** 2) / (groups - 1)
    mean_size = (n - float((sizes**2).sum()) / n) / (groups - 1)
    return within, max(0.0, (between - within) / mean_size)
