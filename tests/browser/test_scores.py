"""From a bar to its records, a record, its exact messages and back, by keyboard alone; and what a link restores."""

from __future__ import annotations

from typing import Any

import pytest
from served import open_page, settle
from test_security import serious
from test_walk import asked

pytestmark = pytest.mark.browser
SCORES = "scores?workspace=six-conditions"
OPEN = "condition=instruction-only, open book"
COUNT = 'a.rb-link[href*="open+book"][href*="value=2"]'  # how often the best value was given: a part of a bar
FOCUS = "document.activeElement.dataset.rbArrive || ''"
HERE = "document.activeElement.innerText"


def tab_to(page: Any, text: str) -> None:
    """Press Tab until what has the focus says `text`."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate(HERE) == text:
            return
    raise AssertionError(f"no Tab leads to {text}")


def arrived(page: Any, part: str) -> None:
    """Wait until the focus is on the heading of what was opened."""
    for _ in range(100):
        if part in page.evaluate(FOCUS):
            return settle(page)
        page.wait_for_timeout(100)
    raise AssertionError(f"the focus is on {page.evaluate('document.activeElement.outerHTML')[:200]}")


def test_by_keyboard_alone_from_a_bar_to_its_records_to_the_message_and_back(demo: str, page: Any) -> None:
    open_page(page, demo + SCORES, COUNT)
    page.locator(COUNT).first.focus()
    page.keyboard.press("Enter")
    arrived(page, "value=2")
    assert asked(page)["of"] == OPEN
    record = page.locator('th a[href*="item="]').first.inner_text()
    tab_to(page, record)
    page.keyboard.press("Enter")
    arrived(page, f"item={record}")
    tab_to(page, "the exact messages")
    page.keyboard.press("Enter")
    page.wait_for_url("**/messages?*")
    page.wait_for_selector(".rb-exact")
    settle(page)
    assert (asked(page)["record"], asked(page)["condition"]) == (record, "instruction-only, open book")
    page.go_back()
    arrived(page, f"item={record}")
    page.go_back()
    arrived(page, "value=2")
    page.go_back()
    page.wait_for_selector(".rb-arrive", state="detached")
    assert "of" not in asked(page)


def test_a_link_restores_the_screen(demo: str, page: Any) -> None:
    open_page(page, f"{demo}{SCORES}&criterion=faithfulness&view=slope", '[data-testid="stPlotlyChart"]')
    assert page.get_by_label("Criterion").input_value() == "faithfulness"
    assert page.locator('[data-testid="stPlotlyChart"]').count() == 3


@pytest.mark.parametrize(
    "more",
    ["", "&view=means", "&view=joint", "&item=ellery-02&arm=base%2C+open+book", "&of=condition%3Dbase%2C+open+book"],
)
def test_no_serious_fault_for_a_screen_reader_or_a_keyboard(demo: str, page: Any, more: str) -> None:
    open_page(page, demo + SCORES + more, ".rb-strip, .rb-arrive")
    assert serious(page) == []
