"""How often the intervals hold the truth, and how often the tests cry wolf: measured, not promised.

Run: python benchmarks/statistics_coverage.py [--only NAME …] [--trials 10000] [--write]
Each table of docs/statistics.md has a name; --write puts the tables that were made into the docs, in their places.
Coverage of means and rates is exact, a sum over every sample there can be, where those are at most 30,000; else it is
of --trials samples. Seeds are fixed, one for each table. All tables take some half an hour of one core.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _clusters_coverage import clustered_rates, clusters, ignored
from _tests_coverage import agreement_of_judges, claims, others

from readback.stats import interval, paired

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
Method = Callable[[Any, Any], interval.Interval | None]
Table = Iterator[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=tuple(TABLES), default=tuple(TABLES))
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    for name in asked.only:
        text = "\n".join(TABLES[name](asked.trials))
        print(f"\n{name}\n{text}", flush=True)
        if asked.write:
            begin, end = f"<!-- measured: {name} -->\n", "\n<!-- end -->"
            found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
            page = DOCS.read_text("utf-8")
            if not found.search(page):
                raise SystemExit(f"{DOCS.name} has no place for the table '{name}'")
            DOCS.write_text(found.sub(lambda _, whole=begin + text + end: whole, page), "utf-8")


def means(trials: int) -> Table:
    yield from ("| mean of | n | t | on the scale (Dirichlet) |", "|---|---|---|---|")
    yield from _means(SIZES, trials)


def few(trials: int) -> Table:
    yield from ("| mean of | n | BCa bootstrap | on the scale (Dirichlet) |", "|---|---|---|---|")
    yield from _means((5, 10, 14), trials)


def _means(sizes: Sequence[int], trials: int) -> Table:
    for name, (values, parts) in SCALES.items():
        for n in sizes:
            scale = np.array(values, float)
            found = coverage(scale, parts, n, _methods(scale), trials)
            yield f"| {name} | {n} | {found[0]} | {found[1]} |"


def rates(trials: int) -> Table:
    yield from ("| rate | n | Wilson | Jeffreys | Clopper-Pearson | t |", "|---|---|---|---|---|---|")
    for rate in (0.02, *RATES, 0.95):
        for n in SIZES:
            found = coverage(np.array([0.0, 1.0]), (1 - rate, rate), n, _rates(), trials)
            yield f"| {rate} | {n} | {' | '.join(found)} |"


def differences(trials: int) -> Table:
    """Two conditions that do not differ: the share of trials in which a method says at 5 % that they do."""
    yield from ("| differences of two samples of | n | t | BCa bootstrap | sign-flip test |", "|---|---|---|---|---|")
    rng = np.random.default_rng(SEED + 1)
    for name, (values, parts) in list(SCALES.items())[:3]:
        for n in (5, 8, 10, 14, *SIZES):
            said: dict[tuple[int, ...], tuple[bool, ...]] = {}
            found = [_said(d, said, n < interval.ENOUGH_FOR_T) for d in _pairs(rng, values, parts, n, trials, 0.0)]
            t, bca, flip = (f"{100 * share:.1f}" for share in np.mean(found, axis=0))
            yield f"| {name} | {n} | {t} | {bca if n < interval.ENOUGH_FOR_T else '–'} | {flip} |"


def agree(trials: int) -> Table:
    """How often interval and test say the same of one sample; with a difference of 0, and of a fifth of the range."""
    heads = ("both say different", "only the interval", "only the test", "neither")
    yield f"| difference of two samples of | n | {' | '.join(heads)} |"
    yield "|---|---|---|---|---|---|"
    rng = np.random.default_rng(SEED + 2)
    for name, (values, parts) in list(SCALES.items())[:3]:
        for n in SIZES:
            for shift in (0.0, 0.2):
                said: dict[tuple[int, ...], tuple[bool, ...]] = {}
                found = np.array([_said(d, said, False) for d in _pairs(rng, values, parts, n, trials, shift)])
                t, p = found[:, 0], found[:, 2]
                shares = " | ".join(f"{100 * one.mean():.1f}" for one in (t & p, t & ~p, ~t & p, ~t & ~p))
                what = "" if not shift else ", 20 % moved from the highest grade to the lowest"
                yield f"| {name}{what} | {n} | {shares} |"


def _pairs(rng: Any, values: Any, parts: Any, n: int, trials: int, shift: float) -> Iterator[Any]:
    share = np.array(parts) / sum(parts)
    moved = share.copy()
    moved[-1] -= min(shift, moved[-1])
    moved[0] += share[-1] - moved[-1]
    for _ in range(trials):
        yield rng.choice(values, n, p=moved) - rng.choice(values, n, p=share)


def _said(d: Any, known: dict[tuple[int, ...], tuple[bool, ...]], short: bool) -> tuple[bool, ...]:
    """Whether the t interval, the bootstrap's and the sign-flip test call this a difference."""
    key = tuple(sorted(d.tolist()))
    if key not in known:
        bca = interval.compute_mean_interval(*np.unique(d, return_counts=True)) if short else None
        spans = (interval.compute_difference_interval(d), bca)
        without = [span is not None and not span.low - 1e-12 <= 0 <= span.high + 1e-12 for span in spans]
        known[key] = (*without, paired.sign_flip(d)[0] <= 0.05)
    return known[key]


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
    likely = weight > 1e-9  # what is left out weighs less than 0.003 % together
    held = [[_holds(method(values, sample), truth) for sample in samples[likely]] for method in methods]
    return tuple(f"{100 * float(np.array(one) @ weight[likely]):.1f}" for one in held)


def _holds(span: interval.Interval | None, truth: float) -> bool:
    return span is not None and span.low - 1e-12 <= truth <= span.high + 1e-12


def _samples(n: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in _samples(n - first, kinds - 1))


def _methods(scale: Any) -> tuple[Method, Method]:
    return interval.compute_mean_interval, lambda values, counts: interval.compute_scale_interval(values, counts, scale)


def _rates() -> tuple[Method, ...]:
    return (
        lambda _, counts: interval.wilson(counts[1], counts.sum()),
        lambda _, counts: interval.jeffreys(counts[1], counts.sum()),
        lambda _, counts: interval.clopper_pearson(counts[1], counts.sum()),
        interval.compute_mean_interval,
    )


TABLES: dict[str, Callable[[int], Table]] = {
    "means": means,
    "few": few,
    "rates": rates,
    "differences": differences,
    "agree": agree,
    "clusters": clusters,
    "ignored": ignored,
    "clustered rates": clustered_rates,
    "claims": claims,
    "others": others,
    "agreement": agreement_of_judges,
}

if __name__ == "__main__":
    main()
