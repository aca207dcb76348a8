"""A sample of the records: which are drawn, and what it says about all of them.

The file is cut into as many parts of equal size as records are drawn, and one record of each is drawn. It is the same
sample on every machine: `random.Random(seed).random()` is the one stream that Python promises to keep.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SIZE = 300  # records: what none of them has, at most 1 % of all have
SEED = 20260101
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Sample:
    """That an audit looked at `drawn` records of `total`, drawn by `seed`.

    `repeats` are the rules that need every record, and `files` the training files beside the dataset; neither was
    looked at. `once` counts by code the records where something is told that is true of all records, and which say
    nothing of a share; `full` are the codes of what was noticed in all records while they were read. `seconds` is about
    how long all records would take, at the speed of these; 0: not known.
    """

    drawn: int
    total: int
    seed: int = SEED
    repeats: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    once: Mapping[str, int] = field(default_factory=dict)
    full: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The rules and files that were not looked at."""
        return (*self.repeats, *self.files)


@dataclass(frozen=True, slots=True)
class Share:
    """Between which shares of all records (0 to 1) the records with something lie, with 95 % confidence."""

    low: float
    high: float

    @property
    def percents(self) -> tuple[str, str]:
        """Both in percent, rounded outwards: whole from 2 % on, tenths below."""
        return _percent(self.low, math.floor), _percent(self.high, math.ceil)


def drawn(total: int, n: int = SIZE, seed: int = SEED) -> Sequence[int]:
    """Draw the numbers of records, ascending: one of each n-th part; all where there are no more."""
    if total <= n:
        return range(total)
    draw = random.Random(seed).random  # noqa: S311 - a sample, no secret
    edges = [total * part // n for part in range(n + 1)]
    return tuple(start + int(draw() * (stop - start)) for start, stop in pairwise(edges))


def hit(sample: Sample, code: str, records: int) -> tuple[int, int]:
    """How many of how many records have a finding of `code`, where `records` are counted.

    Of those drawn, without the ones where only what is true of all is told; of all for what was noticed while they were
    read.
    """
    if code in sample.full:
        return records, sample.total
    return min(max(0, records - sample.once.get(code, 0)), sample.drawn), sample.drawn


def share(k: int, sample: Sample) -> Share:
    """Estimate the share of all records that have what `k` of the drawn ones have; for k = 0 the one-sided upper bound.

    Clopper and Pearson's interval. With one record of each part the number of hits varies no more than with records
    drawn freely (Hoeffding 1956, Ann. Math. Statist. 27, 713), so it is never too short. Parts may differ by one
    record: both ends are moved outwards by that, and inwards to what the drawn records alone make certain.
    """
    from readback.stats.interval import clopper_pearson  # of scipy, which the command line does without

    n, total = sample.drawn, sample.total
    # the upper end alone has all of what is not covered
    if k:
        level = LEVEL
    else:
        level = 2 * LEVEL - 1
    span = clopper_pearson(k, n, level)
    low, high = span.low * (total // n) * n / total, span.high * -(-total // n) * n / total
    return Share(max(low, k / total), min(high, 1 - (n - k) / total))


def _percent(value: float, outwards: Callable[[float], int]) -> str:
    steps = 1_000 if value < 0.02 else 100
    return f"{outwards(value * steps) * 100 / steps:g}"
