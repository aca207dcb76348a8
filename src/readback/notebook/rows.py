"""Show rows with the same columns as a table, or turn them into a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.html import exact
from readback.quantity import quantity

MAX_SHOWN = 50  # rows that are drawn; the rest is counted


@dataclass(frozen=True, slots=True)
class Rows(Sequence[Mapping[str, Any]]):
    """`columns` name what every row has, in order. `note` is a sentence about the whole table."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    note: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Rows(self.columns, self.rows[index], self.note)
        return self.rows[index]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with these columns; ids stay text, and what is absent is None."""
        import pandas

        return pandas.DataFrame(
            [dict(row) for row in self.rows], columns=list(self.columns), dtype=object
        ).infer_objects()

    def __repr__(self) -> str:
        head = f"{quantity(len(self), 'row')}: {', '.join(self.columns)}"
        lines = (
            "  " + " · ".join(_format_value(row.get(name)) for name in self.columns) for row in self.rows[:MAX_SHOWN]
        )
        return "\n".join((head, *lines, *_format_rest(len(self)), *([self.note] if self.note else [])))

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="text-align:left">{exact.text(name)}</th>' for name in self.columns)
        body = "".join(
            "<tr>" + "".join(_draw_cell(row.get(name)) for name in self.columns) + "</tr>"
            for row in self.rows[:MAX_SHOWN]
        )
        rest = "".join(f"<p>{exact.text(line.strip())}</p>" for line in (*_format_rest(len(self)), self.note) if line)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _format_rest(count: int) -> tuple[str, ...]:
    if count > MAX_SHOWN:
        return (f"  … and {count - MAX_SHOWN:,} more rows: to_pandas() has them all",)
    return ()


def _draw_cell(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    align = "right" if is_number else "left"
    return f'<td style="vertical-align:top;text-align:{align}">{exact.text(_format_value(value))}</td>'


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if value is None:
        return "–"
    return str(value)
