"""Name several conditions in one sentence: the first three by name, the others counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from readback.scores.table import ScoreTable
from readback.types import Diagnostic, Location

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

NAMED = 3


def join_names(names: Iterable[str]) -> str:
    """Return `a, b, c, … (+4)`."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) > NAMED:
        more = f", … (+{len(distinct) - NAMED})"
    else:
        more = ""
    return ", ".join(distinct[:NAMED]) + more


def name_row(table: ScoreTable, row: Row, detail: str) -> str:
    """Return a row's condition, its judge where a criterion has several, and a detail in brackets."""
    judges = {judge for (judge, _) in _list_judges(table, row.criterion)}
    if len(judges) > 1 and row.judge:
        by = f" | {row.judge}"
    else:
        by = ""
    return f"{table.label(row.condition)}{by} ({detail})"


def build_diagnostic(
    code: str, table: ScoreTable, rows: Sequence[Row], details: Sequence[str], **more: Any
) -> Diagnostic:
    """Return one diagnostic for the rows of one criterion that share a fault."""
    names = [name_row(table, row, detail) for row, detail in zip(rows, details, strict=True)]
    judges = {row.judge for row in rows}
    location = Location(
        condition=table.label(rows[0].condition) if len(rows) == 1 else None,
        judge=rows[0].judge or None if len(judges) == 1 else None,
    )
    values = {"criterion": rows[0].criterion, "where": join_names(names), "conditions": len(rows), **more}
    among = tuple(dict.fromkeys(table.label(row.condition) for row in rows))
    return Diagnostic(code, values, location, flagged=rows[0].criterion, among=among)


def group_by_criterion(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Return rows by their criterion, in their order."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.criterion, []).append(row)
    return groups


def _list_judges(table: ScoreTable, criterion: str) -> set[tuple[str, str]]:
    from readback.scores.comparing.sides import count_states

    columns = table.columns
    code = columns.criteria.index(criterion)
    return {
        (columns.judges[judge], criterion) for criterion_code, judge, _ in count_states(table) if criterion_code == code
    }
