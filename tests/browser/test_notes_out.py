"""Out of the tool: copies for notes, the list by keyboard, and its HTML file in a browser that is asked for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nasty
import pytest
from served import open_page, settle, tab, watched
from test_security import serious

from readback.bookmarks import markdown
from readback.bookmarks import page as file
from readback.bookmarks.entry import Entry, Excerpt
from readback.html import exact

pytestmark = pytest.mark.browser
WORDS = dict.fromkeys((*markdown.NAMES,), "word {n}")
FINDINGS = "findings?workspace=six-conditions-mistakes&code=fmt-system-text-in-user"
COPY = '[data-rb-copy="note-place_0"]'
HIDDEN = "#note-place_0"
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
EVERY = "JSON.stringify([...document.querySelectorAll('.text')].map((e) => e.textContent))"


def test_a_copy_for_notes_is_the_markdown_of_the_place(demo: str, page: Any) -> None:
    open_page(page, f"{demo}{FINDINGS}", COPY)
    page.locator(COPY).click()
    page.get_by_role("button", name="Copied").wait_for()
    said = page.evaluate("navigator.clipboard.readText()")
    assert said == page.locator(HIDDEN).evaluate("e => e.textContent")
    assert said.startswith("**error:** The user message contains system text\n")
    assert "```text\nYou are a research paper assistant. Answer from" in said
    assert f"[See it in Readback](<{demo}messages?" in said
    link = said.partition("(<")[2].partition(">)")[0]
    open_page(page, link, "mark.rb-here")
    assert page.locator("mark.rb-here").first.evaluate("e => e.textContent") == "You are a research paper assistant."


def test_without_a_clipboard_the_copy_is_downloaded_and_says_why(demo: str, chromium: Any) -> None:
    with tab(chromium) as page, watched(page):
        page.add_init_script(NO_CLIPBOARD)
        open_page(page, f"{demo}{FINDINGS}", COPY)
        with page.expect_download() as wait:
            page.locator(COPY).click()
        assert wait.value.suggested_filename == "notes.md"
        expected = page.locator(HIDDEN).evaluate("e => e.textContent")
        assert Path(wait.value.path()).read_bytes() == expected.encode()
        assert "so it was downloaded" in page.locator(COPY).inner_text()


def test_by_keyboard_alone_a_list_is_made_ordered_and_taken_along(demo: str, page: Any, chromium: Any) -> None:
    open_page(page, f"{demo}{FINDINGS}", COPY)
    for place in (0, 1):
        press(page, f".st-key-list_place_{place} button")
        page.wait_for_selector(f".st-key-unlist_place_{place}")
    press(page, '[data-testid="stPageLink"] a:has-text("List (2)")')
    page.wait_for_selector(".rb-entry")
    settle(page)
    first = page.locator(".rb-entry").first.inner_text()
    press(page, '[class*="st-key-down_"] button:not([disabled])')
    page.wait_for_timeout(500)
    settle(page)
    assert page.locator(".rb-entry").first.inner_text() != first
    texts = page.locator(".rb-excerpt mark").evaluate_all("all => all.map((e) => e.textContent)")
    assert serious(page) == []
    page.locator(".st-key-list_html button").focus()
    with page.expect_download() as wait:
        page.keyboard.press("Enter")
    assert wait.value.suggested_filename == "readback-list.html"
    away, marks = opened(
        chromium, Path(wait.value.path()), "[...document.querySelectorAll('mark')].map((e) => e.textContent)"
    )
    assert (away, marks) == ([], texts)


def test_the_file_shows_two_hundred_nasty_texts_exactly_and_asks_for_nothing(chromium: Any, tmp_path: Path) -> None:
    every = nasty.texts()
    entries = [
        Entry("finding", text, text, (Excerpt(text, text, ((0, 2),)),), (text,), ((text, text),)) for text in every
    ]
    path = tmp_path / "list.html"
    path.write_text(file.document(entries, "List", WORDS, exact.text), "utf-8", newline="")
    away, said = opened(chromium, path, EVERY)
    assert away == []
    assert [nasty.shown(text) for text in every] == json.loads(said)


def test_the_file_fits_a_small_window_and_follows_the_theme(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "list.html"
    one = Entry(
        "finding", "a " * 200, "http://h/" + "x" * 300, (Excerpt("y" * 900, "z", ((3, 800),)),), (), (("f", "0" * 64),)
    )
    path.write_text(file.document([one], "List", WORDS, exact.text), "utf-8")
    colours = []
    for scheme in ("light", "dark"):
        context = chromium.new_context(viewport={"width": 320, "height": 700}, color_scheme=scheme)
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        context.close()
    assert len(set(colours)) == 2


def opened(chromium: Any, path: Path, ask: str) -> tuple[list[str], Any]:
    """What a browser asks for when it opens a file, beside the file; and its answer."""
    context = chromium.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    copy = path.with_name("opened.html")
    copy.write_bytes(path.read_bytes())  # a download has no ending, and would be no page
    page.goto(copy.as_uri())
    page.wait_for_timeout(300)
    answer = page.evaluate(ask)
    context.close()
    return [url for url in asked if url not in (copy.as_uri(), "data:,")], answer


def press(page: Any, selector: str) -> None:
    """Go to the element by the Tab key and press it."""
    page.wait_for_selector(selector)
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector.split(":has-text")[0]) and (
            ":has-text" not in selector or "List" in page.evaluate("document.activeElement.textContent")
        ):
            page.keyboard.press("Enter")
            page.wait_for_timeout(300)
            return settle(page)
    raise AssertionError(f"no way to {selector}")
