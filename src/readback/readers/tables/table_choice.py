"""Say which of several tables of one file is read: sheets of a workbook, tables of a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from readback.types import Diagnostic, Location

CODE = "dat-several-tables"
NAMED = 20  # tables that a finding names


def report_tables(
    tables: Sequence[Sequence[Any]], current: str, wanted: str | None, noun: str, place: Location
) -> Iterator[Diagnostic]:
    """Yield a diagnostic where a file holds several tables with rows, or none of the name that was asked for.

    `tables` are the name of each, the number of its records, and whether people see it.
    """
    names = [name for name, count, _ in tables if count and name != current]
    if wanted is not None and wanted != current:
        values = {"noun": noun, "taken": current, "wanted": wanted, "others": names[:NAMED], "count": len(names) + 1}
        yield Diagnostic(CODE, values, place, "\n".join([current, *names][:NAMED]), "warning")
    elif names:
        values = {"noun": noun, "taken": current, "wanted": "", "others": names[:NAMED], "count": len(names) + 1}
        yield Diagnostic(CODE, values, place, "\n".join([current, *names][:NAMED]))


@dataclass(frozen=True, slots=True)
class TableChoice:
    """The table that is read, and the others that have rows."""

    current: str
    others: tuple[str, ...]


def find_tables(diagnostics: Iterable[Diagnostic]) -> TableChoice | None:
    """Return the tables among which a dataset with these diagnostics was chosen; None where there was no choice."""
    for diagnostic in diagnostics:
        if diagnostic.code == CODE:
            return TableChoice(diagnostic.values["taken"], tuple(diagnostic.values["others"]))
    return None
