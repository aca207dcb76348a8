"""Debian's Firefox shows the same: the exact text, and each page whole and within reach of Tab."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import nasty
import pytest
from counts import part
from served import SETTLED, At
from test_exact_text import EVERY, LAST, TEXTS
from test_reach import CUT, FOCUS, LAPTOP, NAMES, OUTSIDE, QUARTER

from readback import workspace
from readback.prompts import assemble
from readback.records import dataset
from readback.types import Selection

pytestmark = pytest.mark.browser
TAB = "\ue004"  # as WebDriver calls the key


def test_two_hundred_nasty_texts_in_firefox(nasty_page: str, firefox: Any) -> None:
    firefox.open(nasty_page)
    firefox.wait_for(LAST)
    assert [nasty.shown(text) for text in nasty.texts()] == firefox.ask(EVERY)


def test_each_message_in_firefox(texts_of_a_workspace: Path, at: At, firefox: Any) -> None:
    opened = workspace.open(texts_of_a_workspace)
    made = assemble.assemble(
        opened, dataset.open_dataset(opened.root, opened.dataset).record(13), Selection(mode="plain")
    )
    firefox.open(at(texts_of_a_workspace, "prompts?record=r13"))
    firefox.wait_for("#text-1-user .rb-exact")
    assert [nasty.shown(message.text) for message in made.messages] == firefox.ask(TEXTS)


@pytest.mark.parametrize("name", part(NAMES, 1))
def test_firefox_shows_a_page_whole_and_tab_goes_through_it(demo: str, firefox: Any, name: str) -> None:
    """Its window is never in front, so it draws no focus: where the focus is, is measured, not how it looks."""
    firefox.open(f"{demo}{name}?workspace=six-conditions")
    for size in (LAPTOP, QUARTER):  # Tab goes through the smaller one, where more is out of sight
        view = {"width": size[0], "height": size[1]}
        firefox.call("browsingContext.setViewport", context=firefox.context, viewport=view)
        firefox.wait_for("h1")
        time.sleep(2)  # the checks behind a page, and charts, end a moment later
        firefox.wait_for(SETTLED)
        assert (size, firefox.ask(f"JSON.stringify(({OUTSIDE})())")) == (size, [0, 0, []])
        assert (size, firefox.ask(f"JSON.stringify(({CUT})())")) == (size, [])
    firefox.ask("JSON.stringify((window.rbMet = new Map(), 0))")
    names: list[str] = []
    for _ in range(90):
        key = [{"type": "keyDown", "value": TAB}, {"type": "keyUp", "value": TAB}]
        source = {"type": "key", "id": "keyboard", "actions": key}
        firefox.call("input.performActions", context=firefox.context, actions=[source])
        at = firefox.ask(f"JSON.stringify(({FOCUS})())")
        if at and not at[2]:
            time.sleep(0.3)
            at = firefox.ask(f"JSON.stringify(({FOCUS})())")
        if at is None or at[0] < len(names):
            break
        names.append(at[1])
        assert at[2] or at[1].startswith("Skip to"), at[1]
    assert names[0].startswith("Skip to")
    assert len(names) > 4
