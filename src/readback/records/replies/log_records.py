"""Match the records of another tool's log with those of the dataset.

A sign decides for a whole log, the surest first:

id       the log's ids are ids of the dataset
fields   the log's rows and the dataset share columns with the same values (`question`, `context` …)
order    neither, but both have as many rows: then row n is record n
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from readback.records.dataset import Dataset, open_dataset
from readback.records.replies.logged_calls import RECORDS
from readback.types import DatasetSource

SAME_VALUES = 0.9  # share of a column's values in the log that the dataset must have
MOST_ROWS = 200_000  # of a dataset whose values are compared
HALF = 0.5


@dataclass(frozen=True, slots=True)
class MatchedRecords:
    """The id here of each record of a log, by its name there; the sign that decided, and the columns compared.

    `names` is the way back: the name in the log of each record here, of several the first. It is worked out once, for
    every answer is looked up by it.
    """

    ids: Mapping[str, str] = field(default_factory=dict)
    sign: str = "id"
    columns: tuple[str, ...] = ()
    names: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Work out `names`."""
        names: dict[str, str] = {}
        for name, record in self.ids.items():
            names.setdefault(record, name)
        object.__setattr__(self, "names", names)


def match_records(root: Path, records: Dataset, log: str) -> MatchedRecords:
    """Return how the records of the log at `log` below `root` belong to those of the dataset."""
    if records.source is None:  # without a dataset there is one record without an id
        return MatchedRecords()
    rows = open_dataset(root, DatasetSource(log, format=RECORDS, id="id"))
    return _match(_Pair(records, rows), records.indexed_as, rows.indexed_as)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two datasets that count as equal where they are indexed as the same: what the cache goes by is beside them."""

    records: Dataset
    rows: Dataset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Pair)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=16)
def _match(pair: _Pair, _: str, __: str) -> MatchedRecords:
    records, rows = pair.records, pair.rows
    names = rows.ids()
    by_id = {name: name for name in names if records.find(name) is not None}
    if records.path == rows.path or (names and len(by_id) >= HALF * len(names)):
        return MatchedRecords(by_id)
    by_fields, columns = _match_by_fields(records, rows)
    if len(by_fields) > max(len(by_id), HALF * len(names)):
        return MatchedRecords(by_fields, "fields", columns)
    if not by_id and names and len(names) == len(records):
        return MatchedRecords(dict(zip(names, records.ids(), strict=True)), "order")
    return MatchedRecords(by_id)


def _match_by_fields(records: Dataset, rows: Dataset) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the id here of each row of a log whose values are those of exactly one record."""
    shared = [name for name in rows.fields if name in records.fields and name != "id"]
    if not shared or len(records) > MOST_ROWS or len(rows) > MOST_ROWS:
        return {}, ()
    values_here = {name: {_spell(record.fields.get(name)) for record in records.records()} for name in shared}
    hits: Counter[str] = Counter()
    for row in rows.records():
        hits.update(name for name in shared if _spell(row.fields.get(name)) in values_here[name])
    columns = tuple(name for name in shared if hits[name] >= SAME_VALUES * len(rows))
    if not columns:
        return {}, ()
    ids_by_values: dict[tuple[str, ...], list[str]] = {}
    for record in records.records():
        values = tuple(_spell(record.fields.get(name)) for name in columns)
        ids_by_values.setdefault(values, []).append(record.id or "")
    matched: dict[str, str] = {}
    for row in rows.records():
        ids = ids_by_values.get(tuple(_spell(row.fields.get(name)) for name in columns), [])
        if len(ids) == 1 and row.id is not None:
            matched[row.id] = ids[0]
    return matched, columns


def _spell(value: Any) -> str:
    """Return a value as a cell of a table writes it, so that a number and its text are the same."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
