"""The text in the browser is the text that was assembled, character for character."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nasty
import pytest
from counts import LONG
from served import At, open_page, settle, turn_to

from readback import workspace
from readback.prompts import assemble
from readback.records import dataset
from readback.types import Selection

pytestmark = pytest.mark.browser
EVERY = "JSON.stringify([...document.querySelectorAll('.nasty .rb-exact')].map((e) => e.textContent))"
TEXTS = """JSON.stringify([...document.querySelectorAll('[id^="text-"] .rb-exact')].map((e) => e.textContent))"""
MESSAGE = "#text-0-system .rb-exact"
LAST = f"#n{len(nasty.texts()) - 1} .rb-exact"


def shown(page: Any) -> list[str]:
    """The texts of the messages as the browser holds them."""
    texts: list[str] = json.loads(page.evaluate(TEXTS))
    return texts


def test_two_hundred_nasty_texts_in_chromium(nasty_page: str, page: Any) -> None:
    open_page(page, nasty_page, LAST)
    assert [nasty.shown(text) for text in nasty.texts()] == json.loads(page.evaluate(EVERY))


def test_each_message_of_each_record_is_what_was_assembled(texts_of_a_workspace: Path, at: At, page: Any) -> None:
    opened = workspace.open(texts_of_a_workspace)
    data = dataset.open_dataset(opened.root, opened.dataset)
    for record in list(data.records())[:: 1 if LONG else 6]:
        turn_to(page, at(texts_of_a_workspace, f"prompts?record={record.id}"), MESSAGE)
        made = assemble.assemble(opened, record, Selection(mode="plain"))
        assert record.fields["text"] == made.messages[-1].text
        assert [nasty.shown(message.text) for message in made.messages] == shown(page)


def test_the_download_is_equal_to_the_byte(texts_of_a_workspace: Path, at: At, page: Any) -> None:
    for number, text in list(enumerate([*nasty.EDGES[:20], *nasty.LOST]))[:: 1 if LONG else 6]:
        turn_to(page, at(texts_of_a_workspace, f"prompts?record=r{number}"), "#text-1-user .rb-exact")
        with page.expect_download() as wait:
            if not page.locator(".st-key-download_1-user").is_visible():  # the menu stays open on the next record
                page.locator(".st-key-menu_1-user button").click()
            page.locator(".st-key-download_1-user button").click()
        assert text.encode("utf-8", "surrogatepass") == Path(wait.value.path()).read_bytes()


def test_a_copy_by_the_button_is_the_text(texts_of_a_workspace: Path, at: At, page: Any) -> None:
    for number, text in [(n, text) for n, text in enumerate(nasty.EDGES[:20]) if "\x0b" not in text][
        :: 1 if LONG else 6
    ]:
        turn_to(page, at(texts_of_a_workspace, f"prompts?record=r{number}"), "#text-1-user .rb-exact")
        if not page.locator('[data-rb-copy="text-1-user"]').is_visible():
            page.locator(".st-key-menu_1-user button").click()
        page.locator('[data-rb-copy="text-1-user"]').click()
        page.get_by_role("button", name="Copied").wait_for()
        assert text == page.evaluate("navigator.clipboard.readText()")


def test_blanks_are_drawn_and_the_text_stays(texts_of_a_workspace: Path, at: At, page: Any) -> None:
    open_page(page, at(texts_of_a_workspace, "prompts?record=r13"), "#text-1-user .rb-exact")
    page.keyboard.press("w")
    page.wait_for_selector(".rb-exact.rb-white")
    settle(page)
    assert nasty.EDGES[13] == page.locator("#text-1-user .rb-exact").evaluate("e => e.textContent")
    assert page.locator("#text-1-user .rb-nl").count() == nasty.EDGES[13].count("\n")


def test_an_answer_that_is_folded_is_copied_whole(at: At, page: Any, tmp_path: Path) -> None:
    text = "\n".join(f"line {number}" for number in range(1, 31))
    files = {"data.jsonl": {"id": "a", "q": "Why?"}, "answers.jsonl": {"id": "a", "response": text}}
    for name, row in files.items():
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    (tmp_path / "readback.yml").write_text(
        "dataset: {path: data.jsonl, id: id}\nmodes: [{mode: ask, template: '{{ q }}'}]\n"
        "conditions: [{name: tuned, mode: ask, answers: answers.jsonl}]\n"
    )
    open_page(page, at(tmp_path, "prompts"), "#text-answer")
    fold = page.locator("#text-answer details")
    assert fold.locator("summary").inner_text() == "… 18 more lines"
    assert not fold.locator(".rb-exact").is_visible()
    fold.locator("summary").click()
    assert fold.locator(".rb-exact").is_visible()
    page.locator(".st-key-menu summary").first.click()
    page.locator('[data-rb-copy="text-answer"]').click()
    settle(page)
    assert text == page.evaluate("navigator.clipboard.readText()")
