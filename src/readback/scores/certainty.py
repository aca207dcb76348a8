"""How sure a mean or a rate is: the interval that fits its scale, its number of rows and their clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from readback.scores.table import NONE
from readback.types import Criterion

CONCENTRATED = 0.7  # share of one value from which an interval for the mean is known to be too narrow
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Certainty:
    """`interval` takes rows as independent; the clustered one is None where every row is an item of its own."""

    interval: Span | None = None
    method: str | None = None
    interval_clustered: Span | None = None
    clusters: int | None = None
    design_effect: float | None = None
    share_of_one: float | None = None


def certainty(values: Any, items: Any, clusters: Any, criterion: Criterion) -> Certainty:
    """The intervals of the scored rows of one condition: arrays of their values, item codes and cluster codes.

    Rates (a binary criterion) by Wilson, means by `statistics.interval.of_mean`. Rows are clustered by the clusters
    the file names, where every row has one; else by item, where items stand in several rows (replicates, or several
    conditions taken together).
    """
    import numpy as np

    n = len(values)
    if not n:
        return Certainty()
    distinct, counts = np.unique(values, return_counts=True)
    share = float(counts.max() / n)
    interval, method = _independent(distinct, counts, criterion)
    codes = clusters if bool((clusters != NONE).all()) else items if _repeated(items) else None
    if codes is None:
        return Certainty(interval, method, share_of_one=share)
    span, many, effect = _clustered(values, codes, criterion)
    return Certainty(interval, method, span, many, effect, share)


def _independent(distinct: Any, counts: Any, criterion: Criterion) -> tuple[Span | None, str | None]:
    from readback.statistics import interval

    if criterion.scale == "binary":
        found = interval.wilson(float(counts[distinct == 1].sum()), float(counts.sum()))
        return (found.low, found.high), found.method
    if criterion.scale == "nominal":  # names, not amounts: a mean of them means nothing
        return None, None
    of_mean = interval.of_mean(distinct, counts)
    return ((of_mean.low, of_mean.high), of_mean.method) if of_mean else (None, None)


def _clustered(values: Any, codes: Any, criterion: Criterion) -> tuple[Span | None, int, float | None]:
    from readback.statistics import interval

    found = interval.clustered(values, codes)
    effect = found.design_effect
    if criterion.scale == "binary" and effect:
        rate = interval.wilson(float(values.sum()) / effect, len(values) / effect)
        return (rate.low, rate.high), found.clusters, effect
    if criterion.scale == "nominal" or found.interval is None:
        return None, found.clusters, effect
    return (found.interval.low, found.interval.high), found.clusters, effect


def _repeated(items: Any) -> bool:
    import numpy as np

    return bool(np.bincount(items).max(initial=0) > 1)
