"""Rows in clusters: the tables of docs/statistics.md about them, made by statistics_coverage.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from readback.stats import interval, paired

SEED = 20261122
GRADES = {
    "uniform": (np.array([0.0, 1, 2, 3]), np.array([0.25, 0.5, 0.75])),  # values, cumulative shares
    "faithfulness": (np.array([-1.0, 0, 1]), np.array([445, 445 + 3417]) / 9589),
}
MEANS = {"uniform": 1.5, "faithfulness": (5727 - 445) / 9589}
WITHIN = (0.0, 0.2, 0.6)  # correlation of the normal variables that grades of a cluster are made of
LEAST = 4_000
MANY = (3, 4, 6, 10, 20, 50)


def designs(many: int) -> dict[str, list[int]]:
    """Cluster sizes by how uneven they are."""
    rng = np.random.default_rng(1)
    drawn = (1 + rng.poisson(rng.exponential(9, many))).tolist()
    return {
        "10 each": [10] * many,
        "4 to 16": [4 + 12 * at // (many - 1) for at in range(many)],
        f"very uneven, {min(drawn)} to {max(drawn)}": drawn,
        "one holds half": [10 * (many - 1), *[10] * (many - 1)],
    }


def clusters(trials: int) -> Iterator[str]:
    """The worst of three correlations within clusters, for differences without a difference and for means."""
    trials = max(LEAST, trials // 3)
    heads = ("plain formula", "corrected interval", "sign-flip test", "uniform", "faithfulness")
    yield f"| clusters | rows in each | {' | '.join(heads)} |"
    yield "|---|---|---|---|---|---|---|"
    for many in MANY:
        for name, sizes in designs(many).items():
            rng = np.random.default_rng(SEED)
            wolf = [_wolf(rng, sizes, within, trials) for within in WITHIN]
            held = [[_held(rng, sizes, within, grades, trials) for within in WITHIN] for grades in GRADES]
            worst = " | ".join(f"{100 * share:.1f}" for share in np.max(wolf, axis=0))
            least = " | ".join(f"{100 * min(one):.1f}" for one in held)
            yield f"| {many} | {name} | {worst} | {least} |"


def _wolf(rng: Any, sizes: list[int], within: float, trials: int) -> tuple[float, ...]:
    """How often plain formula, corrected interval and sign-flip test say "different" of what is not."""
    code = np.repeat(np.arange(len(sizes)), sizes)
    edge = float(special.stdtrit(len(sizes) - 1, 0.975))
    said = []
    for _ in range(trials):
        d = _drawn(rng, code, within, "faithfulness") - _drawn(rng, code, within, "faithfulness")
        found = interval.compute_clustered_interval(d, code)
        plain = found.standard_error is not None and abs(d.mean()) > edge * found.standard_error + 1e-12
        span = (
            found.interval if found.interval or found.design_effect is None else interval.compute_difference_interval(d)
        )
        corrected = span is not None and not span.low - 1e-12 <= 0 <= span.high + 1e-12
        said.append((plain, corrected, paired.sign_flip(d, code)[0] <= 0.05))
    return tuple(np.mean(said, axis=0))


def _held(rng: Any, sizes: list[int], within: float, grades: str, trials: int) -> float:
    code = np.repeat(np.arange(len(sizes)), sizes)
    held = 0
    for _ in range(trials):
        found = interval.compute_difference_interval(_drawn(rng, code, within, grades), code)
        held += found is not None and found.low - 1e-12 <= MEANS[grades] <= found.high + 1e-12
    return held / trials


def _drawn(rng: Any, code: Any, within: float, grades: str) -> Any:
    """Grades with the given shares that go up and down together within a cluster."""
    values, shares = GRADES[grades]
    common = rng.normal(size=code[-1] + 1)[code]
    normal = np.sqrt(within) * common + np.sqrt(1 - within) * rng.normal(size=len(code))
    return values[np.searchsorted(shares, special.ndtr(normal))]


def ignored(trials: int) -> Iterator[str]:
    trials = max(LEAST, trials // 2)
    yield from ("| clusters × rows | sign-flip, whole clusters | sign-flip, clusters ignored |", "|---|---|---|")
    rng = np.random.default_rng(SEED + 1)
    for many, each in ((50, 10), (10, 10), (10, 50), (5, 20)):
        code, said = np.repeat(np.arange(many), each), []
        for _ in range(trials):
            d = np.clip(np.round(rng.normal(size=many)[code] + rng.normal(size=len(code))), -3, 3)
            said.append((paired.sign_flip(d, code)[0] <= 0.05, paired.sign_flip(d)[0] <= 0.05))
        whole, wrong = (f"{100 * share:.1f}" for share in np.mean(said, axis=0))
        yield f"| {many} × {each} | {whole} | {wrong} |"


def clustered_rates(trials: int) -> Iterator[str]:
    trials = max(LEAST, trials // 2)
    yield from ("| clusters | rows in each | rate 0.05 | rate 0.2 | rate 0.5 |", "|---|---|---|---|---|")
    for many in (4, 6, 10, 20, 50):
        for name, sizes in designs(many).items():
            rng = np.random.default_rng(SEED + 2)
            code = np.repeat(np.arange(many), sizes)
            least = []
            for rate in (0.05, 0.2, 0.5):
                least.append(min(_rate_held(rng, code, within, rate, trials) for within in WITHIN))
            yield f"| {many} | {name} | {' | '.join(f'{100 * one:.1f}' for one in least)} |"


def _rate_held(rng: Any, code: Any, within: float, rate: float, trials: int) -> float:
    edge, held = float(special.ndtri(rate)), 0
    for _ in range(trials):
        common = rng.normal(size=code[-1] + 1)[code]
        passed = np.sqrt(within) * common + np.sqrt(1 - within) * rng.normal(size=len(code)) < edge
        found = interval.compute_clustered_rate_interval(passed, code).interval
        held += found is not None and found.low - 1e-12 <= rate <= found.high + 1e-12
    return held / trials
