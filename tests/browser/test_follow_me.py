"""A meeting of four browsers: screens that follow the presenter's, and notes that appear wherever somebody is."""

from __future__ import annotations

import time
from typing import Any

import pytest
from counts import LONG
from served import At, Others, open_page, settle, turn_to
from test_review_together import FILE, MODES, ROWS, Write, seen, write_note

pytestmark = pytest.mark.browser
SOON = 60.0  # seconds: a guard against what never comes; where nobody else works it takes one or two


def wait_for_address(page: Any, part: str) -> None:
    began = time.monotonic()
    while part not in page.url:
        assert time.monotonic() - began < SOON, (page.url, part)
        page.wait_for_timeout(100)


def test_screens_go_where_the_presenter_goes(demo: str, page: Any, others: Others) -> None:
    """One of them stops, and the others go on: three in a long run, two in any other."""
    open_page(page, f"{demo}prompts?workspace=six-conditions-mistakes", ".rb-exact")
    page.locator(".st-key-share button").first.click()
    page.get_by_role("button", name="Follow me").click()
    link = page.locator("#note-follow_link")
    link.wait_for(state="attached")
    address = link.text_content()
    screens = others(3 if LONG else 2)
    for screen in screens:
        open_page(screen, address, ".rb-follows")
        assert "record=" not in screen.url
    page.keyboard.press("Escape")
    settle(page)
    page.keyboard.press("j")
    for screen in screens:
        wait_for_address(screen, "record=ellery-02")
    page.locator(".rb-rooms a", has_text="Findings").click()
    for screen in screens:
        wait_for_address(screen, "/findings?")
    alone = screens[0]
    settle(alone)
    alone.get_by_role("link", name="Stop following").click()
    settle(alone)
    page.locator(".rb-rooms a", has_text="Overview").click()
    wait_for_address(screens[1], f"{demo}?")
    assert "/findings" in alone.url


def test_a_note_of_somebody_else_appears_in_every_room(at: At, page: Any, others: Others, write: Write) -> None:
    """Somebody goes from room to room; in each of them a note of somebody else appears without a click."""
    root = write({"readback.yml": FILE + MODES, "d.jsonl": ROWS})
    (other,) = others(1)
    open_page(other, at(root, "prompts?condition=two&index=2"))
    for room in ("overview", "prompts", "results", "findings"):
        turn_to(page, at(root, room))
        note = f"look at this from {room}"
        write_note(other, note, "" if room != "overview" else "Bo")
        seen(page, note, SOON)
        assert page.get_by_role("link", name="See it").or_(page.locator(".rb-live a")).count() >= 1, room
        seen(other, "Your note is saved.", SOON)
        other.keyboard.press("Escape")
        settle(other)
