"""Compute scores by the length of the prompt or the answer, in ranges of length and with a rank correlation.

measure_lengths(workspace, table, condition, criterion, judge) -> tuple[Lengths, …]
of prompt and answer, in characters and tokens
list_items_between(workspace, table, condition, text, unit, low, high) -> items whose text is that long

That a score goes up with the length of the answer is the bias that judges are best known for (length bias); it is not a
proof of it, since a better answer may need more words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from readback.scores.comparing.paired_items import get_scored_items
from readback.scores.slices.text_sizes import Left, Size, measure_sizes
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.values.criteria import number
from readback.types import Criterion, Workspace

TextKind = Literal["prompt", "answer"]
Unit = Literal["characters", "tokens"]
BINS = 8  # ranges of length at most: as many as a screen can name
FEWEST = 4  # items in a range, on the whole, so that a short study gets few ranges
VALUES = 12  # distinct scores up to which each is counted by itself
RANGES = 10  # of a measured criterion

Progress = Callable[[int, int], bool]  # done, total -> go on?


@dataclass(frozen=True, slots=True)
class Lengths:
    """Hold the scores of one condition by the length of one text.

    Ranges hold about equally many items and are described by the least and the greatest length in them: `ranges[k]`.
    `counts[k][v]` items of range k were scored `values[v]`; `means[k]` is their mean. `rho` is Spearman's with its 95 %
    interval, None where lengths or scores do not vary. `exact` is False where tokens are estimated. `left_out` says by
    reason how many scored items have no length.
    """

    text: TextKind
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


def measure_lengths(
    workspace: Workspace,
    table: ScoreTable,
    condition: ConditionKey,
    criterion: str,
    judge: str,
    progress: Progress | None = None,
) -> tuple[Lengths, ...]:
    """Return the prompt in characters and tokens, then the answer in both; also if no item has one, with the reasons.

    `condition` is one that the scores and the workspace have. At most 2,000 of its records, evenly spaced, are
    measured. An item with several scores counts once, with their mean. Raises Cancelled where `progress` says so.
    """
    items, scores = get_scored_items(table, condition, criterion, judge)
    sizes = measure_sizes(workspace, table, condition, progress)
    scale = table.criteria[criterion]
    prompts_left, answers_left = sizes.count_prompts_left(items), sizes.count_answers_left(items)
    return (
        _correlate(Lengths("prompt", "characters", left_out=prompts_left), sizes.prompts, items, scores, scale),
        _correlate(Lengths("prompt", "tokens", left_out=prompts_left), sizes.prompts, items, scores, scale),
        _correlate(Lengths("answer", "characters", left_out=answers_left), sizes.answers, items, scores, scale),
        _correlate(Lengths("answer", "tokens", left_out=answers_left), sizes.answers, items, scores, scale),
    )


def list_items_between(
    workspace: Workspace, table: ScoreTable, condition: ConditionKey, text: TextKind, unit: Unit, low: int, high: int
) -> frozenset[str]:
    """Return the items whose prompt or answer is so long, both ends included."""
    sizes = measure_sizes(workspace, table, condition)
    if text == "prompt":
        size_of = sizes.prompts
    else:
        size_of = sizes.answers
    return frozenset(item for item, size in size_of.items() if low <= getattr(size, unit) <= high)


def _correlate(
    empty: Lengths, size_of: Mapping[str, Size], items: Sequence[str], scores: Any, scale: Criterion
) -> Lengths:
    import numpy as np

    from readback.stats.correlation import spearman

    has_size = np.array([item in size_of for item in items], bool)
    if not has_size.any():
        return empty
    sizes = [size_of[item] for item in items if item in size_of]
    lengths = np.array([getattr(size, empty.unit) for size in sizes], np.int64)
    values = np.asarray(scores)[has_size]
    rho, span, n = spearman(lengths, values)
    return replace(
        count_ranges(empty, lengths, values, scale),
        n=n,
        exact=empty.unit == "characters" or all(size.exact for size in sizes),
        rho=rho,
        interval=(span.low, span.high) if span else None,
    )


def count_ranges(empty: Lengths, lengths: Any, scores: Any, scale: Criterion) -> Lengths:
    """Return `empty` with ranges, counts and means.

    `lengths` (whole numbers) and `scores` are arrays of equal length, at least one.
    """
    import numpy as np

    starts = _find_starts(lengths)
    range_of = np.searchsorted(starts, lengths, "right") - 1
    names, column = _bin_values(scores, scale)
    counts = np.bincount(range_of * len(names) + column, minlength=len(starts) * len(names)).reshape(
        len(starts), len(names)
    )
    means = np.bincount(range_of, scores, len(starts)) / counts.sum(1)
    ranges = ((int(lengths[range_of == k].min()), int(lengths[range_of == k].max())) for k in range(len(starts)))
    return replace(
        empty,
        values=names,
        ranges=tuple(ranges),
        counts=tuple(map(tuple, counts.tolist())),
        means=tuple(means.tolist()),
    )


def _find_starts(lengths: Any) -> Any:
    """Return where ranges begin that hold about equally many, at most 8 of them; equal lengths stay together."""
    import numpy as np

    ranges = int(min(BINS, max(1, len(lengths) // FEWEST)))
    cuts = np.unique(np.quantile(lengths, np.linspace(0, 1, ranges + 1), method="lower"))
    if len(cuts) > 1:
        return cuts[:-1]
    return cuts


def _bin_values(value: Any, scale: Criterion) -> tuple[tuple[str, ...], Any]:
    """Return the values, or ranges of them, and the number of each score's; means count at the nearest value."""
    import numpy as np

    if scale.values:
        listed = np.array(scale.values)
    else:
        listed = np.unique(value)
    if len(listed) <= VALUES:
        middles = (listed[1:] + listed[:-1]) / 2
        return tuple(map(number, listed.tolist())), np.searchsorted(middles, value, "right")
    if scale.low is None:
        low = value.min()
    else:
        low = scale.low
    if scale.high is None:
        high = value.max()
    else:
        high = scale.high
    ends = np.linspace(low, max(high, low + 1e-9), RANGES + 1)
    bins = np.clip(np.searchsorted(ends, value, "right") - 1, 0, RANGES - 1)
    return tuple(f"{number(a)} to {number(b)}" for a, b in pairwise(ends.tolist())), bins
