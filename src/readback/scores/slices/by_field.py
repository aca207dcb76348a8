"""Compute scores by a field of the records: how a condition does, or two compare, for each value of the field.

list_fields(workspace, table) -> SliceFields                            which fields there are
slice_scores(table, field.value_of, criterion, judge, a[, b]) -> Sliced the numbers

Nobody planned to look here, so everything is exploratory: p is adjusted over the values of the field, and a slice is
never in the first sentence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.fields.field_path import MASK
from readback.scores.certainty import certainty
from readback.scores.comparing.difference import EXACT, FEW
from readback.scores.comparing.paired_items import PairedItems, pair_items
from readback.scores.files.cells import legible
from readback.scores.table import NONE, ConditionKey, ScoreTable
from readback.types import Criterion, Record, Values, Workspace

FEWEST, MOST_VALUES = 2, 30
LONGEST = 80  # characters: what is longer is a text and names no kind
RECORDS = 20_000  # looked at; more than a study scores by records, few enough to be read in a second or two
DEEP = 3  # objects inside objects
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, eq=False)
class SliceField:
    """Describe a field of the records by which scores can be told apart.

    `values` are its distinct values, the most frequent first, with how many scored items have each in `counts`;
    `without` items are records that have no such value. `value_of` gives the value of each item that has one.
    """

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]
    without: int
    value_of: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class SliceFields:
    """List the fields in the order of the records; `records` of `items` scored items were found and looked at.

    `left` items were not looked at because there are more than 20,000.
    """

    fields: tuple[SliceField, ...] = ()
    items: int = 0
    records: int = 0
    left: int = 0


def list_fields(workspace: Workspace, table: ScoreTable) -> SliceFields:
    """Return the fields with 2 to 30 values over the scored items, an item being the record of the same id.

    Nested fields have dotted names; texts above 80 characters, lists and private fields are left out, as is a field
    that has another value for every item. Read once for a dataset as it is on disk.
    """
    if workspace.dataset is None or not table.columns.items:
        return SliceFields(items=len(table.columns.items))
    return _list_fields(_FieldRequest(table, open_dataset(workspace.root, workspace.dataset)))


@dataclass(frozen=True, slots=True)
class _FieldRequest:
    """Identify what is cached: the scores, and the dataset by its file, size and time."""

    table: ScoreTable
    data: Dataset

    def __hash__(self) -> int:
        return hash((id(self.table), self.data.path, self.data._state))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _FieldRequest)
            and self.table is other.table
            and (self.data.path, self.data._state, self.data.source)
            == (other.data.path, other.data._state, other.data.source)
        )


@lru_cache(maxsize=4)
def _list_fields(request: _FieldRequest) -> SliceFields:
    items = request.table.columns.items
    candidates: dict[str, dict[str, str] | None] = {}  # None: the field does not sort the items after all
    distinct: dict[str, set[str]] = {}
    records = 0
    for item, record in _list_records(request.data, items[:RECORDS]):
        records += 1
        for name, text in _list_texts(record.fields):
            value_of = candidates.setdefault(name, {})
            if value_of is None:
                continue
            if text is not None:
                value_of[item] = text
                distinct.setdefault(name, set()).add(text)
            if text is None or len(distinct[name]) > MOST_VALUES:
                candidates[name] = None
    slice_fields: list[SliceField] = []
    for name, value_of in candidates.items():
        if value_of and FEWEST <= len(distinct[name]) < len(value_of) and name != request.data.id_field:
            slice_fields.append(_build_field(name, value_of, records))
    return SliceFields(tuple(slice_fields), len(items), records, max(len(items) - RECORDS, 0))


def _build_field(name: str, value_of: Mapping[str, str], records: int) -> SliceField:
    counted = Counter(value_of.values()).most_common()
    values = tuple(value for value, _ in counted)
    return SliceField(name, values, tuple(count for _, count in counted), records - len(value_of), value_of)


def _list_records(data: Dataset, items: tuple[str, ...]) -> Iterator[tuple[str, Record]]:
    for item in items:
        index = data.find(item)
        if index is None:
            continue
        try:
            yield item, data.record(index)
        except DatasetChanged:  # written to meanwhile: the next look opens it anew
            return


def _list_texts(values: Values, prefix: str = "", depth: int = DEEP) -> Iterator[tuple[str, str | None]]:
    """Yield each field with its value as text; None where it cannot sort items; empty and null ones are left out."""
    for name, value in values.items():
        if isinstance(value, dict):
            if depth > 1:
                yield from _list_texts(value, f"{prefix}{name}.", depth - 1)
        elif value is not None and value != "":
            yield legible(prefix + name), _format_value(value)


def _format_value(value: Any) -> str | None:
    if isinstance(value, list) or value == MASK:
        return None
    if isinstance(value, str):
        text = value
    else:
        text = json.dumps(value)
    if len(text) <= LONGEST:
        return legible(text)
    return None


Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Slice:
    """Hold the items with one value of the field: those scored under `a`, with `b` those scored under both.

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
    """Hold the slices, the largest first. `without` items have no value of the field and are in none of them."""

    a: ConditionKey
    b: ConditionKey | None
    criterion: str
    judge: str
    slices: tuple[Slice, ...] = ()
    without: int = 0

    @property
    def n(self) -> int:
        """The number of items that were looked at."""
        return self.without + sum(part.n for part in self.slices)


