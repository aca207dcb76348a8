"""Decisions in a row by keyboard alone: Tab, Enter and the arrows, from the opened page to the last of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from served import At, open_page, settle

from readback.project_files import EXAMPLES
from readback.review.state import VERDICTS, build_review
from readback.review.store import Store

pytestmark = pytest.mark.browser
DECISIONS = 10 if LONG else 4  # each of the three answers, and the first of them once more
AT = """() => { const e = document.activeElement, box = e.getBoundingClientRect();
    return [e.ariaLabel || e.innerText.trim() || e.tagName, e === document.body ? "nowhere" :
        box.width > 2 && box.height > 2 && getComputedStyle(e).clipPath === "none" ? "seen" : "hidden"]; }"""
SAID = "p[role=status]"


def test_decisions_in_a_row_by_keyboard_alone(at: At, page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "mistakes"
    shutil.copytree(EXAMPLES / "six-conditions-mistakes", folder)
    open_page(page, at(folder, "review"), ".rb-agenda")

    def tab_to(name: str) -> None:
        """Press Tab until it is reached; each stop on the way is one that is seen."""
        for _ in range(60):
            label, sight = page.evaluate(AT)
            if label.startswith(name):
                return
            page.keyboard.press("Tab")
            label, sight = page.evaluate(AT)
            assert sight == "seen", (label, sight)
        raise AssertionError(f"{name} is never reached")

    for number in range(DECISIONS):
        title, kind = (page.locator(part).inner_text() for part in ("h2.rb-item", "h2.rb-item .rb-word"))
        answers = page.locator(".st-key-item_verdict [role=radio]").all_inner_texts()
        tab_to(answers[0])
        for _ in range(number % 3):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.locator(
            f".st-key-item_verdict [role=radio][aria-checked=true]:has-text('{answers[number % 3]}')"
        ).wait_for()
        tab_to("Reason")
        page.keyboard.type(f"Reason {number}.")
        if number == 0:
            tab_to("Your name")
            page.keyboard.type("Ada")
        tab_to("Save and go to the next")
        page.keyboard.press("Enter")
        subject = title.removeprefix(kind).strip()
        page.locator(SAID, has_text="Saved.").filter(has_text=subject).wait_for()
        settle(page)
        following = page.locator("h2.rb-item").inner_text()
        assert following != title
        assert page.evaluate(AT) == [following, "seen"], number

    decisions = build_review(Store(folder).events()).decisions
    assert [decision.reason for decision in decisions] == [f"Reason {number}." for number in range(DECISIONS)]
    assert [decision.verdict for decision in decisions] == [VERDICTS[number % 3] for number in range(DECISIONS)]
