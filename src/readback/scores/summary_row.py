"""What is known of the scores of one condition under one criterion by one judge."""

from __future__ import annotations

from dataclasses import dataclass

from readback.scores.certainty import choose_interval
from readback.scores.table import ConditionKey


@dataclass(frozen=True, slots=True)
class Row:
    """One condition (or one value of a factor) under one criterion by one judge.

    `n` counts scored rows; `missing` counts items that were judged somewhere but have no value here (of items that are
    called by their lines, for want of ids, only those whose row has no value). `mean` is None where n is 0.
    `distribution` holds (value or range, count), the whole scale where it is a list.

    `interval_on_scale` is there only where `interval` is known to be too narrow: one value holds 70 % of the scores or
    more, or there are 5 to 14; on a declared list of grades, without clusters. To be shown beside `interval`, as the
    one that is right more often ("on the scale, Dirichlet": `stats.interval.compute_scale_interval`).
    """

    condition: ConditionKey
    criterion: str
    judge: str
    n: int
    failed: int
    missing: int
    not_applicable: int
    mean: float | None
    distribution: tuple[tuple[str, int], ...]
    interval: tuple[float, float] | None = None  # takes rows as independent
    method: str | None = None
    interval_clustered: tuple[float, float] | None = None  # where rows share a cluster, or an item is in several
    clusters: int | None = None
    design_effect: float | None = None
    share_of_one: float | None = None  # of the value given most often
    method_clustered: str | None = None
    interval_on_scale: tuple[float, float] | None = None
    not_read: int = 0  # of the missing ones: replies whose form is not known
    in_question: int = 0  # of the failed ones: numbers of which nobody has said whether they are scores

    @property
    def span(self) -> tuple[float, float] | None:
        """The interval that pages and sentences use."""
        return choose_interval(self.interval, self.interval_clustered, self.clusters, self.design_effect)

    @property
    def span_method(self) -> str | None:
        """How `span` was made."""
        if self.span is None:
            return None
        if self.interval_clustered:
            return self.method_clustered
        return self.method

    @property
    def all(self) -> int:
        """Every cell there should be, but for those that do not apply."""
        return self.n + self.failed + self.missing
