"""What the page may promise: 95 % intervals hold the truth about 95 times in 100, tests cry wolf at most 6 times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from readback.statistics import interval, paired

UNIFORM = ((0, 1, 2, 3), (1, 1, 1, 1))
FAITHFULNESS = ((-1, 0, 1), (445, 3417, 5727))  # LiveRAG
TRIALS = 1500
SEED = 20261121


@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize("scale", [UNIFORM, FAITHFULNESS], ids=["uniform", "faithfulness"])
def test_the_interval_of_a_mean_holds_it_93_to_97_times_in_100(scale: Any, n: int) -> None:
    assert 0.93 <= _coverage(*scale, n, interval.of_mean) <= 0.97


def test_on_a_skewed_scale_the_interval_that_knows_the_scale_does_better_than_t() -> None:
    values, parts = (-1, 0, 1, 2), (661, 176, 1830, 6922)  # LiveRAG relevance
    on_scale = _coverage(values, parts, 20, lambda one, many: interval.of_mean_on_scale(one, many, one))
    assert _coverage(values, parts, 20, interval.of_mean) < 0.91 < 0.93 <= on_scale <= 0.97


@pytest.mark.parametrize(("clusters", "each"), [(0, 20), (0, 50), (50, 10), (10, 10)])
def test_no_difference_is_called_one_at_most_6_times_in_100(clusters: int, each: int) -> None:
    rng, tests, spans = np.random.default_rng(SEED), 0, 0
    for _ in range(TRIALS):
        d, code = _null(rng, clusters, each)
        tests += paired.sign_flip(d, code)[0] <= 0.05
        span = interval.of_mean(d, np.ones(len(d))) if code is None else interval.clustered(d, code).interval
        spans += span is not None and not span.low <= 0 <= span.high
    assert max(tests, spans) / TRIALS <= 0.06


def _null(rng: np.random.Generator, clusters: int, each: int) -> tuple[Any, Any]:
    """Differences of grades that are 0 on average; in clusters they share half of their variance."""
    code = np.repeat(np.arange(max(clusters, 1)), each)
    common = rng.normal(size=clusters)[code] if clusters else 0.0
    return np.clip(np.round(common + rng.normal(size=len(code))), -3, 3), code if clusters else None


def _coverage(values: Sequence[int], parts: Sequence[int], n: int, method: Any) -> float:
    """Exact, a sum over every sample there can be, where those are few; else of samples drawn by a seed."""
    share, scale = np.array(parts) / sum(parts), np.array(values, float)
    if math.comb(n + len(parts) - 1, len(parts) - 1) <= 2000:
        samples = np.array(list(_samples(n, len(parts))))
        logs = np.array([math.lgamma(k + 1) for k in range(n + 1)])
        weight = np.exp(logs[n] + samples @ np.log(share) - logs[samples].sum(1))
    else:
        drawn = np.random.default_rng(SEED).multinomial(n, share, 3 * TRIALS)
        samples, many = np.unique(drawn, axis=0, return_counts=True)
        weight = many / many.sum()
    spans = [method(scale, sample) for sample in samples]
    truth = float(scale @ share)
    return float(np.array([span is not None and span.low <= truth <= span.high for span in spans]) @ weight)


def _samples(n: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in _samples(n - first, kinds - 1))
