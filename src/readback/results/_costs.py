"""What the rows of a file cost, summed exactly as the cells are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any

from readback.results._cells import NUMBER, legible

COST = re.compile(r"(^|_)cost(_|$)|_(usd|eur)$", re.IGNORECASE)
DIGITS, PLACES = 38, 20  # of the decimals in which pyarrow adds; what does not fit is added one by one
FEW = 500  # texts that are added one by one without asking
MOST, LEAST = Decimal(10) ** 15, -40  # beyond these it is no amount of money: the value, and its last place
EXACT = Context(prec=120)


def cost_columns(fields: Iterable[str]) -> tuple[str, ...]:
    """The columns that hold money, by their names."""
    return tuple(name for name in fields if COST.search(name))


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

    def column(self, name: str, texts: Any) -> None:
        """Some more rows of one column, as an array of pyarrow's texts."""
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        counted = texts.value_counts()
        values, counts = counted.field("values"), counted.field("counts")
        if len(values) > FEW:
            try:
                found = pc.cast(texts, pa.decimal128(DIGITS, PLACES))
                ends = pc.min_max(found).as_py()
                if max(abs(ends["min"]), abs(ends["max"])) < MOST:
                    self._add(name, pc.sum(found).as_py(), len(texts))
                    return
            except pa.ArrowInvalid:
                pass
        for text, count in zip(values.to_pylist(), counts.to_pylist(), strict=True):
            if (value := _number(text)) is not None:
                self._add(name, EXACT.multiply(value, Decimal(count)), count)

    def shown(self) -> tuple[str, ...]:
        """`cost_usd 5.03982 (rows: 100)`, in the order of the columns."""
        return tuple(f"{legible(name)} {_plain(total)} (rows: {self.rows[name]})" for name, total in self.sums.items())

    def _add(self, name: str, value: Decimal, rows: int) -> None:
        self.sums[name] = EXACT.add(self.sums.get(name, Decimal()), value)
        self.rows[name] = self.rows.get(name, 0) + rows


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = value.strip() if isinstance(value, str) else repr(value)
    if len(text) > DIGITS or not NUMBER.fullmatch(text):
        return None
    found = Decimal(text)
    return found if abs(found) < MOST and int(found.as_tuple().exponent) >= LEAST else None


def _plain(total: Decimal) -> str:
    """The exact sum as the nearest number a program would print: costs are written with the noise of binary floats."""
    return repr(float(total)).removesuffix(".0")
