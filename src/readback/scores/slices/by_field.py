"""Scores by a field of the records: how a condition does, or two compare, for each value of the field.

    fields(workspace, table) -> SliceFields                                    which fields there are (slice_fields.py)
    slices(table, field.of, criterion, judge, a[, b]) -> Sliced           the numbers

Nobody planned to look here, so everything is exploratory: p is adjusted over the values of the field, and a slice
never is in the first sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readback.scores.certainty import certainty
from readback.scores.comparing.difference import EXACT, FEW
from readback.scores.comparing.paired_items import PairedItems, pair_items
from readback.scores.slices.fields import SliceField, SliceFields, fields
from readback.scores.table import NONE, ConditionKey, ScoreTable
from readback.types import Criterion

__all__ = ["Slice", "SliceField", "SliceFields", "Sliced", "fields", "slices"]

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Slice:
    """The items with one value of the field: those scored under `a`, with `b` those scored under both.

    Without `b`, `interval` is that of `mean_a` and p says whether the mean differs from that of all other items
    (Welch). With `b`, `difference` is the paired mean of b − a with `interval`, `wins` counts items where b is higher,
    and p is that of the sign-flip permutation test (McNemar's exact test for a binary criterion). `interval` is the
    clustered one where items carry clusters; None below 5 items. `p_adjusted` is Benjamini and Hochberg's over the
    slices with a p.
    """

    value: str
    n: int
    mean_a: float
    mean_b: float | None = None
    difference: float | None = None
    interval: Span | None = None
    method: str | None = None
    clusters: int | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    p: float | None = None
    p_method: str | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Sliced:
    """The slices, the largest first. `without` items have no value of the field and are in none of them."""

    a: ConditionKey
    b: ConditionKey | None
    criterion: str
    judge: str
    slices: tuple[Slice, ...] = ()
    without: int = 0

    @property
    def n(self) -> int:
        """Every item that was looked at."""
        return self.without + sum(one.n for one in self.slices)


def slices(
    table: ScoreTable,
    values: Mapping[str, str],
    criterion: str,
    judge: str,
    a: ConditionKey,
    b: ConditionKey | None = None,
) -> Sliced:
    """The scores of `a`, or the paired differences b − a, by the value that `values` gives each item.

    `values` is `SliceField.of`; `a` and `b` are conditions, or two values of one factor. Whether a and b may be
    compared at all is asked of `comparability.against` first.
    """
    import numpy as np

    shared = pair_items(table, a, a if b is None else b, criterion, judge)
    given = np.array([values.get(item, "") for item in shared.items], object)
    names, counts = np.unique(given[given != ""].astype(str), return_counts=True)
    order = sorted(range(len(names)), key=lambda at: (-int(counts[at]), str(names[at])))
    made = [
        _slice(table.criteria[criterion], shared, given == names[at], str(names[at]), b is not None) for at in order
    ]
    return Sliced(a, b, criterion, judge, _adjusted(made), int((given == "").sum()))


def _slice(criterion: Criterion, shared: PairedItems, here: Any, value: str, paired: bool) -> Slice:
    import numpy as np

    clusters = None if shared.clusters is None else shared.clusters[here]
    if paired:
        return _compared(criterion, shared.a[here], shared.b[here], clusters, value)
    codes = np.full(int(here.sum()), NONE) if clusters is None else clusters
    sure = certainty(shared.a[here], np.flatnonzero(here), codes, criterion)
    p = _apart(shared.a[~here], shared.a[here])
    return Slice(
        value,
        int(here.sum()),
        float(shared.a[here].mean()),
        interval=sure.span if here.sum() >= FEW else None,
        method=sure.method_clustered or sure.method,
        clusters=sure.clusters,
        p=p,
        p_method=None if p is None else "Welch's t test against all other items",
    )


def _apart(others: Any, mine: Any) -> float | None:
    from readback.stats.two_groups import welch

    found = welch(others, mine) if min(len(others), len(mine)) >= FEW else None
    return found.p if found else None


def _compared(criterion: Criterion, a: Any, b: Any, clusters: Any, value: str) -> Slice:
    import numpy as np

    from readback.stats import interval, paired

    d = np.round(b - a, EXACT)  # means of the same scores differ by rounding alone
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    made = Slice(
        value, len(d), float(a.mean()), float(b.mean()), float(d.mean()),
        wins=wins, ties=len(d) - wins - losses, losses=losses,
    )  # fmt: skip
    if len(d) < FEW:
        return made
    span = interval.compute_difference_interval(d, clusters)
    single = criterion.scale == "binary" and clusters is None and bool(np.isin([*a, *b], (0, 1)).all())
    p, how = (paired.mcnemar(wins, losses), "exact McNemar test") if single else paired.sign_flip(d, clusters)
    return replace(
        made,
        interval=(span.low, span.high) if span else None,
        method=span.method if span else None,
        clusters=None if clusters is None else len(np.unique(clusters)),
        p=p,
        p_method=how,
    )


def _adjusted(made: Sequence[Slice]) -> tuple[Slice, ...]:
    from readback.stats.multiple_tests import benjamini_hochberg

    tested = [at for at, one in enumerate(made) if one.p is not None]
    adjusted = (
        dict(zip(tested, benjamini_hochberg([made[at].p or 0.0 for at in tested]), strict=True)) if tested else {}
    )
    return tuple(replace(one, p_adjusted=adjusted.get(at)) for at, one in enumerate(made))
