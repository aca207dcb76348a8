"""Count the kinds of training rows in a file, aliases of keys and lengths of answers, and report what stands out.

A row costs a byte of memory until the whole file is read.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from readback.records.training import training_reader
from readback.records.training.system_texts import count_text
from readback.records.training.training_row import DESCRIPTIONS, KINDS, TrainingRow, find_kind, is_training_kind
from readback.types import Diagnostic, Location, Values

LEAST = 20  # pairs from which their lengths are significant
SHARE = 0.8  # share of pairs with a longer chosen answer from which it is reported
OTHER = len(KINDS)


class Census:
    """Counts the rows of a file by kind."""

    def __init__(self, private: bool = False) -> None:
        self.systems = Counter[str]()  # empty if fields are private, whose words are not stored
        self._private = private
        self._kinds = bytearray()
        self._aliases: dict[tuple[str, str], int] = {}
        self._times = Counter[tuple[str, str]]()
        self._longer = array("q", (0, 0))  # pairs whose chosen answer is longer; all pairs
        self._promptless = array("q")  # pairs of texts without a prompt
        self._texts = 0  # pairs of texts

    def add(self, fields: Values) -> None:
        """Count the next row."""
        kind = find_kind(fields)
        if is_training_kind(kind, fields):
            row = training_reader.read(fields)
        else:
            row = None
        if row and row.system and not self._private:
            count_text(self.systems, row.system.text)
        for alias in row.aliases if row else ():
            self._aliases.setdefault(alias, len(self._kinds))
            self._times[alias] += 1
        if row and row.chosen and row.rejected:
            self._longer[1] += 1
            self._longer[0] += _measure_answer(row, "chosen") > _measure_answer(row, "rejected")
        if row and row.kind == "dpo":
            self._texts += 1
            if not row.prompt and "prompt" not in fields:
                self._promptless.append(len(self._kinds))
        if row:
            kind = row.kind
        elif kind != "rag":
            kind = None
        self._kinds.append(KINDS.index(kind) if kind else OTHER)

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each kind, the most frequent first, without rows of no kind."""
        counts = Counter(self._kinds).most_common()
        return {KINDS[number]: count for number, count in counts if number != OTHER}

    def diagnostics(self, file: str, place: Callable[[int], Location]) -> Iterator[Diagnostic]:
        """Yield the diagnostics about the file, none for other data; `place` returns the location of a row."""
        main = self._find_main_kind()
        if main is None:
            return
        kind = KINDS[main]
        for (alias, usual), first in self._aliases.items():
            line = place(first).line
            values = {"alias": alias, "usual": usual, "rows": self._times[alias, usual]}
            yield Diagnostic("trn-alias", values, Location(file=file, line=line, field=alias), alias)
        for index, number in enumerate(self._kinds):
            if number != main and (number != OTHER or kind != "rag"):
                row_kind = KINDS[number] if number != OTHER else ""
                if row_kind:
                    description = DESCRIPTIONS[row_kind]
                else:
                    description = "no known format"
                values = {"found": description, "most": DESCRIPTIONS[kind]}
                yield Diagnostic("trn-mixed-format", values, place(index), row_kind)
        yield from self._report_missing_prompts(file, place)
        longer, pairs = self._longer
        if pairs >= LEAST and longer >= SHARE * pairs:
            values = {"longer": longer, "pairs": pairs, "percent": round(100 * longer / pairs)}
            yield Diagnostic("trn-length-bias", values, Location(file=file), file)

    def _report_missing_prompts(self, file: str, place: Callable[[int], Location]) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each pair without a prompt, or one for information if most pairs have none."""
        values = {"field": "prompt", "found": "nothing"}
        if 2 * len(self._promptless) < self._texts:
            for index in self._promptless:
                yield Diagnostic("trn-empty", values, replace(place(index), field="prompt"), "prompt")
        elif self._promptless:
            yield Diagnostic("trn-empty", values, Location(file=file, field="prompt"), "prompt", "info")

    def _find_main_kind(self) -> int | None:
        """Return the most frequent kind; None if fewer than half of the rows are training rows of any kind."""
        counts = Counter(self._kinds)
        rows = len(self._kinds) - counts.pop(OTHER, 0)
        if rows and 2 * rows >= len(self._kinds):
            return counts.most_common(1)[0][0]
        return None


def _measure_answer(row: TrainingRow, name: str) -> int:
    return sum(len(turn.text) for turn in getattr(row, name))
