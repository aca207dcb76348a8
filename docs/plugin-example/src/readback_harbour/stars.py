"""Stars that visitors gave: a row for each answer, `{"asked": "ellery-01", "stars": {"gateway": 4, "direct": 2}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

NAME = "stars"


def recognise(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a file that begins with these rows is one of stars."""
    return all(isinstance(row.get("stars"), Mapping) and "asked" in row for row in rows)


def tidy(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The row as tidy rows: item, condition, judge, criterion and score."""
    for condition, stars in row["stars"].items():
        yield {
            "item": row["asked"],
            "condition": condition,
            "judge": "visitors",
            "criterion": "stars",
            "score": stars,
        }
