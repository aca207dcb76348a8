"""What the page may promise: 95 % intervals hold the truth about 95 times in 100, tests cry wolf at most 6 times."""

from __future__ import annotations

import math
import re
import runpy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import part
from scipy import special

from readback.stats import interval, paired

UNIFORM = ((0, 1, 2, 3), (1, 1, 1, 1))
FAITHFULNESS = ((-1, 0, 1), (445, 3417, 5727))  # LiveRAG
TRIALS = 1500
SEED = 20261121


@pytest.mark.parametrize("n", [20, 50, 200])
@pytest.mark.parametrize("scale", [UNIFORM, FAITHFULNESS], ids=["uniform", "faithfulness"])
def test_the_interval_of_a_mean_holds_it_93_to_97_times_in_100(scale: Any, n: int) -> None:
    assert 0.93 <= _coverage(*scale, n, interval.compute_mean_interval) <= 0.97


def test_on_a_skewed_scale_the_interval_that_knows_the_scale_does_better_than_t() -> None:
    values, parts = (-1, 0, 1, 2), (661, 176, 1830, 6922)  # LiveRAG relevance
    on_scale = _coverage(values, parts, 20, lambda one, many: interval.compute_scale_interval(one, many, one))
    assert _coverage(values, parts, 20, interval.compute_mean_interval) < 0.91 < 0.93 <= on_scale <= 0.97


@pytest.mark.parametrize("n", part([8, 50, 5, 14, 20], 2))
def test_no_difference_is_called_one_at_most_6_times_in_100(n: int) -> None:
    rng = np.random.default_rng(SEED)
    for scale in (UNIFORM, FAITHFULNESS):
        _wolf([np.sort(_grades(rng, scale, np.arange(n), 0.0)) for _ in range(4 * TRIALS)], None)


@pytest.mark.parametrize("within", [0.0, 0.6])
@pytest.mark.parametrize(
    "sizes",
    part(
        [
            pytest.param([1, 1, 2, 2, 3, 5, 8, 13, 21, 44], id="very uneven"),
            pytest.param([30, 9, 9, 9], id="four, one holds half"),
            pytest.param([10] * 10, id="even"),
            pytest.param([4, 5, 6, 8, 9, 10, 12, 13, 14, 16], id="uneven"),
            pytest.param([100, *[10] * 10], id="one holds half"),
        ],
        2,
    ),
)
def test_nor_where_rows_come_in_clusters_of_any_sizes(sizes: list[int], within: float) -> None:
    rng, code = np.random.default_rng(SEED), np.repeat(np.arange(len(sizes)), sizes)
    _wolf([_grades(rng, FAITHFULNESS, code, within) for _ in range(TRIALS)], code)


def test_the_plain_formula_would_cry_wolf_where_one_cluster_holds_half() -> None:
    rng, code, wolf = np.random.default_rng(SEED), np.repeat(np.arange(11), [100, *[10] * 10]), 0
    for _ in range(TRIALS):
        d = _grades(rng, FAITHFULNESS, code, 0.6)
        wolf += abs(d.mean()) > 2.228 * (interval.compute_clustered_interval(d, code).standard_error or 0.0)  # t(10)
    assert wolf / TRIALS > 0.10


def _wolf(samples: Sequence[Any], code: Any) -> None:
    said: dict[bytes, tuple[bool, bool]] = {}
    for d in samples:
        if d.tobytes() not in said:
            span = interval.compute_difference_interval(d, code)
            without = span is not None and not span.low - 1e-12 <= 0 <= span.high + 1e-12
            said[d.tobytes()] = without, paired.sign_flip(d, code)[0] <= 0.05
    spans, tests = np.mean([said[d.tobytes()] for d in samples], axis=0)
    assert max(spans, tests) <= 0.06


def _grades(rng: np.random.Generator, scale: Any, code: Any, within: float) -> Any:
    """Differences of two samples of grades, which within a cluster go up and down together."""
    values, parts = (np.array(one, float) for one in scale)
    shares = (parts / parts.sum()).cumsum()[:-1]
    sides = []
    for _ in range(2):
        common = rng.normal(size=code[-1] + 1)[code]
        drawn = math.sqrt(within) * common + math.sqrt(1 - within) * rng.normal(size=len(code))
        sides.append(values[np.searchsorted(shares, special.ndtr(drawn))])
    return sides[1] - sides[0]


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
    samples, weight = samples[weight > 1e-7], weight[weight > 1e-7]
    spans = [method(scale, sample) for sample in samples]
    truth = float(scale @ share)
    return float(np.array([span is not None and span.low <= truth <= span.high for span in spans]) @ weight)


def _samples(n: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in _samples(n - first, kinds - 1))


def test_the_docs_have_a_place_for_each_table_and_hold_what_the_script_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(root / "benchmarks")
    tables = runpy.run_path(str(root / "benchmarks" / "statistics_coverage.py"))["TABLES"]
    page = (root / "docs" / "statistics.md").read_text("utf-8")
    told = dict(re.findall(r"<!-- measured: ([a-z ]+) -->\n(.*?)\n<!-- end -->", page, re.DOTALL))
    assert told.keys() == tables.keys()
    assert all(text.startswith("| ") for text in told.values())
    assert told["rates"] == "\n".join(tables["rates"](1))  # exact, and quick
