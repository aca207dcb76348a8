"""Give a program the records of a workspace: one after another, by id or number, or as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readback.notebook.unknown_name import UnknownNameError
from readback.quantity import quantity
from readback.records.dataset import Dataset
from readback.records.missing_record import format_missing_record
from readback.types import Record

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Records:
    """Records that are read from disk when they are needed. A workspace without data has none."""

    dataset: Dataset

    def __len__(self) -> int:
        if self.dataset.source:
            return len(self.dataset)
        return 0

    def __iter__(self) -> Iterator[Record]:
        return self.dataset.records(0, len(self))

    def __getitem__(self, key: str | int) -> Record:
        """Return the record of an id, or of a number from 0; below 0 from the end. Raises KeyError and IndexError."""
        if isinstance(key, str):
            index = self.dataset.find(key)
            if index is None:
                raise UnknownNameError(f"there is {format_missing_record(key, self.dataset)}")
            return self.dataset.record(index)
        if not -len(self) <= key < len(self):
            raise IndexError(f"there is no record {key}: there are {len(self)}, counted from 0")
        return self.dataset.record(key % len(self))

    def record(self, index: int) -> Record:
        """Return the record of that number, from 0. Raises IndexError."""
        return self.dataset.record(index)

    def ids(self, start: int = 0, stop: int | None = None) -> tuple[str, ...]:
        """Return the ids of a range of records, as of a slice."""
        return self.dataset.ids(start, stop)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names that records have at their top level."""
        return self.dataset.fields

    def to_pandas(self) -> pandas.DataFrame:
        """Return all records: a row for each, under its id, and a column for each field; None where it is absent.

        All are in memory. No value is changed: ids and texts stay text, lists and objects stay what they are, private
        fields are masked.
        """
        import pandas

        rows = [[record.fields.get(name) for name in self.fields] for record in self]
        index = pandas.Index(list(self.ids(0, len(self))), dtype=object, name="record")
        return pandas.DataFrame(rows, index=index, columns=list(self.fields), dtype=object).infer_objects()

    def __repr__(self) -> str:
        return f"{quantity(len(self), 'record')} of {self.dataset.file or 'no file'}: {', '.join(self.fields)}"
