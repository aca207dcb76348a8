"""A list of equal rows that shows itself as a table, and becomes a data frame when asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.html import exact
from readback.quantity import quantity

SHOWN = 50  # rows that are drawn by themselves; the rest is counted


@dataclass(frozen=True, slots=True)
class Rows(Sequence[Mapping[str, Any]]):
    """`columns` name what every row holds, in order. `said` is a sentence that belongs to the table."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    said: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return Rows(self.columns, self.rows[index], self.said) if isinstance(index, slice) else self.rows[index]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with these columns; ids stay text, and what is not there is None."""
        import pandas

        return pandas.DataFrame(
            [dict(row) for row in self.rows], columns=list(self.columns), dtype=object
        ).infer_objects()

    def __repr__(self) -> str:
        head = f"{quantity(len(self), 'row')}: {', '.join(self.columns)}"
        lines = ("  " + " · ".join(_said(row.get(name)) for name in self.columns) for row in self.rows[:SHOWN])
        return "\n".join((head, *lines, *_rest(len(self)), *([self.said] if self.said else [])))

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="text-align:left">{exact.text(name)}</th>' for name in self.columns)
        body = "".join(
            "<tr>" + "".join(_cell(row.get(name)) for name in self.columns) + "</tr>" for row in self.rows[:SHOWN]
        )
        rest = "".join(f"<p>{exact.text(line.strip())}</p>" for line in (*_rest(len(self)), self.said) if line)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _rest(count: int) -> tuple[str, ...]:
    return (f"  … and {count - SHOWN:,} more rows: to_pandas() has them all",) if count > SHOWN else ()


def _cell(value: Any) -> str:
    align = (
        ";text-align:right" if isinstance(value, int | float) and not isinstance(value, bool) else ";text-align:left"
    )
    return f'<td style="vertical-align:top{align}">{exact.text(_said(value))}</td>'


def _said(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "–" if value is None else str(value)
