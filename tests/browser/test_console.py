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


@pytest.mark.parametrize(("address", "arrives"), ADDRESSES.items())
def test_a_page_arrives_without_an_error_in_the_console(demo: str, page: Any, address: str, arrives: str) -> None:
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    open_page(page, f"{demo}{address}")
    assert page.url.removeprefix(demo.rstrip("/")).startswith(arrives)
    assert errors == []
