"""Tests, corrections and agreement: the tables of docs/statistics.md about them, made by statistics_coverage.py."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from readback.stats import agreement, correlation, equivalence, fisher, judge_error, multiple_tests, paired, two_groups

SEED = 20261123
LEAST = 4_000
VALUES, SHARES = np.array([-1.0, 0, 1, 2]), np.array([661, 176, 1830, 6922]) / 9589  # LiveRAG relevance


def claims(trials: int) -> Iterator[str]:
    """Of what is not there: how often each test says that it is."""
    trials = max(LEAST, trials // 2)
    yield from (
        "| test, of relevance scores that do not differ | n = 10 | n = 20 | n = 50 | n = 200 |",
        "|---|---|---|---|---|",
    )
    for name, one in NULLS.items():
        rng = np.random.default_rng(SEED)
        found = [sum(one(rng, n) for _ in range(trials)) / trials for n in (10, 20, 50, 200)]
        yield f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in found)} |"


def _grades(rng: Any, *shape: int) -> Any:
    return rng.choice(VALUES, shape, p=SHARES)


def _wilcoxon(rng: Any, n: int) -> bool:
    p = paired.wilcoxon(_grades(rng, n) - _grades(rng, n))
    return p is not None and p <= 0.05


def _mcnemar(rng: Any, n: int) -> bool:
    a, b = rng.random(n) < 0.7, rng.random(n) < 0.7
    return paired.mcnemar(int((b & ~a).sum()), int((a & ~b).sum())) <= 0.05


def _welch(rng: Any, n: int) -> bool:
    found = two_groups.welch(_grades(rng, n), _grades(rng, n))
    return found is not None and found.p is not None and found.p <= 0.05


def _fisher(rng: Any, n: int) -> bool:
    return fisher.fisher(rng.binomial(n, 0.3), n, rng.binomial(n, 0.3), n) <= 0.05


def _friedman(rng: Any, n: int) -> bool:
    return multiple_tests.friedman(_grades(rng, n, 6)) <= 0.05


def _cochran(rng: Any, n: int) -> bool:
    return multiple_tests.cochran_q(rng.random((n, 6)) < 0.7) <= 0.05


def _holm(rng: Any, n: int) -> bool:
    """One false alarm in a plan of eight comparisons, all with the same baseline."""
    base = _grades(rng, n)
    return min(multiple_tests.holm([paired.sign_flip(_grades(rng, n) - base)[0] for _ in range(8)])) <= 0.05


def _unheld(rng: Any, n: int) -> bool:
    base = _grades(rng, n)
    return min(paired.sign_flip(_grades(rng, n) - base)[0] for _ in range(8)) <= 0.05


def _tost(rng: Any, n: int) -> bool:
    """Called equivalent within 0.3 although the difference is 0.3."""
    return equivalence.tost(np.round(rng.normal(0.3, 1, n), 1), 0.3) < 0.05


NULLS = {
    "Wilcoxon's signed ranks": _wilcoxon,
    "McNemar, rates of 0.7": _mcnemar,
    "Welch, two groups of n": _welch,
    "Fisher, two groups of n, rates of 0.3": _fisher,
    "Friedman, six conditions": _friedman,
    "Cochran's Q, six conditions, rates of 0.7": _cochran,
    "at least one of eight sign-flip tests, Holm": _holm,
    "at least one of eight sign-flip tests, as computed": _unheld,
    "equivalence within 0.3, of a difference of 0.3": _tost,
}


def others(trials: int) -> Iterator[str]:
    yield from ("| other | measured |", "|---|---|")
    rng = np.random.default_rng(SEED + 1)
    for rho in (0.0, 0.5):
        held = 0
        for _ in range(trials):
            x = rng.normal(size=60)
            y = rho * x + math.sqrt(1 - rho * rho) * rng.normal(size=60)
            held += _holds(correlation.spearman(x, y)[1], 6 / math.pi * math.asin(rho / 2))
        yield f"| interval of Spearman's rho, n = 60, correlation {rho} | holds {100 * held / trials:.1f} |"
    for rate, se, sp in ((0.5, 0.9, 0.8), (0.1, 0.8, 0.95)):
        held = 0
        for _ in range(trials):
            seen = rng.binomial(200, rate * se + (1 - rate) * (1 - sp))
            one = judge_error.rogan_gladen(seen, 200, rng.binomial(50, se), 50, rng.binomial(50, sp), 50)
            held += _holds(one.interval, rate)
        name = f"corrected rate {rate}, sensitivity {se}, specificity {sp}, n = 200 + 50 + 50"
        yield f"| {name} | holds {100 * held / trials:.1f} |"
    for n in (20, 50, 200):
        size, shown = equivalence.compute_detectable_difference(1.0, n), 0
        for _ in range(trials):
            shown += paired.sign_flip(np.round(rng.normal(size, 1, n), 1))[0] <= 0.05
        what = f"a true difference as large as the smallest detectable one, n = {n}: the sign-flip test"
        yield f"| {what} | finds it {100 * shown / trials:.1f} |"


def agreement_of_judges(trials: int) -> Iterator[str]:
    """Three judges who share half of their variance, on four grades; truth is alpha of 300,000 units."""
    trials = max(LEAST, trials // 5)
    yield from ("| units × 3 judges | nominal | ordinal | interval |", "|---|---|---|---|")
    unit, value = _judged(np.random.default_rng(SEED + 2), 300_000)
    truth = {metric: agreement.alpha(unit, value, metric) for metric in agreement.METRICS}
    for n in (20, 50):
        rng = np.random.default_rng(SEED + 3)
        held = dict.fromkeys(agreement.METRICS, 0)
        for _ in range(trials):
            unit, value = _judged(rng, n)
            for metric in agreement.METRICS:
                held[metric] += _holds(
                    agreement.compute_alpha_interval(unit, value, unit, metric), truth[metric] or 0.0
                )
        yield f"| {n} | {' | '.join(f'{100 * held[metric] / trials:.1f}' for metric in agreement.METRICS)} |"


def _judged(rng: Any, n: int) -> tuple[Any, Any]:
    unit = np.repeat(np.arange(n), 3)
    return unit, np.clip(np.round(1.5 + rng.normal(size=n)[unit] + rng.normal(size=3 * n)), 0, 3)


def _holds(span: Any, truth: float) -> bool:
    return span is not None and span.low - 1e-12 <= truth <= span.high + 1e-12
