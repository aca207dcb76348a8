"""What is drawn before the first run of a page stays where it is when the run comes."""

from __future__ import annotations

from typing import Any

import pytest
from counts import part
from served import open_page

pytestmark = pytest.mark.browser
MOST = 0.05  # layout shift
TRIES = 4  # a machine that does other work draws a page in parts; its own places are there in every try
SHIFTS = """(() => { window.rbShift = 0; new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.rbShift += one.value;
}).observe({type: 'layout-shift', buffered: true}); })();"""


def shift(browser: Any, url: str) -> float:
    """The layout shift of the first view, for a browser that knows nothing yet."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    try:
        page.add_init_script(SHIFTS)
        open_page(page, url)
        page.wait_for_timeout(500)
        return float(page.evaluate("rbShift"))
    finally:
        context.close()


@pytest.mark.parametrize("name", part(["results", "prompts", ""], 1))
def test_the_first_view_hardly_shifts(demo: str, chromium: Any, name: str) -> None:
    found: list[float] = []
    while len(found) < TRIES and not any(one <= MOST for one in found):
        found.append(shift(chromium, f"{demo}{name}?workspace=six-conditions"))
    assert min(found) <= MOST, found
