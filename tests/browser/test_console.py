"""The browser's console: no page leaves an error in it, and old addresses arrive."""

from __future__ import annotations

from typing import Any

import pytest
from served import open_page

pytestmark = pytest.mark.browser
ADDRESSES = {
    "": "/",
    "prompts": "/prompts",
    "prompts?view=every": "/prompts",
    "results": "/results",
    "findings": "/findings",
    "review": "/review",
    "open": "/open",
    "about": "/about",
    "messages?record=ellery-02": "/prompts?record=ellery-02",
    "compare?view=grid": "/prompts?view=every",
    "scores": "/results",
    "records": "/results?view=rows",
    "agenda": "/review",
}


def test_the_browser_menu_has_the_colours_and_what_this_is_and_nothing_else(demo: str, page: Any) -> None:
    """Streamlit's own entries (print, record the screen, clear a cache) mean nothing to whoever reads here."""
    open_page(page, demo)
    page.get_by_role("button", name="Main menu").click()
    entries = page.get_by_role("menu").locator("[role^=menuitem]")
    entries.first.wait_for()
    words = [text.split("\n")[-1] for text in entries.all_inner_texts()]
    assert words == ["System", "Light", "Dark", "About"]


@pytest.mark.parametrize(("address", "arrives"), ADDRESSES.items())
def test_a_page_arrives_without_an_error_in_the_console(demo: str, page: Any, address: str, arrives: str) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    open_page(page, f"{demo}{address}")
    assert page.url.removeprefix(demo.rstrip("/")).startswith(arrives)
    assert errors == []
