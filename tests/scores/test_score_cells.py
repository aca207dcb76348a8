"""A cell of a score file is a number, or says why it is none."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.scores.files.cells import cell
from readback.scores.table import SCORED, STATES


@pytest.mark.parametrize(
    ("given_cell", "value", "state"),
    [
        ("2", 2.0, "scored"),
        (" -1 ", -1.0, "scored"),
        ("0", 0.0, "scored"),
        ("1e-1", 0.1, "scored"),
        (".5", 0.5, "scored"),
        (2, 2.0, "scored"),
        (0.0, 0.0, "scored"),
        ("", None, "missing"),
        (None, None, "missing"),
        ("NA", None, "missing"),
        ("nan", None, "failed"),
        (math.nan, None, "failed"),
        ("N/A", None, "not applicable"),
        ("good", None, "failed"),
        ("1_000", None, "failed"),
        ("٣", None, "failed"),
        ("0,5", None, "failed"),
        ("inf", None, "failed"),
        (math.inf, None, "failed"),
        (10**400, None, "failed"),
        ([1], None, "failed"),
        ({"a": 1}, None, "failed"),
    ],
)
def test_a_cell_is_a_number_or_says_why_not(given_cell: Any, value: float | None, state: str) -> None:
    found, code, _ = cell(given_cell)
    assert STATES[code] == state
    assert (found == value) if value is not None else math.isnan(found)


@given(st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.booleans(), st.lists(st.integers())))
def test_no_cell_raises_and_only_scored_cells_have_a_value(value: Any) -> None:
    found, state, why = cell(value)
    assert math.isfinite(found) if state == SCORED else math.isnan(found)
    assert isinstance(why, str)
