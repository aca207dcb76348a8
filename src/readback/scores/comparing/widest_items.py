"""Find the items on which two conditions differ most, and the one whose two answers have least in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.difference import EXACT
from readback.scores.comparing.paired_items import pair_items
from readback.scores.table import ScoreTable

MOST = 200  # items that are kept of those that differ by the same


@dataclass(frozen=True, slots=True)
class Widest:
    """Hold the items with the largest difference: those that go the way of the whole difference, if any does, in the
    order of the files, the first `MOST`. `count` is how many there are, `difference` how far apart (0 or more),
    `scores` both scores of each, the first side first.
    """

    items: tuple[str, ...]
    count: int
    difference: float
    scores: Mapping[str, tuple[float, float]]


@lru_cache(maxsize=64)  # pages ask the same at every rerun
def find_widest(table: ScoreTable, line: Comparison) -> Widest | None:
    """Return the items on which both sides of a comparison differ most; None where none was scored on both."""
    import numpy as np

    paired = pair_items(table, line.a, line.b, line.criterion, line.judge)
    if not paired.items:
        return None
    differences = (paired.b - paired.a).round(EXACT)  # means of the same scores differ by rounding alone
    widest = float(np.abs(differences).max())
    is_widest = np.abs(differences) == widest
    for_whole = is_widest & (np.sign(differences) == np.sign(line.difference or 0.0))
    places = np.flatnonzero(for_whole if for_whole.any() else is_widest)
    first = places[:MOST].tolist()
    scores = {paired.items[at]: (float(paired.a[at]), float(paired.b[at])) for at in first}
    return Widest(tuple(scores), len(places), widest, scores)


def measure_shared_words(a: str, b: str) -> float:
    """Return the share of the words of two texts that both have, 0 to 1; 1 where neither has any."""
    words_a, words_b = (set(re.findall(r"\w+", text.casefold())) for text in (a, b))
    union = words_a | words_b
    if not union:
        return 1.0
    return len(words_a & words_b) / len(union)
