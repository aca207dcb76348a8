"""The pictures of the README: they can be taken, and are taken anew with READBACK_PICTURES=folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from PIL import Image
from served import open_page, settle

pytestmark = pytest.mark.browser
SIZE = {"width": 1366, "height": 900}
COLOURS = 255  # a picture of the README stays small
LARGEST = 250_000  # bytes
MISTAKE = "findings?workspace=six-conditions-mistakes&arm=mistake+2%3A+system+text+in+the+stored+prompt"
PICTURES = {
    "overview": ("?workspace=six-conditions", ".rb-table", "light"),
    "prompts": (MISTAKE, ".rb-places a", "light"),
    "prompts-dark": (MISTAKE, ".rb-places a", "dark"),
    "difference": (
        "prompts?view=difference&workspace=six-conditions&record=ellery-06"
        "&condition=RAG-trained%2C+open+book&b_condition=instruction-only%2C+open+book",
        ".rb-ins",
        "light",
    ),
    "findings": ("findings?workspace=six-conditions-mistakes&code=fmt-system-text-in-user", ".rb-excerpt", "light"),
    "results": ("results?workspace=six-conditions", "h1", "light"),
}


@pytest.mark.parametrize("name", PICTURES if LONG or "READBACK_PICTURES" in os.environ else ["prompts-dark"])
def test_a_picture_of(name: str, demo: str, page: Any, tmp_path: Path) -> None:
    asked, ready, scheme = PICTURES[name]
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme=scheme)
    open_page(page, demo + asked, ready)
    if name.startswith("prompts"):  # as a link from Findings shows it: with the finding marked
        page.locator(".rb-places a").first.click()
        page.wait_for_selector("mark.rb-here")
        page.mouse.move(0, 0)
        page.locator("[data-testid=stMain]").evaluate("e => e.scrollTo(0, 0)")
    settle(page)
    page.wait_for_timeout(400)  # fonts and the last movement of a chart
    path = Path(os.environ.get("READBACK_PICTURES") or tmp_path) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, animations="disabled", caret="hide")
    with Image.open(path) as taken:
        few = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    assert few.size == (SIZE["width"], SIZE["height"])
    assert len(few.getcolors()) > 8  # more than a blank page
    assert path.stat().st_size < LARGEST
