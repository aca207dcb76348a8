"""Find the numbers in score files that may stand for no score: −1, 99 and the like, and those of unreadable replies.

docs/statistics.md, *Numbers that are no scores*, has the exact rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from readback.scores.values.criteria import number
from readback.types import Diagnostic, Location

# What programs write where there is no score: pandas and SPSS users' codes, and the defaults of evaluation scripts.
NEGATIVE = (-1.0, -9.0, -99.0, -999.0, -9999.0)
POSITIVE: Mapping[float, float] = {99.0: 10.0, 999.0: 100.0, 9999.0: 1000.0}  # the greatest score beside which
CODES = frozenset((*NEGATIVE, *POSITIVE))
BESIDE = "a number beside a reply that cannot be read"  # how the reason of such a cell begins, until its scale is known
IN_QUESTION = "in question: "
NO_SCORE = "stands for no score: "
UNREAD = "the reply beside it cannot be read: "
PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
Reason = Literal["code", "reply"]


@dataclass(frozen=True, slots=True)
class Question:
    """Numbers of one criterion of which nobody has said whether they are scores.

    `values` holds each number with how many cells have it, `reason` why it is in doubt (`code`: programs write it where
    there is no score; `reply`: the judge's reply beside it gives no number), `place` its first cell.
    """

    criterion: str
    values: tuple[tuple[float, int], ...]
    reason: Reason
    cells: int  # of the criterion that hold a number, these included
    place: Location

    @property
    def numbers(self) -> str:
        """The numbers as `readback.yml` has them: `-1, 99`."""
        return ", ".join(number(value) for value, _ in self.values)

    @property
    def key(self) -> str:
        """What readback.yml says where they are failures: a line to copy."""
        if PLAIN_KEY.fullmatch(self.criterion):
            name = self.criterion
        else:
            name = json.dumps(self.criterion, ensure_ascii=False)
        return f"criteria: {{{name}: {{failed: [{self.numbers}]}}}}"

    @property
    def count(self) -> int:
        """How many cells are in question."""
        return sum(count for _, count in self.values)


def find_codes(values: Collection[float]) -> frozenset[float]:
    """Return those of the distinct numbers of a criterion that are codes by their value and the others beside them."""
    scores = [value for value in values if value not in CODES]
    if not scores:
        return frozenset()
    codes: set[float] = set()
    if min(scores) >= 0:
        codes.update(value for value in values if value in NEGATIVE)
    codes.update(value for value in values if value in POSITIVE and max(scores) <= POSITIVE[value])
    return frozenset(codes)


class RepliesBeside:
    """Gather, of one file, the stored numbers and what the replies beside them give."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str], list[tuple[int, float, bool, bool]]] = {}

    def see(self, key: tuple[str, str], at: int, value: float, *, empty: bool, gives: bool) -> None:
        """Take in cell `at` of criterion and judge `key`: its number, whether its reply is empty or gives a number."""
        self.cells.setdefault(key, []).append((at, value, empty, gives))

    def find_doubtful(self) -> Iterator[int]:
        """Yield the cells whose numbers are in doubt because their own reply gives none, though others of it do."""
        for cells in self.cells.values():
            plain = [gives for _, value, empty, gives in cells if not empty and value and value not in CODES]
            if not plain or sum(plain) * 2 < len(plain):
                continue
            values = [value for _, value, _, gives in cells if gives]
            if not values:
                continue
            low, high = min(values), max(values)
            for at, value, _, gives in cells:
                outside = not value or value in CODES or not low <= value <= high
                if not gives and outside:
                    yield at


def report_questions(questions: Iterable[Question]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each question."""
    for question in questions:
        values = {
            "criterion": question.criterion,
            "numbers": question.numbers,
            "count": question.count,
            "all": question.cells,
            "reason": question.reason,
            "key": question.key,
        }
        yield Diagnostic("scr-number-in-question", values, question.place, flagged=question.criterion)


def count_values(values: Any) -> tuple[tuple[float, int], ...]:
    """Return each distinct number with its count, ascending."""
    import numpy as np

    distinct, counts = np.unique(np.asarray(values, float), return_counts=True)
    return tuple(zip(distinct.tolist(), counts.tolist(), strict=True))
