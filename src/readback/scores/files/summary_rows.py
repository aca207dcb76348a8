"""Rows of a score file that sum the others up (TOTAL, mean, average score) are no items."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from readback.scores.files.cells import text_of
from readback.scores.files.intake import Intake
from readback.scores.files.layout import Layout
from readback.scores.files.stated_numbers import decimals, reported
from readback.scores.table import SCORED
from readback.scores.values.criteria import number
from readback.types import Diagnostic, Location

# What an id says of a row that sums others up.
NAME = r"(?:(?:grand|overall|macro|micro)[ _-]+)?(?:totals?|averages?|avg\.?|means?|overall|aggregated?)"
NAMES = rf"{NAME}(?:[ _-]+scores?)?"
# What is next to such a row, and says nothing by itself: a function that is tested may be called `max`.
NAMES_NEXT_TO = "std|stdev|sd|median|min|max|count|n|sum"
SUMMARY = re.compile(rf"[ \t]*{NAMES}[ \t]*:?[ \t]*", re.IGNORECASE | re.ASCII)
MAYBE_SUMMARY = re.compile(rf"[ \t]*(?:{NAMES}|{NAMES_NEXT_TO})[ \t]*:?[ \t]*", re.IGNORECASE | re.ASCII)
MOST = 50  # rows that are held back; where more are called so, it is not a name for a summary
FEWEST = 2  # other rows that one can sum up
SUMMARIES = "rows that sum up others"  # what they are called where rows are counted


@dataclass(slots=True)
class SummaryRows:
    """Hold back the rows that are called like a summary until all others are cells, and then say what they are.

    Such a row is a summary where each of its numbers is the mean or the sum of the others in its column, or where no
    item is below it; what stands next to one that agrees (`std`, `max`) belongs to it.
    """

    intake: Intake
    layout: Callable[[], Layout]  # the roles of the columns, as far as they are known by now
    asks: bool = True  # False: the workspace says that every row is an item
    count: int = 0  # rows that sum up others
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _amid: list[Any] = field(default_factory=list)
    _last: list[Any] = field(default_factory=list)  # those that no item is below

    def list_items(self, rows: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows that are items, and everything else that comes between them; those held back come last."""
        items = 0
        for row in rows:
            if isinstance(row, Diagnostic):
                yield row
                continue
            if self.asks and MAYBE_SUMMARY.fullmatch(self._item(row)):
                self._last.append(row)
                if len(self._amid) + len(self._last) > MOST:
                    self.asks = False
                    yield from self._release()
                continue
            if self._last:
                self._amid += self._last
                self._last = []
            items += 1
            yield row
        if items < FEWEST:
            yield from self._release()
        elif self._amid or self._last:
            summaries = self._find_summaries()
            yield from (row for row in (*self._amid, *self._last) if row not in summaries)
            self._report(summaries)

    def _release(self) -> list[Any]:
        held_back = [*self._amid, *self._last]
        self._amid, self._last = [], []
        return held_back

    def _item(self, row: Any) -> str:
        columns = self.layout().item
        if len(columns) == 1:
            return text_of(row.fields.get(columns[0]))
        return ""

    def _is_summary_name(self, row: Any) -> bool:
        return SUMMARY.fullmatch(self._item(row)) is not None

    def _find_summaries(self) -> list[Any]:
        amid = [row for row in self._amid if self._is_summary_name(row) and self._agrees(row)]
        if any(self._is_summary_name(row) and self._agrees(row) for row in self._last):
            return amid + self._last
        return amid + list(takewhile(self._is_summary_name, reversed(self._last)))[::-1]

    def _agrees(self, row: Any) -> bool:
        numbers = list(self._numbers(row.fields))
        return bool(numbers) and all(number.agrees for number in numbers)

    def _report(self, summaries: Sequence[Any]) -> None:
        if not summaries:
            return
        self.count = len(summaries)
        names = [self._item(row).strip() for row in summaries]
        place = Location(file=self.intake.file, line=summaries[0].line)
        self.diagnostics.append(Diagnostic("scr-summary-rows", {"rows": len(summaries), "names": names}, place))
        for row in filter(self._is_summary_name, summaries):
            place = Location(file=self.intake.file, line=row.line)
            numbers = self._numbers(row.fields)
            self.diagnostics.extend(number.report(place) for number in numbers if not number.agrees)

    def _numbers(self, fields: Mapping[str, Any]) -> Iterator[_StatedNumber]:
        """Yield every number of such a row with those that it may sum up.

        These are the scores of the criterion, the judge and the condition that the row names.
        """
        import numpy as np

        layout, intake = self.layout(), self.intake
        combos = self._find_combos(fields)
        if layout.judge:
            judge_of_row = text_of(fields.get(layout.judge))
        else:
            judge_of_row = ""
        if layout.criterion:
            criterion_of_row = text_of(fields.get(layout.criterion))
        else:
            criterion_of_row = ""
        item = text_of(fields.get(layout.item[0])).strip()
        values = np.asarray(intake.value)
        for column, criterion, judge in layout.scores:
            value, state, _ = reported(fields.get(column))
            criterion, judge = criterion or criterion_of_row, judge or judge_of_row
            if state != SCORED or (criterion and criterion not in intake.criteria.codes):
                continue
            counted = (np.asarray(intake.state) == SCORED) & np.isin(np.asarray(intake.combo), combos)
            if criterion:
                counted &= np.asarray(intake.criterion) == intake.criteria.codes[criterion]
            if judge:
                counted &= np.asarray(intake.judge) == intake.judges.codes.get(judge, -1)
            scores = values[counted]
            if not len(scores):
                continue
            condition = " · ".join(text for name in intake.candidates if (text := text_of(fields.get(name))))
            yield _StatedNumber(
                item,
                criterion or column,
                condition,
                value,
                decimals(fields.get(column)),
                total=math.fsum(scores.tolist()),
                n=len(scores),
                are_shares=bool(((scores >= 0) & (scores <= 1)).all()),
            )

    def _find_combos(self, fields: Mapping[str, Any]) -> list[int]:
        """Return the codes of the conditions that a row is about: those with what it says; it may leave some open."""
        stated = [text_of(fields.get(name)) for name in self.intake.candidates]
        return [
            code
            for combo, code in self.intake.combos.items()
            if all(not text or text == value for text, value in zip(stated, combo, strict=False))
        ]


@dataclass(frozen=True, slots=True)
class _StatedNumber:
    """One number of a summary, with the sum of the `n` scores that it may be of."""

    item: str
    criterion: str
    condition: str
    stated: float
    decimals: int
    total: float
    n: int
    are_shares: bool  # each is from 0 to 1, so that their mean may be stated in percent

    @property
    def agrees(self) -> bool:
        near, mean = 0.5 * 10.0**-self.decimals + 1e-9, self.total / self.n
        if self.are_shares:
            expected = [self.total, mean, 100 * mean]
        else:
            expected = [self.total, mean]
        return any(abs(self.stated - value) <= near for value in expected)

    def report(self, place: Location) -> Diagnostic:
        """Return the diagnostic of a number that is neither the sum nor the mean."""
        if "total" in self.item.lower():
            what, computed = ("sum", self.total)
        else:
            what, computed = ("mean", self.total / self.n)
        values = {
            "condition": self.condition or "all conditions",
            "criterion": self.criterion,
            "what": what,
            "stated": number(self.stated),
            "computed": number(round(computed, 6)),
            "n": self.n,
            "stated_n": "–",
            "because": f"the row is called {self.item}",
        }
        return Diagnostic("scr-summary-differs", values, place, "|".join((self.item, self.condition, self.criterion)))
