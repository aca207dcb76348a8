"""Which fields of the records sort the scored items into a few kinds, such as their topic or their difficulty."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.field_path import MASK
from readback.scores.files.cells import legible
from readback.scores.table import ScoreTable
from readback.types import Record, Values, Workspace

FEWEST, MOST_VALUES = 2, 30
LONGEST = 80  # characters: what is longer is a text and names no kind
RECORDS = 20_000  # looked at; more than a study scores by records, few enough to be read in a second or two
DEEP = 3  # objects inside objects
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, eq=False)
class SliceField:
    """A field of the records by which scores can be told apart.

    `values` are its distinct values, the most frequent first, with how many scored items have each in `counts`;
    `without` items are records that have no such value. `of` gives the value of each item that has one.
    """

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]
    without: int
    of: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class SliceFields:
    """The fields in the order of the records; `records` of `items` scored items were found and looked at.

    `left` items were not looked at because there are more than 20,000.
    """

    fields: tuple[SliceField, ...] = ()
    items: int = 0
    records: int = 0
    left: int = 0


def fields(workspace: Workspace, table: ScoreTable) -> SliceFields:
    """The fields with 2 to 30 values over the scored items, an item being the record of the same id.

    Nested fields have dotted names; texts above 80 characters, lists and private fields are no kinds. A field of which
    every item has a value of its own is none either. Read once for a dataset as it is on disk.
    """
    if workspace.dataset is None or not table.columns.items:
        return SliceFields(items=len(table.columns.items))
    return _fields(_Asked(table, open_dataset(workspace.root, workspace.dataset)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is remembered: the scores, and the dataset by its file, size and time."""

    table: ScoreTable
    data: Dataset

    def __hash__(self) -> int:
        return hash((id(self.table), self.data.path, self.data._state))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and self.table is other.table
            and (self.data.path, self.data._state, self.data.source)
            == (other.data.path, other.data._state, other.data.source)
        )


@lru_cache(maxsize=4)
def _fields(asked: _Asked) -> SliceFields:
    items = asked.table.columns.items
    open_fields: dict[str, dict[str, str] | None] = {}  # None: no kind after all
    seen: dict[str, set[str]] = {}
    records = 0
    for item, record in _records(asked.data, items[:RECORDS]):
        records += 1
        for name, text in _texts(record.fields):
            given = open_fields.setdefault(name, {})
            if given is None:
                continue
            if text is not None:
                given[item] = text
                seen.setdefault(name, set()).add(text)
            if text is None or len(seen[name]) > MOST_VALUES:
                open_fields[name] = None
    found = tuple(
        _field(name, of, records)
        for name, of in open_fields.items()
        if of and FEWEST <= len(seen[name]) < len(of) and name != asked.data.id_field
    )
    return SliceFields(found, len(items), records, max(len(items) - RECORDS, 0))


def _field(name: str, of: Mapping[str, str], records: int) -> SliceField:
    counted = Counter(of.values()).most_common()
    return SliceField(
        name, tuple(value for value, _ in counted), tuple(count for _, count in counted), records - len(of), of
    )


def _records(data: Dataset, items: tuple[str, ...]) -> Iterator[tuple[str, Record]]:
    for item in items:
        if (index := data.find(item)) is None:
            continue
        try:
            yield item, data.record(index)
        except DatasetChanged:  # written to meanwhile: the next look opens it anew
            return


def _texts(values: Values, prefix: str = "", deep: int = DEEP) -> Iterator[tuple[str, str | None]]:
    """Each field with its value as text, None where the value names no kind; empty and null ones are left out."""
    for name, value in values.items():
        if isinstance(value, dict):
            if deep > 1:
                yield from _texts(value, f"{prefix}{name}.", deep - 1)
        elif value is not None and value != "":
            yield legible(prefix + name), _text(value)


def _text(value: Any) -> str | None:
    if isinstance(value, list) or value == MASK:
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    return legible(text) if len(text) <= LONGEST else None
