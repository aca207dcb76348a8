"""What the rows of a file cost, in money and in tokens, summed exactly as the cells are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any

from readback.scores.files.cells import NUMBER, legible
from readback.scores.files.layout import TOKENS, USAGE
from readback.scores.table import ConditionKey, Expense

PAIR = re.compile(r"""['"](\w+)['"]\s*:\s*([0-9]{1,15})(?![0-9.eE])""")  # of a mapping that is text; never evaluated
DIGITS = 38  # of a number that may be an amount of money
MOST, LEAST = Decimal(10) ** 15, -40  # beyond these it is no amount of money: the value, and its last place
EXACT = Context(prec=120)


def usage(name: str, value: Any) -> Mapping[str, Any]:
    """Return the counts of a cell by name: those of a mapping, also of one in text, else the cell's own number."""
    if isinstance(value, Mapping):
        return {str(key): count for key, count in value.items() if TOKENS.search(str(key))}
    if name.lower() in USAGE:
        return {key: count for key, count in PAIR.findall(str(value)) if TOKENS.search(key)}
    return {name: value}


@dataclass(slots=True)
class Costs:
    """The sum of each column of costs, and over how many rows: cells that are no number add nothing."""

    sums: dict[str, Decimal] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)

    def row(self, fields: Mapping[str, Any], columns: Iterable[str]) -> None:
        """One more row."""
        for name in columns:
            if (value := _number(fields.get(name))) is not None:
                self._add(name, value, 1)

    def format_sums(self) -> tuple[str, ...]:
        """`cost_usd 5.03982 (rows: 100)`, in the order of the columns."""
        return tuple(f"{legible(name)} {_plain(total)} (rows: {self.rows[name]})" for name, total in self.sums.items())

    def amounts(self) -> dict[str, float]:
        """Return the sums by column, as the nearest numbers a program would print."""
        return {legible(name): float(total) for name, total in self.sums.items()}

    def _add(self, name: str, value: Decimal, rows: int) -> None:
        self.sums[name] = EXACT.add(self.sums.get(name, Decimal()), value)
        self.rows[name] = self.rows.get(name, 0) + rows


@dataclass(slots=True)
class Spent:
    """What each condition (by the code of its combination) and judge cost."""

    rows: dict[tuple[int, str], int] = field(default_factory=dict)
    money: dict[tuple[int, str], Costs] = field(default_factory=dict)
    tokens: dict[tuple[int, str], Costs] = field(default_factory=dict)

    def row(self, key: tuple[int, str], fields: Mapping[str, Any], costs: Iterable[str], tokens: Iterable[str]) -> None:
        """One more row of a condition and judge."""
        self.rows[key] = self.rows.get(key, 0) + 1
        self.money.setdefault(key, Costs()).row(fields, costs)
        counted = self.tokens.setdefault(key, Costs())
        for name in tokens:
            counts = usage(name, fields.get(name))
            counted.row(counts, counts)

    def expenses(self, conditions: Sequence[ConditionKey]) -> tuple[Expense, ...]:
        """By condition and judge; empty where no column says what anything cost."""
        spent_by: dict[tuple[ConditionKey, str], Spent] = {}
        for key, rows in self.rows.items():
            here = spent_by.setdefault((conditions[key[0]], key[1]), Spent())
            here.rows[0, ""] = here.rows.get((0, ""), 0) + rows
            for mine, theirs in ((here.money, self.money), (here.tokens, self.tokens)):
                into = mine.setdefault((0, ""), Costs())
                for name, total in theirs.get(key, Costs()).sums.items():
                    into.sums[name] = EXACT.add(into.sums.get(name, Decimal()), total)
        expenses = (
            Expense(condition, judge, spent.rows[0, ""], spent.money[0, ""].amounts(), spent.tokens[0, ""].amounts())
            for (condition, judge), spent in spent_by.items()
        )
        return tuple(spent for spent in expenses if spent.cost or spent.tokens)


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        text = value.strip()
    else:
        text = repr(value)
    if len(text) > DIGITS or not NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    if abs(number) < MOST and int(number.as_tuple().exponent) >= LEAST:
        return number
    return None


def _plain(total: Decimal) -> str:
    """Format the exact sum as the nearest number a program would print: costs carry the noise of binary floats."""
    return repr(float(total)).removesuffix(".0")
