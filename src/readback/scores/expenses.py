"""What judging cost, by condition and judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from readback.scores.table import Expense, ScoreTable


def together(expenses: Iterable[Expense]) -> tuple[Expense, ...]:
    """One entry for each condition and judge, over all files."""
    totals: dict[tuple[Any, str], Expense] = {}
    for expense in expenses:
        key = (expense.condition, expense.judge)
        totals[key] = _sum(totals[key], expense) if key in totals else expense
    return tuple(totals.values())


def as_json(table: ScoreTable, judge: str | None = None) -> list[dict[str, Any]]:
    """[{"condition", "judge", "rows", "cost": {column: sum}, "tokens": {column: sum}}]"""
    return [
        {
            "condition": dict(expense.condition),
            "judge": expense.judge or None,
            "rows": expense.rows,
            "cost": dict(expense.cost),
            "tokens": {name: int(count) for name, count in expense.tokens.items()},
        }
        for expense in table.expenses
        if judge in (None, expense.judge)
    ]


def _sum(first: Expense, second: Expense) -> Expense:
    return Expense(
        first.condition,
        first.judge,
        first.rows + second.rows,
        _both(first.cost, second.cost),
        _both(first.tokens, second.tokens),
    )


def _both(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    return {name: first.get(name, 0.0) + second.get(name, 0.0) for name in dict.fromkeys((*first, *second))}
