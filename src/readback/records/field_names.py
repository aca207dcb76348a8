"""Which fields the records of a dataset have, and whether those the workspace names are among them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from readback.records.field_path import MISSING, look, mask, names
from readback.types import DatasetSource, Diagnostic, Location, Values

MOST = 2_000  # names counted: keys that are data (`coverage: {"1": …}`) are not fields
LONGEST = 200  # characters of one name
NAMED = 20  # names listed in a diagnostic


class FieldNames:
    """Counts the field names of rows, and looks out for the fields a source names."""

    def __init__(self, source: DatasetSource, private: Sequence[str]) -> None:
        self.counts: dict[str, int] = {}
        self.top: dict[str, None] = {}
        self._source = source
        self._targets = dict.fromkeys(
            [*([source.id] if source.id else ()), *source.fields.values(), *(source.json or ())]
        )
        self._private = dict.fromkeys(private)

    def see(self, fields: Values) -> None:
        counts = self.counts
        for name in names(fields):
            if name in counts:
                counts[name] += 1
            elif len(counts) < MOST and len(name) <= LONGEST:
                counts[name] = 1
                if name in fields:
                    self.top[name] = None
        for target in [one for one in self._targets if look(fields, one) is not MISSING]:
            del self._targets[target]
        for target in [one for one in self._private if mask(fields, one)[1]]:
            del self._private[target]

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """Fields that the source names and no record has, and field names with characters nobody sees."""
        for target in self._targets:
            yield self._unknown(target)
        for target in self._private:
            if target in self._source.private:
                # not a mere typo: what should be hidden is shown
                yield self._unknown(target, "error")
        for name in self.counts:
            if not name.isprintable():
                yield invisible("field name", name, Location(file=file, field=name))

    def _unknown(self, target: str, severity: str | None = None) -> Diagnostic:
        close = difflib.get_close_matches(target, self.counts, n=1, cutoff=0.6)
        values = {"key": target, "nearest": close[0] if close else "", "known": list(self.top)[:NAMED]}
        return Diagnostic("dat-unknown-key", values, self._source.place, target, "error" if severity else None)


def invisible(what: str, text: str, place: Location) -> Diagnostic:
    """The diagnostic for a text that holds characters nobody sees."""
    letters = dict.fromkeys(letter for letter in text if not letter.isprintable())
    characters = [f"U+{ord(letter):04X}" for letter in letters]
    return Diagnostic("dat-invisible-character", {"what": what, "text": text, "characters": characters}, place, text)
