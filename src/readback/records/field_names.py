"""Which fields the records of a dataset have, and whether those the workspace names are among them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from readback.records.field_path import MISSING, look, mask, names
from readback.types import DatasetSource, Diagnostic, Location, Values

MOST = 2_000  # names counted: keys that are data (`coverage: {"1": …}`) are not fields
LONGEST = 200  # characters of one name
NAMED = 20  # names listed in a diagnostic
SHAPES = 256  # sets of names remembered: most rows of a file have the same few
SMALL = 200  # names of a set that is remembered, all of them counted
DEEP = 3  # levels of names inside objects
Shape = tuple[Any, ...]


class FieldNames:
    """Counts the field names of rows, and looks out for the fields a source names."""

    def __init__(self, source: DatasetSource, private: Sequence[str]) -> None:
        self._names: dict[str, int] = {}
        self._shapes: dict[Shape, int] = {}  # rows of each shape, beyond those that are in _names
        self._counted: dict[Shape, tuple[str, ...]] = {}  # the names of each that are counted
        self.top: dict[str, None] = {}
        self._source = source
        self._targets = dict.fromkeys(
            [*([source.id] if source.id else ()), *source.fields.values(), *(source.json or ())]
        )
        self._private = dict.fromkeys(private)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each name, in the order in which they were seen first."""
        found = dict(self._names)
        for shape, times in self._shapes.items():
            for name in self._counted[shape]:
                found[name] += times
        return found

    def see(self, fields: Values) -> None:
        """Take in the names of the next row."""
        shape = _shape(fields, DEEP)
        if shape in self._shapes:
            self._shapes[shape] += 1
        else:
            counted = tuple(self._each(fields))
            small = len(counted) <= SMALL and len(counted) == sum(1 for _ in names(fields, DEEP))
            if small and len(self._shapes) < SHAPES:
                self._shapes[shape] = 0
                self._counted[shape] = counted
        if self._targets or self._private:
            self._look_out(fields)

    def _each(self, fields: Values) -> Iterator[str]:
        """Count each name of a row; gives those that are counted, as often as they are there."""
        counts = self._names
        for name in names(fields, DEEP):
            if name in counts:
                counts[name] += 1
                yield name
            elif len(counts) < MOST and len(name) <= LONGEST:
                counts[name] = 1
                if name in fields:
                    self.top[name] = None
                yield name

    def _look_out(self, fields: Values) -> None:
        for target in [one for one in self._targets if look(fields, one) is not MISSING]:
            del self._targets[target]
        for target in [one for one in self._private if mask(fields, one)[1]]:
            del self._private[target]

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """Fields that the source names and no record has, and field names with characters nobody sees."""
        counts = self.counts
        for target in self._targets:
            yield self._unknown(target)
        for target in self._private:
            if target in self._source.private:
                # not a mere typo: what should be hidden is shown
                yield self._unknown(target, "error")
        for name in counts:
            if not name.isprintable():
                yield invisible("field name", name, Location(file=file, field=name))

    def _unknown(self, target: str, severity: str | None = None) -> Diagnostic:
        close = difflib.get_close_matches(target, self.counts, n=1, cutoff=0.6)
        values = {"key": target, "nearest": close[0] if close else "", "known": list(self.top)[:NAMED]}
        return Diagnostic("dat-unknown-key", values, self._source.place, target, "error" if severity else None)


def _shape(values: Values, deep: int) -> Shape:
    """The names of a row, those of objects inside it with them, in their order: two rows of a shape have the same."""
    return tuple(
        [(name, _shape(v, deep - 1)) if deep > 1 and isinstance(v, dict) else name for name, v in values.items()]
    )


def invisible(what: str, text: str, place: Location) -> Diagnostic:
    """The diagnostic for a text that holds characters nobody sees."""
    letters = dict.fromkeys(letter for letter in text if not letter.isprintable())
    characters = [f"U+{ord(letter):04X}" for letter in letters]
    return Diagnostic("dat-invisible-character", {"what": what, "text": text, "characters": characters}, place, text)