def slice_scores(
    table: ScoreTable,
    values: Mapping[str, str],
    criterion: str,
    judge: str,
    a: ConditionKey,
    b: ConditionKey | None = None,
) -> Sliced:
    """Return the scores of `a`, or the paired differences b − a, by the value that `values` gives each item.

    `values` is `SliceField.value_of`; `a` and `b` are conditions, or two values of one factor. Whether a and b may be
    compared at all is for the caller to ask of `comparability.find_obstacles` first.
    """
    import numpy as np

    shared = pair_items(table, a, a if b is None else b, criterion, judge)
    value_of_item = np.array([values.get(item, "") for item in shared.items], object)
    names, counts = np.unique(value_of_item[value_of_item != ""].astype(str), return_counts=True)
    slices: list[Slice] = []
    for code in sorted(range(len(names)), key=lambda code: (-int(counts[code]), str(names[code]))):
        in_slice = value_of_item == names[code]
        slices.append(_build_slice(table.criteria[criterion], shared, in_slice, str(names[code]), b is not None))
    return Sliced(a, b, criterion, judge, _adjust_p(slices), int((value_of_item == "").sum()))


def _build_slice(criterion: Criterion, shared: PairedItems, in_slice: Any, value: str, paired: bool) -> Slice:
    import numpy as np

    if shared.clusters is None:
        clusters = None
    else:
        clusters = shared.clusters[in_slice]
    if paired:
        return _compare_slice(criterion, shared.a[in_slice], shared.b[in_slice], clusters, value)
    if clusters is None:
        codes = np.full(int(in_slice.sum()), NONE)
    else:
        codes = clusters
    certainty_of_mean = certainty(shared.a[in_slice], np.flatnonzero(in_slice), codes, criterion)
    p = _compare_with_others(shared.a[~in_slice], shared.a[in_slice])
    return Slice(
        value,
        int(in_slice.sum()),
        float(shared.a[in_slice].mean()),
        interval=certainty_of_mean.span if in_slice.sum() >= FEW else None,
        method=certainty_of_mean.method_clustered or certainty_of_mean.method,
        clusters=certainty_of_mean.clusters,
        p=p,
        p_method=None if p is None else "Welch's t test against all other items",
    )


def _compare_with_others(others: Any, values: Any) -> float | None:
    """Return Welch's p; None with too few values on one side."""
    from readback.stats.two_groups import welch

    if min(len(others), len(values)) < FEW:
        return None
    test = welch(others, values)
    if test:
        return test.p
    return None


def _compare_slice(criterion: Criterion, a: Any, b: Any, clusters: Any, value: str) -> Slice:
    import numpy as np

    from readback.stats import interval, paired

    d = np.round(b - a, EXACT)  # means of the same scores differ by rounding alone
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    ties = len(d) - wins - losses
    compared = Slice(
        value, len(d), float(a.mean()), float(b.mean()), float(d.mean()), wins=wins, ties=ties, losses=losses
    )
    if len(d) < FEW:
        return compared
    span = interval.compute_difference_interval(d, clusters)
    if criterion.scale == "binary" and clusters is None and bool(np.isin([*a, *b], (0, 1)).all()):
        p, p_method = paired.mcnemar(wins, losses), "exact McNemar test"
    else:
        p, p_method = paired.sign_flip(d, clusters)
    return replace(
        compared,
        interval=(span.low, span.high) if span else None,
        method=span.method if span else None,
        clusters=None if clusters is None else len(np.unique(clusters)),
        p=p,
        p_method=p_method,
    )


def _adjust_p(slices: Sequence[Slice]) -> tuple[Slice, ...]:
    """Return the slices with Benjamini and Hochberg's p over those that have one."""
    from readback.stats.multiple_tests import benjamini_hochberg

    tested = [position for position, part in enumerate(slices) if part.p is not None]
    adjusted: dict[int, float] = {}
    if tested:
        adjusted = dict(zip(tested, benjamini_hochberg([slices[at].p or 0.0 for at in tested]), strict=True))
    return tuple(replace(part, p_adjusted=adjusted.get(position)) for position, part in enumerate(slices))
