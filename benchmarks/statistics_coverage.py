"""How often the intervals hold the truth, and how often the tests cry wolf: measured, not promised.

Run: python benchmarks/statistics_coverage.py [--trials 4000] [--write]     (--write puts the tables into the docs)
Coverage is exact, a sum over every sample there can be, where those are at most 30,000; else it is of --trials
samples drawn by a seed, and carries a sampling error of some 0.4 points at 4,000.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from readback.statistics import corrected, correlation, interval, paired

DOCS = Path(__file__).resolve().parents[1] / "docs" / "statistics.md"
SEED = 20261121
SIZES = (20, 50, 200)
MOST = 30_000  # samples that are still listed one by one
SCALES = {
    "uniform, four values": ((0, 1, 2, 3), (1, 1, 1, 1)),
    "LiveRAG faithfulness (−1, 0, 1: 5, 36, 60 %)": ((-1, 0, 1), (445, 3417, 5727)),
    "LiveRAG relevance (−1, 0, 1, 2: 7, 2, 19, 72 %)": ((-1, 0, 1, 2), (661, 176, 1830, 6922)),
    "nearly constant (1, 1, 1, 97 %)": ((-1, 0, 1, 2), (1, 1, 1, 97)),
}
RATES = (0.05, 0.2, 0.5)
GROUPS = ((50, 10), (10, 10), (10, 50), (5, 20))  # clusters × items in each
Method = Callable[[Any, Any], interval.Interval | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    text = "\n".join(tables(asked.trials))
    print(text)
    if asked.write:
        before, rest = DOCS.read_text("utf-8").split("<!-- measured -->\n")
        after = rest.split("<!-- end -->")[1]
        DOCS.write_text(f"{before}<!-- measured -->\n{text}\n<!-- end -->{after}", "utf-8")


def tables(trials: int) -> Iterator[str]:
    yield from ("| mean of | n | t | on the scale (Dirichlet) |", "|---|---|---|---|")
    for name, (values, parts) in SCALES.items():
        for n in SIZES:
            scale = np.array(values, float)
            found = coverage(scale, parts, n, _methods(scale), trials)
            yield f"| {name} | {n} | {found[0]} | {found[1]} |"
    yield from ("", "| mean of | n | BCa bootstrap | on the scale (Dirichlet) |", "|---|---|---|---|")
    for name, (values, parts) in SCALES.items():
        for n in (5, 10, 14):
            scale = np.array(values, float)
            found = coverage(scale, parts, n, _methods(scale), trials)
            yield f"| {name} | {n} | {found[0]} | {found[1]} |"
    yield from ("", "| rate | n | Wilson | Jeffreys | Clopper-Pearson | t |", "|---|---|---|---|---|---|")
    for rate in RATES:
        for n in SIZES:
            found = coverage(np.array([0.0, 1.0]), (1 - rate, rate), n, _rates(), trials)
            yield f"| {rate} | {n} | {' | '.join(found)} |"
    yield from _under_the_null(trials)
    yield from _others(trials)


def coverage(values: Any, parts: Sequence[float], n: int, methods: Sequence[Method], trials: int) -> tuple[str, ...]:
    """Percent of samples whose interval holds the true mean, by method; a sample without interval holds nothing."""
    share = np.array(parts, float) / sum(parts)
    truth = float(values @ share)
    if math.comb(n + len(values) - 1, len(values) - 1) <= MOST:
        samples = np.array(list(_samples(n, len(values))))
        factorials = np.array([math.lgamma(k + 1) for k in range(n + 1)])
        weight = np.exp(factorials[n] + samples @ np.log(share) - factorials[samples].sum(1))
    else:
        drawn = np.random.default_rng(SEED).multinomial(n, share, trials)
        samples, many = np.unique(drawn, axis=0, return_counts=True)
        weight = many / trials
    held = [[_holds(method(values, sample), truth) for sample in samples] for method in methods]
    return tuple(f"{100 * float(np.array(one) @ weight):.1f}" for one in held)


def _holds(span: interval.Interval | None, truth: float) -> bool:
    return span is not None and span.low - 1e-12 <= truth <= span.high + 1e-12


def _samples(n: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in _samples(n - first, kinds - 1))


def _methods(scale: Any) -> tuple[Method, Method]:
    return interval.of_mean, lambda values, counts: interval.of_mean_on_scale(values, counts, scale)


def _rates() -> tuple[Method, ...]:
    return (
        lambda _, counts: interval.wilson(counts[1], counts.sum()),
        lambda _, counts: interval.jeffreys(counts[1], counts.sum()),
        lambda _, counts: interval.clopper_pearson(counts[1], counts.sum()),
        interval.of_mean,
    )


def _under_the_null(trials: int) -> Iterator[str]:
    """Two conditions that do not differ: the share of trials in which a method says at 5 % that they do."""
    rng = np.random.default_rng(SEED)
    yield from ("", "| no clusters: items | sign-flip test | t interval without 0 |", "|---|---|---|")
    for n in SIZES:
        p, t = [], []
        for _ in range(trials):
            d = rng.choice(4, n, p=(0.07, 0.02, 0.19, 0.72)) - rng.choice(4, n, p=(0.07, 0.02, 0.19, 0.72))
            p.append(paired.sign_flip(d)[0] <= 0.05)
            span = interval.of_mean(*np.unique(d, return_counts=True))
            t.append(span is not None and not span.low <= 0 <= span.high)
        yield f"| {n} | {100 * np.mean(p):.1f} | {100 * np.mean(t):.1f} |"
    yield ""
    heads = ("sign-flip, whole clusters", "clustered interval", "sign-flip, clusters ignored")
    yield f"| clusters × items, half of the variance between clusters | {' | '.join(heads)} |"
    yield "|---|---|---|---|"
    for many, each, uneven in (*((*group, False) for group in GROUPS), (50, 10, True), (10, 10, True)):
        p, t, wrong = [], [], []
        for _ in range(trials):
            d, cluster = null(rng, many, each, uneven)
            p.append(paired.sign_flip(d, cluster)[0] <= 0.05)
            span = interval.clustered(d, cluster).interval
            t.append(span is not None and not span.low <= 0 <= span.high)
            wrong.append(paired.sign_flip(d)[0] <= 0.05)
        sizes = f"{many} × {each}" + (" on average, very uneven" if uneven else "")
        yield f"| {sizes} | {100 * np.mean(p):.1f} | {100 * np.mean(t):.1f} | {100 * np.mean(wrong):.1f} |"


def null(rng: np.random.Generator, many: int, each: int, uneven: bool = False) -> tuple[Any, Any]:
    """Differences of grades that are 0 on average and share half their variance within a cluster."""
    sizes = 1 + rng.poisson(rng.exponential(each - 1, many)) if uneven else np.full(many, each)
    cluster = np.repeat(np.arange(many), sizes)
    d = np.round(rng.normal(size=many)[cluster] + rng.normal(size=len(cluster)))
    return np.clip(d, -3, 3), cluster


def _others(trials: int) -> Iterator[str]:
    rng = np.random.default_rng(SEED)
    yield from ("", "| clustered rate (Wilson, n / design effect) | coverage |", "|---|---|")
    for many, each in ((50, 4), (20, 10), (10, 10)):
        held = []
        for _ in range(trials):
            chance = rng.beta(0.8, 3.2, many)  # rate 0.2, correlation within a cluster 0.2
            cluster = np.repeat(np.arange(many), each)
            passed = rng.random(many * each) < chance[cluster]
            effect = max(interval.clustered(passed, cluster).design_effect or 1.0, 1.0)
            held.append(_holds(interval.wilson(passed.sum() / effect, len(passed) / effect), 0.2))
        yield f"| {many} clusters × {each} rows, rate 0.2 | {100 * np.mean(held):.1f} |"
    yield from ("", "| other | coverage |", "|---|---|")
    for rho in (0.0, 0.5):
        held = []
        for _ in range(trials):
            x = rng.normal(size=60)
            y = rho * x + math.sqrt(1 - rho * rho) * rng.normal(size=60)
            held.append(_holds(correlation.spearman(x, y)[1], 6 / math.pi * math.asin(rho / 2)))
        yield f"| Spearman, n = 60, correlation {rho} | {100 * np.mean(held):.1f} |"
    for rate, se, sp in ((0.5, 0.9, 0.8), (0.1, 0.8, 0.95)):
        held = []
        for _ in range(trials):
            seen = rng.binomial(200, rate * se + (1 - rate) * (1 - sp))
            one = corrected.rogan_gladen(seen, 200, rng.binomial(50, se), 50, rng.binomial(50, sp), 50)
            held.append(_holds(one.interval, rate))
        name = f"corrected rate {rate}, sensitivity {se}, specificity {sp}, n = 200 + 50 + 50"
        yield f"| {name} | {100 * np.mean(held):.1f} |"


if __name__ == "__main__":
    main()
