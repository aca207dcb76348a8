"""What judging cost, by condition and judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from readback.scores.table import Expense, ScoreTable


def together(found: Iterable[Expense]) -> tuple[Expense, ...]:
    """One entry for each condition and judge, over all files."""
    made: dict[tuple[Any, str], Expense] = {}
    for one in found:
        key = (one.condition, one.judge)
        made[key] = _sum(made[key], one) if key in made else one
    return tuple(made.values())


def as_json(table: ScoreTable, judge: str | None = None) -> list[dict[str, Any]]:
    """[{"condition", "judge", "rows", "cost": {column: sum}, "tokens": {column: sum}}]"""
    return [
        {
            "condition": dict(one.condition),
            "judge": one.judge or None,
            "rows": one.rows,
            "cost": dict(one.cost),
            "tokens": {name: int(count) for name, count in one.tokens.items()},
        }
        for one in table.expenses
        if judge in (None, one.judge)
    ]


def _sum(one: Expense, other: Expense) -> Expense:
    return Expense(
        one.condition, one.judge, one.rows + other.rows, _both(one.cost, other.cost), _both(one.tokens, other.tokens)
    )


def _both(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: one.get(name, 0.0) + other.get(name, 0.0) for name in dict.fromkeys((*one, *other))}
