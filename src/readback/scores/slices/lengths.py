"""Do longer prompts, or longer answers, get other scores? Counted in ranges of length, with a rank correlation.

    lengths(shop, table, condition, criterion, judge) -> tuple[Lengths, …]      prompt and answer, characters and tokens

That a score goes up with the length of the answer is the bias that judges are best known for (length bias); it is no
proof of one, since a better answer may need more words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from readback.scores.comparing.paired_items import scored_items
from readback.scores.criteria import number
from readback.scores.slices.text_sizes import Left, Size, sizes
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Workspace

Of = Literal["prompt", "answer"]
Unit = Literal["characters", "tokens"]
BINS = 20  # ranges of length at most
FEWEST = 3  # items in a range, on the whole, so that a short study gets few ranges
VALUES = 12  # distinct scores up to which each is counted by itself
RANGES = 10  # of a measured criterion


@dataclass(frozen=True, slots=True)
class Lengths:
    """Scores of one condition by the length of one text.

    Range k goes from `edges[k]` up to `edges[k + 1]` (the last one includes its end); `counts[k][v]` items in it were
    scored `values[v]`; `means[k]` is their mean, None where there are none. `rho` is Spearman's with its 95 %
    interval. `exact` is False where tokens are estimated. `left_out` says by reason how many scored items have no
    length.
    """

    of: Of
    unit: Unit
    n: int = 0
    exact: bool = True
    values: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    means: tuple[float | None, ...] = ()
    rho: float | None = None
    interval: tuple[float, float] | None = None
    left_out: Mapping[Left, int] = field(default_factory=dict)


def lengths(
    shop: Workspace, table: ScoreTable, condition: ConditionKey, criterion: str, judge: str
) -> tuple[Lengths, ...]:
    """Prompt in characters and tokens, then the answer in both; also those that no item has, with the reasons.

    `condition` is one that the scores and the workspace have. At most 2,000 of its records, evenly spaced, are
    measured. An item with several scores counts once, with their mean.
    """
    items, scores = scored_items(table, condition, criterion, judge)
    found = sizes(shop, table, condition)
    scale = table.criteria[criterion]
    sides: tuple[tuple[Of, Mapping[str, Size], Mapping[Left, int]], ...] = (
        ("prompt", found.prompts, found.prompts_left(items)),
        ("answer", found.answers, found.answers_left(items)),
    )
    units: tuple[Unit, ...] = ("characters", "tokens")
    return tuple(
        _counted(Lengths(of, unit, left_out=left), by, items, scores, scale) for of, by, left in sides for unit in units
    )


def _counted(empty: Lengths, by: Mapping[str, Size], items: Sequence[str], scores: Any, scale: Criterion) -> Lengths:
    import numpy as np

    from readback.statistics.correlation import spearman

    kept = np.array([item in by for item in items], bool)
    if not kept.any():
        return empty
    measured = [by[item] for item in items if item in by]
    long = np.array([getattr(size, empty.unit) for size in measured], float)
    value = np.asarray(scores)[kept]
    rho, span, n = spearman(long, value)
    edges = _edges(long)
    at = np.clip(np.searchsorted(edges, long, "right") - 1, 0, len(edges) - 2)
    names, column = _values(value, scale)
    counts = np.zeros((len(edges) - 1, len(names)), int)
    np.add.at(counts, (at, column), 1)
    sums, many = np.bincount(at, value, len(edges) - 1), counts.sum(1)
    return replace(
        empty,
        n=n,
        exact=empty.unit == "characters" or all(size.exact for size in measured),
        values=names,
        edges=tuple(edges.tolist()),
        counts=tuple(tuple(row) for row in counts.tolist()),
        means=tuple(total / n if n else None for total, n in zip(sums.tolist(), many.tolist(), strict=True)),
        rho=rho,
        interval=(span.low, span.high) if span else None,
    )


def _edges(long: Any) -> Any:
    """Equal ranges with whole numbers for ends: few for a short study, at most 20."""
    import numpy as np

    low, high = float(long.min()), float(long.max())
    many = int(min(BINS, max(1, len(long) // FEWEST), max(1, high - low)))
    return np.unique(np.round(np.linspace(low, max(high, low + 1), many + 1)))


def _values(value: Any, scale: Criterion) -> tuple[tuple[str, ...], Any]:
    """The values, or ranges of them, and the number of each score's."""
    import numpy as np

    listed = np.array(scale.values) if scale.values else np.unique(value)
    if len(listed) <= VALUES and bool(np.isin(value, listed).all()):
        return tuple(map(number, listed.tolist())), np.searchsorted(listed, value)
    low = value.min() if scale.low is None else scale.low
    high = value.max() if scale.high is None else scale.high
    ends = np.linspace(low, max(high, low + 1e-9), RANGES + 1)
    at = np.clip(np.searchsorted(ends, value, "right") - 1, 0, RANGES - 1)
    return tuple(f"{number(a)} to {number(b)}" for a, b in pairwise(ends.tolist())), at
