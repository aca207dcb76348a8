"""The browser's console: no page leaves an error in it, by its address or by a link, and old addresses arrive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from counts import part
from served import PAGES, open_page, turn_to

pytestmark = pytest.mark.browser
ADDRESSES = {
    "prompts?view=every": "/prompts",
    "messages?record=ellery-02": "/prompts?record=ellery-02",
    "records": "/results?view=rows",
    "compare?view=grid": "/prompts?view=every",
    "scores": "/results",
    "agenda": "/review",
    "": "/",
    "prompts": "/prompts",
    "results": "/results",
    "findings": "/findings",
    "review": "/review",
    "open": "/open",
    "about": "/about",
}


def test_the_browser_menu_has_the_colours_and_what_this_is_and_nothing_else(demo: str, page: Any) -> None:
    """Streamlit's own entries (print, record the screen, clear a cache) mean nothing to whoever reads here."""
    open_page(page, demo)
    page.get_by_role("button", name="Main menu").click()
    entries = page.get_by_role("menu").locator("[role^=menuitem]")
    entries.first.wait_for()
    words = [text.split("\n")[-1] for text in entries.all_inner_texts()]
    assert words == ["System", "Light", "Dark", "About"]


@pytest.fixture
def errors(page: Any) -> Iterator[list[str]]:
    """The errors in the console of the page."""
    found: list[str] = []

    def keep(message: Any) -> None:
        if message.type == "error":
            found.append(message.text)

    page.on("console", keep)
    yield found
    page.remove_listener("console", keep)


@pytest.mark.parametrize(("address", "arrives"), part(list(ADDRESSES.items()), 3))
def test_a_page_arrives_without_an_error_in_the_console(
    demo: str, page: Any, errors: list[str], address: str, arrives: str
) -> None:
    open_page(page, f"{demo}{address}")
    assert page.url.removeprefix(demo.rstrip("/")).startswith(arrives)
    assert errors == []


def test_no_room_leaves_an_error_in_the_console(demo: str, page: Any, errors: list[str]) -> None:
    for name in PAGES:
        turn_to(page, f"{demo}{name}")
        assert errors == [], name
