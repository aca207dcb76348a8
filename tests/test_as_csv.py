"""Tables that are taken along as CSV: no spreadsheet computes a text in them, and every number stays one."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.as_csv import escape_cell, format_csv
from readback.ui.common.draw.table import Column, as_csv

FORMULAS = ("=1+1", "+1", "-1+2", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠SUM(A1)", "\t=1", "\r=1", "\n=1", "\0=1")
LED = (" =1", "\u00a0=1", "\u3000＝1", "\u200b=1", "\ufeff+1", " \t @x", "\x0b=1", "\u2028-1")


def back(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", [*FORMULAS, *LED])
def test_c6_a_text_that_a_spreadsheet_would_compute_is_guarded_in_cells_and_titles(text: str) -> None:
    made = back(format_csv([text], [[text]]))
    assert made == [[f"'{text}"], [f"'{text}"]]
    on_page = as_csv([Column("a", text)], [{"a": text}]).decode("utf-8")
    assert back(on_page) == made


@pytest.mark.parametrize(
    ("value", "there"), [("a=b", "a=b"), ("", ""), ("  ", "  "), (None, ""), (-1.5, -1.5), (0, 0), ("'=1", "'=1")]
)
def test_what_is_no_formula_stays_as_it_is(value: Any, there: Any) -> None:
    assert escape_cell(value) == there


@given(st.text())
def test_what_a_guarded_cell_holds_is_the_text_or_the_text_behind_one_quote(text: str) -> None:
    assert escape_cell(text) in (text, f"'{text}")
    assert not str(escape_cell(text)).strip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@given(st.lists(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=2, max_size=2), max_size=4))
def test_a_reader_finds_the_very_cells(rows: list[list[str]]) -> None:
    assert back(format_csv(["a", "b"], rows)) == [["a", "b"], *([str(escape_cell(one)) for one in row] for row in rows)]
