"""What a file of training rows is, counted while it is read: kinds of rows, other names for keys, longer answers.

What can be said only of a whole file is noted when its last row was seen; a row costs a byte.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from readback.records import training_reader
from readback.records.system_texts import count
from readback.records.training_row import KINDS, SAID, TrainingRow, kind_of, trains
from readback.types import Diagnostic, Location, Values

LEAST = 20  # pairs from which on their lengths tell something
SHARE = 0.8  # of the pairs whose chosen answer is the longer one, from which on it is said
OTHER = len(KINDS)


class Census:
    """Counts rows by kind as they come."""

    def __init__(self, private: bool = False) -> None:
        self.systems = Counter[str]()  # none where fields are private: their words are not kept
        self._private = private
        self._kinds = bytearray()
        self._aliases: dict[tuple[str, str], int] = {}
        self._times = Counter[tuple[str, str]]()
        self._longer = array("q", (0, 0))  # pairs whose chosen answer is the longer one; pairs
        self._unasked = array("q")  # pairs of texts without a prompt
        self._texts = 0  # pairs of texts

    def see(self, fields: Values) -> None:
        """Take in the next row."""
        kind = kind_of(fields)
        row = training_reader.read(fields) if trains(kind, fields) else None
        if row and row.system and not self._private:
            count(self.systems, row.system.text)
        for alias in row.aliases if row else ():
            self._aliases.setdefault(alias, len(self._kinds))
            self._times[alias] += 1
        if row and row.chosen and row.rejected:
            self._longer[1] += 1
            self._longer[0] += _length(row, "chosen") > _length(row, "rejected")
        if row and row.kind == "dpo":
            self._texts += 1
            if not row.prompt and "prompt" not in fields:
                self._unasked.append(len(self._kinds))
        kind = row.kind if row else "rag" if kind == "rag" else None
        self._kinds.append(KINDS.index(kind) if kind else OTHER)

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each kind, the most frequent first; rows of none are left out."""
        found = Counter(self._kinds).most_common()
        return {KINDS[number]: count for number, count in found if number != OTHER}

    def diagnostics(self, file: str, place: Callable[[int], Location]) -> Iterator[Diagnostic]:
        """What is to be said of the file; `place` tells where a row is. Nothing of a file of other data."""
        main = self._main()
        if main is None:
            return
        kind = KINDS[main]
        for (alias, usual), first in self._aliases.items():
            at = place(first)
            values = {"alias": alias, "usual": usual, "rows": self._times[alias, usual]}
            yield Diagnostic("trn-alias", values, Location(file=file, line=at.line, field=alias), alias)
        for index, number in enumerate(self._kinds):
            if number != main and (number != OTHER or kind != "rag"):
                found = KINDS[number] if number != OTHER else ""
                values = {"found": SAID[found] if found else "no known format", "most": SAID[kind]}
                yield Diagnostic("trn-mixed-format", values, place(index), found)
        yield from self._without_prompt(file, place)
        longer, pairs = self._longer
        if pairs >= LEAST and longer >= SHARE * pairs:
            values = {"longer": longer, "pairs": pairs, "percent": round(100 * longer / pairs)}
            yield Diagnostic("trn-length-bias", values, Location(file=file), file)

    def _without_prompt(self, file: str, place: Callable[[int], Location]) -> Iterator[Diagnostic]:
        """Pairs that lack the prompt that most pairs have, each; where most have none, once and for information."""
        values = {"field": "prompt", "found": "nothing"}
        if 2 * len(self._unasked) < self._texts:
            for index in self._unasked:
                yield Diagnostic("trn-empty", values, replace(place(index), field="prompt"), "prompt")
        elif self._unasked:
            yield Diagnostic("trn-empty", values, Location(file=file, field="prompt"), "prompt", "info")

    def _main(self) -> int | None:
        """The most frequent kind; None where fewer than half of the rows are training rows of any kind."""
        counts = Counter(self._kinds)
        rows = len(self._kinds) - counts.pop(OTHER, 0)
        return counts.most_common(1)[0][0] if rows and 2 * rows >= len(self._kinds) else None


def _length(row: TrainingRow, name: str) -> int:
    return sum(len(turn.text) for turn in getattr(row, name))
