"""Count the field names of a dataset and check those that the workspace names."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from readback.records.fields.field_path import MISSING, list_names, look, mask
from readback.types import DatasetSource, Diagnostic, Location, Values

MOST = 2_000  # names counted; beyond these, keys are data (`coverage: {"1": …}`) and not fields
LONGEST = 200  # characters of one name
NAMED = 20  # names listed in a diagnostic
SHAPES = 256  # distinct shapes of rows that are cached: most rows of a file share a few
SMALL = 200  # names in a cached shape
DEPTH = 3  # levels of names inside objects
Shape = tuple[Any, ...]


class FieldNames:
    """Counts the field names of rows, and notes which fields named by the source occur."""

    def __init__(self, source: DatasetSource, private: Sequence[str]) -> None:
        self._names: dict[str, int] = {}
        self._shapes: dict[Shape, int] = {}  # rows of each shape that are not counted in _names
        self._counted: dict[Shape, tuple[str, ...]] = {}  # the counted names of each shape
        self.top: dict[str, None] = {}
        self._source = source
        self._targets = dict.fromkeys(
            [*([source.id] if source.id else ()), *source.fields.values(), *(source.json or ())]
        )
        self._private = dict.fromkeys(private)

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows with each name, in the order of first occurrence."""
        counts = dict(self._names)
        for shape, times in self._shapes.items():
            for name in self._counted[shape]:
                counts[name] += times
        return counts

    def add(self, fields: Values) -> None:
        """Count the names of the next row."""
        shape = _find_shape(fields, DEPTH)
        if shape in self._shapes:
            self._shapes[shape] += 1
        else:
            counted = tuple(self._count_names(fields))
            small = len(counted) <= SMALL and len(counted) == sum(1 for _ in list_names(fields, DEPTH))
            if small and len(self._shapes) < SHAPES:
                self._shapes[shape] = 0
                self._counted[shape] = counted
        if self._targets or self._private:
            self._strike_targets(fields)

    def _count_names(self, fields: Values) -> Iterator[str]:
        """Count each name of a row; yield the counted ones as often as they occur."""
        counts = self._names
        for name in list_names(fields, DEPTH):
            if name in counts:
                counts[name] += 1
                yield name
            elif len(counts) < MOST and len(name) <= LONGEST:
                counts[name] = 1
                if name in fields:
                    self.top[name] = None
                yield name

    def _strike_targets(self, fields: Values) -> None:
        """Remove the targets that this row has."""
        for target in list(self._targets):
            if look(fields, target) is not MISSING:
                del self._targets[target]
        for target in list(self._private):
            if mask(fields, target)[1]:
                del self._private[target]

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """Yield diagnostics for missing fields that the source names, and for invisible characters in names."""
        counts = self.counts
        for target in self._targets:
            yield self._report_unknown(target)
        for target in self._private:
            if target in self._source.private:
                # an error: what should be hidden is visible
                yield self._report_unknown(target, "error")
        for name in counts:
            if not name.isprintable():
                yield report_invisible("field name", name, Location(file=file, field=name))

    def _report_unknown(self, target: str, severity: str | None = None) -> Diagnostic:
        close = difflib.get_close_matches(target, self.counts, n=1, cutoff=0.6)
        values = {"key": target, "nearest": close[0] if close else "", "known": list(self.top)[:NAMED]}
        return Diagnostic("dat-unknown-key", values, self._source.place, target, "error" if severity else None)


def _find_shape(values: Values, depth: int) -> Shape:
    """Return the names of a row in order, with those of nested objects; rows of the same shape are equal in them."""
    return tuple(
        [
            (name, _find_shape(value, depth - 1)) if depth > 1 and isinstance(value, dict) else name
            for name, value in values.items()
        ]
    )


def report_invisible(what: str, text: str, place: Location) -> Diagnostic:
    """Return the diagnostic for a text with invisible characters."""
    letters = dict.fromkeys(letter for letter in text if not letter.isprintable())
    characters = [f"U+{ord(letter):04X}" for letter in letters]
    return Diagnostic("dat-invisible-character", {"what": what, "text": text, "characters": characters}, place, text)
