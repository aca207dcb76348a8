"""Rows that share a line are called by their numbers, so that no two are taken for one item."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.scores.loading import load

Write = Callable[[Mapping[str, Any]], Path]
ROWS: list[Any] = [{"item": None, "condition": "c", "criterion": "quality", "score": at % 3} for at in range(5)]


def items(write: Write, text: str, name: str = "s.json") -> tuple[list[str], list[float], list[str]]:
    """Items, values and codes of what is wrong."""
    table = load(workspace.open(write({"readback.yml": f"scores: [{name}]\n", name: text})))
    c = table.columns
    return [c.items[at] for at in c.item], list(c.value), [one.code for one in table.diagnostics]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        (json.dumps(ROWS), ["row_1", "row_2", "row_3", "row_4", "row_5"]),
        (json.dumps(ROWS, indent=1), ["line_2", "line_8", "line_14", "line_20", "line_26"]),
        ("[" + ",\n".join(map(json.dumps, ROWS)) + "]", ["line_1", "line_2", "line_3", "line_4", "line_5"]),
        (json.dumps([*ROWS[:2], 7, *ROWS[2:]]), ["row_1", "row_2", "row_4", "row_5", "row_6"]),
        (json.dumps([{**ROWS[0], "item": "a"}, *ROWS[1:]]), ["a", "row_2", "row_3", "row_4", "row_5"]),
    ],
)
def test_rows_of_one_line_are_called_by_their_place_in_the_list(write: Write, text: str, called: list[str]) -> None:
    found, values, codes = items(write, text)
    assert found == called
    assert values == [0, 1, 2, 0, 1]
    assert "scr-duplicate-cell" not in codes


def test_the_finding_about_a_missing_id_names_the_place_in_the_list(write: Write) -> None:
    rows = [{**ROWS[0], "item": "a"}, *ROWS[1:]]
    table = load(workspace.open(write({"readback.yml": "scores: [s.json]\n", "s.json": json.dumps(rows)})))
    told = [one.values["called"] for one in table.diagnostics if one.code == "dat-missing-id"]
    assert told == ["row_2", "row_3", "row_4", "row_5"]
