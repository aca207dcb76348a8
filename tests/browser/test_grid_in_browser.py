"""The grid on Results by keyboard: a record opens beside its row, both are in sight, and Back closes it."""

from __future__ import annotations

from typing import Any

import pytest
from served import open_page, settle
from test_scores import arrived
from test_security import serious

pytestmark = pytest.mark.browser
GRID = "results?workspace=six-conditions"
ROW = ".rb-question a"
NARROW = 390


def test_a_record_opens_beside_its_row_and_both_stay_in_sight(demo: str, page: Any) -> None:
    open_page(page, demo + GRID, ROW)
    page.locator(ROW).nth(14).focus()
    page.keyboard.press("Enter")
    arrived(page, "item=")
    page.wait_for_timeout(500)
    height = page.viewport_size["height"]
    for part in (".rb-row-open", ".rb-open-record h3"):
        box = page.locator(part).bounding_box()
        assert 0 <= box["y"] < height - 20, part
    row, panel = (page.locator(part).bounding_box() for part in (".rb-row-open", ".rb-open-record"))
    assert panel["x"] >= row["x"] + row["width"]
    assert serious(page) == []
    page.set_viewport_size({"width": NARROW, "height": 844})
    settle(page)
    table, panel = (
        page.locator(part).bounding_box() for part in (".rb-answers-beside > .rb-scroll", ".rb-open-record")
    )
    assert panel["y"] >= table["y"] + table["height"], "below the grid in a narrow window"
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    page.go_back()
    page.wait_for_selector(".rb-open-record", state="detached")
