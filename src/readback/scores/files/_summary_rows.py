"""Rows of a score file that sum the others up (TOTAL, mean, average score) are no items."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from readback.scores.criteria import number
from readback.scores.files._rates import decimals, reported
from readback.scores.files.cells import text_of
from readback.scores.files.intake import Intake
from readback.scores.files.layout import Layout
from readback.scores.table import SCORED
from readback.types import Diagnostic, Location

# What an id says of a row that sums others up; in the words of RE2, too, which asks it of whole columns.
NAME = r"(?:(?:grand|overall|macro|micro)[ _-]+)?(?:totals?|averages?|avg\.?|means?|overall|aggregated?)"
WORDS = rf"[ \t]*{NAME}(?:[ _-]+scores?)?[ \t]*:?[ \t]*"
CALLED = re.compile(WORDS, re.IGNORECASE | re.ASCII)
# What is beside such a row, and says nothing by itself: a function that is tested may be called `max`.
BESIDE = re.compile(r"[ \t]*(?:std|stdev|sd|median|min|max|count|n|sum)[ \t]*:?[ \t]*", re.IGNORECASE | re.ASCII)
MOST = 50  # rows that are held back; where more are called so, it is not a name for a summary
FEWEST = 2  # other rows that one can sum up
SUMMARIES = "rows that sum up others"  # what they are called where rows are counted


@dataclass(slots=True)
class SummaryRows:
    """Holds back the rows that are called like a summary until all others are cells, and then says what they are.

    Such a row is a summary where each of its numbers is the mean or the sum of the others in its column, or where no
    item is below it; what is beside one that agrees (`std`, `max`) belongs to it.
    """

    intake: Intake
    plan: Callable[[], Layout]  # the roles of the columns, as far as they are known by now
    asks: bool = True  # False: the workspace says that every row is an item
    left: int = 0
    _amid: list[Any] = field(default_factory=list)
    _below: list[Any] = field(default_factory=list)  # those that no item is below
    _diagnostics: list[Diagnostic] = field(default_factory=list)

    def items(self, rows: Iterable[Any]) -> Iterator[Any]:
        """The rows that are items, and everything else that comes between them; those held back come last."""
        others = 0
        for row in rows:
            if isinstance(row, Diagnostic):
                yield row
                continue
            if self.asks and self._named(row, CALLED, BESIDE):
                self._below.append(row)
                if len(self._amid) + len(self._below) > MOST:
                    self.asks = False
                    yield from self._freed()
                continue
            self._amid += self._below
            self._below = []
            others += 1
            yield row
        if others < FEWEST:
            yield from self._freed()
        elif self._amid or self._below:
            found = self._summaries()
            yield from (row for row in (*self._amid, *self._below) if row not in found)
            self._tell(found)

    def diagnostics(self) -> list[Diagnostic]:
        """What is said of them, once all rows are taken."""
        return self._diagnostics

    def _freed(self) -> list[Any]:
        held = [*self._amid, *self._below]
        self._amid, self._below = [], []
        return held

    def _named(self, row: Any, *names: re.Pattern[str]) -> bool:
        item = self.plan().item
        called = text_of(row.fields.get(item[0])) if len(item) == 1 else ""
        return any(name.fullmatch(called) for name in names)

    def _summaries(self) -> list[Any]:
        found = [row for row in self._amid if self._named(row, CALLED) and self._agrees(row)]
        below = [row for row in self._below if self._named(row, CALLED)]
        if any(map(self._agrees, below)):
            return found + self._below
        return found + list(takewhile(lambda row: self._named(row, CALLED), reversed(self._below)))[::-1]

    def _agrees(self, row: Any) -> bool:
        told = list(self._numbers(row.fields))
        return bool(told) and all(one.agrees for one in told)

    def _tell(self, found: Sequence[Any]) -> None:
        if not found:
            return
        item = self.plan().item[0]
        self.left = len(found)
        names = [text_of(row.fields.get(item)).strip() for row in found]
        place = Location(file=self.intake.file, line=found[0].line)
        self._diagnostics.append(Diagnostic("scr-summary-rows", {"rows": len(found), "names": names}, place))
        for row in found:
            for one in self._numbers(row.fields) if self._named(row, CALLED) else ():
                if not one.agrees:
                    self._diagnostics.append(one.diagnostic(Location(file=self.intake.file, line=row.line)))

    def _numbers(self, fields: Mapping[str, Any]) -> Iterator[_Number]:
        """Every number of such a row beside those that it can be of: of the criterion, the judge and the condition that
        it names.
        """
        import numpy as np

        plan, intake = self.plan(), self.intake
        about = self._about(fields)
        judged = text_of(fields.get(plan.judge)) if plan.judge else ""
        said = text_of(fields.get(plan.criterion)) if plan.criterion else ""
        called = text_of(fields.get(plan.item[0])).strip()
        values = np.asarray(intake.value)
        for column, criterion, judge in plan.scores:
            value, state, _ = reported(fields.get(column))
            name, by = criterion or said, judge or judged
            if state != SCORED or (name and name not in intake.criteria.codes):
                continue
            of = (np.asarray(intake.state) == SCORED) & np.isin(np.asarray(intake.combo), about)
            if name:
                of &= np.asarray(intake.criterion) == intake.criteria.codes[name]
            if by:
                of &= np.asarray(intake.judge) == intake.judges.codes.get(by, -1)
            if many := int(of.sum()):
                total, share = math.fsum(values[of].tolist()), bool(((values[of] >= 0) & (values[of] <= 1)).all())
                condition = " · ".join(text for at in intake.candidates if (text := text_of(fields.get(at))))
                exact = decimals(fields.get(column))
                yield _Number(called, name or column, condition, value, exact, total, many, share)

    def _about(self, fields: Mapping[str, Any]) -> list[int]:
        """The combinations of conditions that a row is about: those with what it says; it may leave some open."""
        said = [text_of(fields.get(name)) for name in self.intake.candidates]
        return [
            code
            for combo, code in self.intake.combos.items()
            if all(not one or one == other for one, other in zip(said, combo, strict=False))
        ]


@dataclass(frozen=True, slots=True)
class _Number:
    """One number of a summary, with the sum of the `n` scores that it can be of."""

    called: str
    criterion: str
    condition: str
    reported: float
    decimals: int
    total: float
    n: int
    share: bool  # each is from 0 to 1, so that their mean may be stated in percent

    @property
    def agrees(self) -> bool:
        near, mean = 0.5 * 10.0**-self.decimals + 1e-9, self.total / self.n
        return any(
            abs(self.reported - one) <= near for one in (self.total, mean, *([100 * mean] if self.share else []))
        )

    def diagnostic(self, place: Location) -> Diagnostic:
        what, is_so = ("sum", self.total) if "total" in self.called.lower() else ("mean", self.total / self.n)
        values = {
            "condition": self.condition or "all conditions", "criterion": self.criterion, "what": what,
            "stated": number(self.reported), "computed": number(round(is_so, 6)), "n": self.n, "stated_n": "–",
            "because": f"the row is called {self.called}",
        }  # fmt: skip
        return Diagnostic("scr-summary-differs", values, place, "|".join((self.called, self.condition, self.criterion)))
