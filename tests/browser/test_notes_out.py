"""Out of the tool: copies for notes, the agenda by keyboard, and the report in a browser that is asked for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from served import open_page, settle, tab, turn_to, watched
from test_security import serious

pytestmark = pytest.mark.browser
FINDINGS = "findings?workspace=six-conditions-mistakes&code=fmt-system-text-in-user"
MENU = ".st-key-more_place_0 button"
COPY = '[data-rb-copy="note-place_0"]'
HIDDEN = "#note-place_0"
ITEMS, ADDED = ".rb-agenda li", "The user message contains system text"
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"


def test_a_copy_for_notes_is_the_markdown_of_the_place(demo: str, page: Any) -> None:
    open_page(page, f"{demo}{FINDINGS}", MENU)
    page.locator(MENU).click()
    page.locator(COPY).click()
    page.get_by_role("button", name="Copied").wait_for()
    said = page.evaluate("navigator.clipboard.readText()")
    assert said == page.locator(HIDDEN).evaluate("e => e.textContent")
    assert said.startswith("**error:** The user message contains system text\n")
    assert "```text\nYou are a research paper assistant. Answer from" in said
    assert f"[See it in Readback](<{demo}prompts?" in said
    link = said.partition("(<")[2].partition(">)")[0]
    open_page(page, link, "mark.rb-here")
    assert page.locator("mark.rb-here").first.evaluate("e => e.textContent") == "You are a research paper assistant."


def test_without_a_clipboard_the_copy_is_downloaded_and_says_why(demo: str, chromium: Any) -> None:
    with tab(chromium) as page, watched(page):
        page.add_init_script(NO_CLIPBOARD)
        open_page(page, f"{demo}{FINDINGS}", MENU)
        page.locator(MENU).click()
        page.wait_for_selector(COPY)
        with page.expect_download() as wait:
            page.locator(COPY).click()
        assert wait.value.suggested_filename == "notes.md"
        expected = page.locator(HIDDEN).evaluate("e => e.textContent")
        assert Path(wait.value.path()).read_bytes() == expected.encode()
        assert "so it was downloaded" in page.locator(COPY).inner_text()


def test_by_keyboard_alone_an_agenda_is_made_ordered_and_taken_along(demo: str, page: Any, chromium: Any) -> None:
    open_page(page, f"{demo}{FINDINGS}", MENU)
    name(page)
    for place in (0, 1):
        press(page, f".st-key-more_place_{place} button")
        if not page.locator(f".st-key-unlist_place_{place}").count():  # a run before this one may have stopped half way
            press(page, f".st-key-list_place_{place} button")
        page.wait_for_selector(f".st-key-unlist_place_{place}")
        page.keyboard.press("Escape")
    turn_to(page, f"{demo}review?workspace=six-conditions-mistakes", ITEMS)
    press(page, f"{ITEMS} a:has-text('{ADDED}')")
    page.wait_for_selector(f"h2:has-text('{ADDED}')")
    before = page.locator(ITEMS).all_inner_texts()
    (at,) = (n for n, item in enumerate(before) if ADDED in item)
    press(page, ".st-key-arrange button")
    press(page, ".st-key-item_up button")
    before.insert(at - 1, before.pop(at))
    assert page.locator(ITEMS).all_inner_texts() == before
    assert serious(page) == []
    page.keyboard.press("Escape")
    press(page, ".st-key-report_open button")
    page.locator(".st-key-report_html button").wait_for()
    with page.expect_download(timeout=120_000) as wait:
        page.locator(".st-key-report_html button").focus()
        page.keyboard.press("Enter")
    assert wait.value.suggested_filename == "readback-report.html"
    away, items = opened(chromium, Path(wait.value.path()), "document.querySelectorAll('#agenda li').length")
    assert (away, items) == ([], page.locator(ITEMS).count())
    turn_to(page, f"{demo}{FINDINGS}", ".st-key-more_place_0")
    for place in (0, 1):  # the workspace is everybody's
        press(page, f".st-key-more_place_{place} button")
        press(page, f".st-key-unlist_place_{place} button")
        page.wait_for_selector(f".st-key-list_place_{place}")
        page.keyboard.press("Escape")


def name(page: Any) -> None:
    """Say who writes, in the form of a note."""
    page.keyboard.press("N")
    field = page.get_by_role("textbox", name="Your name")
    field.fill("Ada")
    field.press("Tab")
    settle(page)
    page.keyboard.press("Escape")


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
        if page.locator(selector).evaluate_all("all => all.includes(document.activeElement)"):
            page.keyboard.press("Enter")
            page.wait_for_timeout(300)
            return settle(page)
    raise AssertionError(f"no way to {selector}")
