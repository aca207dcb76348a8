"""Do longer prompts, or longer answers, get other scores? Counted in ranges of length, with a rank correlation.

    lengths(workspace, table, condition, criterion, judge) -> tuple[Lengths, …]
        of prompt and answer, in characters and tokens
    inside(workspace, table, condition, of, unit, low, high) -> items whose text is that long

That a score goes up with the length of the answer is the bias that judges are best known for (length bias); it is no
proof of one, since a better answer may need more words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from readback.scores.comparing.paired_items import get_scored_items
from readback.scores.criteria import number
from readback.scores.slices.text_sizes import Left, Size, sizes
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Workspace

Of = Literal["prompt", "answer"]
Unit = Literal["characters", "tokens"]
BINS = 8  # ranges of length at most: as many as a screen can name
FEWEST = 4  # items in a range, on the whole, so that a short study gets few ranges
VALUES = 12  # distinct scores up to which each is counted by itself
RANGES = 10  # of a measured criterion

Progress = Callable[[int, int], bool]  # done, total -> go on?


@dataclass(frozen=True, slots=True)
class Lengths:
    """Scores of one condition by the length of one text.

    Ranges hold about equally many items and are told by the least and the greatest length in them: `ranges[k]`.
    `counts[k][v]` items of range k were scored `values[v]`; `means[k]` is their mean. `rho` is Spearman's with its
    95 % interval, None where lengths or scores do not vary. `exact` is False where tokens are estimated. `left_out`
    says by reason how many scored items have no length.
    """

    of: Of
    unit: Unit
    n: int = 0
    exact: bool = True
    values: tuple[str, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    means: tuple[float, ...] = ()
    rho: float | None = None
    interval: tuple[float, float] | None = None
    left_out: Mapping[Left, int] = field(default_factory=dict)


def lengths(
    workspace: Workspace,
    table: ScoreTable,
    condition: ConditionKey,
    criterion: str,
    judge: str,
    progress: Progress | None = None,
) -> tuple[Lengths, ...]:
    """Prompt in characters and tokens, then the answer in both; also those that no item has, with the reasons.

    `condition` is one that the scores and the workspace have. At most 2,000 of its records, evenly spaced, are
    measured. An item with several scores counts once, with their mean. Raises Cancelled where `progress` says so.
    """
    items, scores = get_scored_items(table, condition, criterion, judge)
    found = sizes(workspace, table, condition, progress)
    scale = table.criteria[criterion]
    sides: tuple[tuple[Of, Mapping[str, Size], Mapping[Left, int]], ...] = (
        ("prompt", found.prompts, found.prompts_left(items)),
        ("answer", found.answers, found.answers_left(items)),
    )
    units: tuple[Unit, ...] = ("characters", "tokens")
    return tuple(
        _measured(Lengths(of, unit, left_out=left), by, items, scores, scale)
        for of, by, left in sides
        for unit in units
    )


def inside(
    workspace: Workspace, table: ScoreTable, condition: ConditionKey, of: Of, unit: Unit, low: int, high: int
) -> frozenset[str]:
    """The items whose prompt or answer is so long, both ends included."""
    found = sizes(workspace, table, condition)
    by = found.prompts if of == "prompt" else found.answers
    return frozenset(item for item, size in by.items() if low <= getattr(size, unit) <= high)


def _measured(empty: Lengths, by: Mapping[str, Size], items: Sequence[str], scores: Any, scale: Criterion) -> Lengths:
    import numpy as np

    from readback.stats.correlation import spearman

    kept = np.array([item in by for item in items], bool)
    if not kept.any():
        return empty
    measured = [by[item] for item in items if item in by]
    long = np.array([getattr(size, empty.unit) for size in measured], np.int64)
    value = np.asarray(scores)[kept]
    rho, span, n = spearman(long, value)
    return replace(
        counted(empty, long, value, scale),
        n=n,
        exact=empty.unit == "characters" or all(size.exact for size in measured),
        rho=rho,
        interval=(span.low, span.high) if span else None,
    )


def counted(empty: Lengths, long: Any, value: Any, scale: Criterion) -> Lengths:
    """`empty` with ranges, counts and means: arrays of equal length of whole lengths and of scores, at least one."""
    import numpy as np

    starts = _starts(long)
    at = np.searchsorted(starts, long, "right") - 1
    names, column = _values(value, scale)
    counts = np.bincount(at * len(names) + column, minlength=len(starts) * len(names)).reshape(len(starts), len(names))
    means = np.bincount(at, value, len(starts)) / counts.sum(1)
    ranges = ((int(long[at == k].min()), int(long[at == k].max())) for k in range(len(starts)))
    return replace(
        empty,
        values=names,
        ranges=tuple(ranges),
        counts=tuple(map(tuple, counts.tolist())),
        means=tuple(means.tolist()),
    )


def _starts(long: Any) -> Any:
    """Where ranges begin that hold about equally many, at most 8 of them; equal lengths stay together."""
    import numpy as np

    many = int(min(BINS, max(1, len(long) // FEWEST)))
    cuts = np.unique(np.quantile(long, np.linspace(0, 1, many + 1), method="lower"))
    return cuts[:-1] if len(cuts) > 1 else cuts


def _values(value: Any, scale: Criterion) -> tuple[tuple[str, ...], Any]:
    """The values, or ranges of them, and the number of each score's; means between values count at the nearest."""
    import numpy as np

    listed = np.array(scale.values) if scale.values else np.unique(value)
    if len(listed) <= VALUES:
        middles = (listed[1:] + listed[:-1]) / 2
        return tuple(map(number, listed.tolist())), np.searchsorted(middles, value, "right")
    low = value.min() if scale.low is None else scale.low
    high = value.max() if scale.high is None else scale.high
    ends = np.linspace(low, max(high, low + 1e-9), RANGES + 1)
    at = np.clip(np.searchsorted(ends, value, "right") - 1, 0, RANGES - 1)
    return tuple(f"{number(a)} to {number(b)}" for a, b in pairwise(ends.tolist())), at
