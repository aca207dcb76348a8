"""Several conditions in one sentence: the first three by name, the others counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from readback.scores.table import ScoreTable
from readback.types import Diagnostic, Location

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

NAMED = 3


def listed(names: Iterable[str]) -> str:
    """`a, b, c, … (+4)`."""
    every = list(dict.fromkeys(names))
    more = f", … (+{len(every) - NAMED})" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


def name(table: ScoreTable, row: Row, detail: str) -> str:
    """A row's condition, its judge where a criterion has several, and a detail in brackets."""
    of_it = {one for (one, _) in _judges(table, row.criterion)}
    by = f" | {row.judge}" if len(of_it) > 1 and row.judge else ""
    return f"{table.label(row.condition)}{by} ({detail})"


def diagnostic(code: str, table: ScoreTable, rows: Sequence[Row], details: Sequence[str], **more: Any) -> Diagnostic:
    """One diagnostic for the rows of one criterion that share a fault."""
    names = [name(table, row, detail) for row, detail in zip(rows, details, strict=True)]
    judges = {row.judge for row in rows}
    place = Location(
        condition=table.label(rows[0].condition) if len(rows) == 1 else None,
        judge=rows[0].judge or None if len(judges) == 1 else None,
    )
    values = {"criterion": rows[0].criterion, "where": listed(names), "conditions": len(rows), **more}
    among = tuple(dict.fromkeys(table.label(row.condition) for row in rows))
    return Diagnostic(code, values, place, flagged=rows[0].criterion, among=among)


def by_criterion(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Rows by their criterion, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.criterion, []).append(row)
    return found


def _judges(table: ScoreTable, criterion: str) -> set[tuple[str, str]]:
    from readback.scores.comparing.sides import count_states

    c = table.columns
    code = c.criteria.index(criterion)
    return {(c.judges[judge], criterion) for one, judge, _ in count_states(table) if one == code}
