"""How sure a mean or a rate is: the interval that fits its scale, its number of rows and their clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from readback.scores.table import NONE
from readback.types import Criterion

if TYPE_CHECKING:
    from readback.stats.interval import Clustered

NARROW_METHODS = ("t", "bca")  # whose intervals are too short where one value holds most scores
CONCENTRATED = 0.7  # share of one value from which an interval for the mean is known to be too narrow
Span = tuple[float, float]


def is_too_narrow(share_of_one: float | None, method: str | None) -> bool:
    """Tell whether the interval of a mean is known to be too narrow: one value holds most scores, though not all."""
    return CONCENTRATED <= (share_of_one or 0) < 1 and method in NARROW_METHODS


@dataclass(frozen=True, slots=True)
class Certainty:
    """`interval` takes rows as independent; the clustered ones are None where every row is an item of its own.

    `clusters` without `interval_clustered`: they are too few to say anything, and `interval` is too narrow.
    `interval_on_scale`: see `scores.stats.Row`.
    """

    interval: Span | None = None
    method: str | None = None
    interval_clustered: Span | None = None
    clusters: int | None = None
    design_effect: float | None = None
    share_of_one: float | None = None
    method_clustered: str | None = None
    interval_on_scale: Span | None = None

    @property
    def span(self) -> Span | None:
        """The interval to be shown."""
        return choose_interval(self.interval, self.interval_clustered, self.clusters, self.design_effect)


def choose_interval(
    interval: Span | None, clustered: Span | None, clusters: int | None, effect: float | None
) -> Span | None:
    """Return the clustered interval where rows come in clusters; none where their design effect cannot be estimated.

    Clusters that all have the same mean have the effect 0 and no interval: there the one of the rows is.
    """
    if clustered is not None:
        return clustered
    if clusters is None or effect is not None:
        return interval
    return None


def certainty(values: Any, items: Any, clusters: Any, criterion: Criterion, declared: bool = False) -> Certainty:
    """Compute the intervals of the scored rows of one condition: arrays of their values, item codes and cluster codes.

    Rates (a binary criterion) by Wilson, means by `compute_mean_interval`. Rows are clustered by the clusters
    the file names, where every row has one; else by item, where items are in several rows (replicates, or several
    conditions taken together). `declared`: the criterion's values are its whole scale, and not only what was met.
    """
    import numpy as np

    n = len(values)
    if not n:
        return Certainty()
    distinct, counts = np.unique(values, return_counts=True)
    share = float(counts.max() / n)
    interval, method = _independent(distinct, counts, criterion)
    if bool((clusters != NONE).all()):
        codes = clusters
    elif _repeated(items):
        codes = items
    else:
        codes = None
    if codes is None:
        if declared:
            on_scale = _on_scale(distinct, counts, criterion)
        else:
            on_scale = None
        return Certainty(interval, method, share_of_one=share, interval_on_scale=on_scale)
    if not _repeated(codes):  # clusters of one row are no clusters
        return Certainty(interval, method, interval, n, 1.0, share, method)
    if criterion.scale == "nominal":
        return Certainty(clusters=len(np.unique(codes)), share_of_one=share)
    clustered = _clustered(values, codes, criterion)
    span = clustered.interval
    return Certainty(
        interval,
        method,
        (span.low, span.high) if span else None,
        clustered.clusters,
        clustered.design_effect,
        share,
        span.method if span else None,
    )


def _independent(distinct: Any, counts: Any, criterion: Criterion) -> tuple[Span | None, str | None]:
    from readback.stats import interval

    if criterion.scale == "binary":
        bounds = interval.wilson(float(counts[distinct == 1].sum()), float(counts.sum()))
        return (bounds.low, bounds.high), bounds.method
    if criterion.scale == "nominal":  # names, not amounts: a mean of them means nothing
        return None, None
    of_mean = interval.compute_mean_interval(distinct, counts)
    if of_mean:
        return ((of_mean.low, of_mean.high), of_mean.method)
    return (None, None)


def _clustered(values: Any, codes: Any, criterion: Criterion) -> Clustered:
    from readback.stats import interval

    if criterion.scale == "binary":
        return interval.compute_clustered_rate_interval(values == 1, codes)
    return interval.compute_clustered_interval(values, codes)


def _on_scale(distinct: Any, counts: Any, criterion: Criterion) -> Span | None:
    """Where `interval` is known to be too narrow, and the scale is a list that holds every value."""
    import numpy as np

    from readback.stats import interval

    n = int(counts.sum())
    weak = n < interval.ENOUGH_FOR_T or counts.max() >= CONCENTRATED * n
    listed = criterion.scale in ("ordinal", "numeric") and len(criterion.values) > 1
    if not weak or not listed or not np.isin(distinct, criterion.values).all():
        return None
    bounds = interval.compute_scale_interval(distinct, counts, criterion.values)
    if bounds:
        return (bounds.low, bounds.high)
    return None


def _repeated(items: Any) -> bool:
    import numpy as np

    return bool(np.bincount(items).max(initial=0) > 1)
