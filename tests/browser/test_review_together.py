"""A review in several browsers: what one saves the others see, a draft outlives a reload, a changed byte is noticed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nasty
import pytest
from counts import LONG
from served import At, Others, open_page, settle, turn_to

from readback.cli import main
from readback.review import state
from readback.review.event import Draft, new_id
from readback.review.store import Store

pytestmark = pytest.mark.browser
Write = Callable[[Mapping[str, Any]], Path]
SOON = 60.0  # seconds: a guard against what never comes; where nobody else works others see it after two
FILE = "dataset: d.jsonl\nconditions:\n  - {name: one, mode: a}\n  - {name: two, mode: b}\nmodes:\n"
MODES = '  - {mode: a, template: "{{ q }}"}\n  - {mode: b, template: "Q: {{ q }}\\nAnswer:"}\n'
ROWS = [{"id": str(n), "q": f"Why {n}?"} for n in range(5)]
MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script> & [a](b) $x$ :smile: \u202e'


@pytest.fixture
def root(write: Write) -> Path:
    return write({"readback.yml": FILE + MODES, "d.jsonl": ROWS})


def name(page: Any, said: str) -> None:
    field = page.get_by_role("textbox", name="Your name")
    field.fill(said)
    field.press("Tab")
    settle(page)


def write_note(page: Any, text: str, who: str = "") -> None:
    page.keyboard.press("N")
    page.get_by_role("textbox", name="Your note").wait_for()
    if who:
        name(page, who)
    page.get_by_role("textbox", name="Your note").fill(text)
    page.get_by_role("button", name="Save note").click()


def seen(page: Any, text: str, within: float = SOON) -> float:
    """Seconds until a page shows a text."""
    began = time.monotonic()
    while page.get_by_text(text, exact=False).count() == 0:
        assert time.monotonic() - began < within, page.locator("[data-testid=stMain]").inner_text()
        page.wait_for_timeout(100)
    return time.monotonic() - began


def test_what_one_saves_the_others_see_and_nothing_is_lost(at: At, page: Any, others: Others, root: Path) -> None:
    other, third = others(2)
    for one in (page, other, third):
        open_page(one, at(root, "prompts?condition=two&index=2") if one is not third else at(root, "review"))
    write_note(page, "first", "Ada")
    write_note(other, "second", "Bo")
    seen(third, "first")
    seen(third, "second")
    found = state.build_review(Store(root).events()).notes
    assert {(note.by.author, note.text, note.anchor["record"]) for note in found} == {
        ("Ada", "first", "2"), ("Bo", "second", "2")}  # fmt: skip
    page.locator(".st-key-note_here button", has_text="(").first.wait_for()  # with a count it is wider
    menu, note = (page.locator(one).bounding_box() for one in (".st-key-workspace_bar .rb-menu", ".st-key-note_here"))
    assert menu["x"] + menu["width"] <= note["x"]


def test_a_draft_and_its_id_outlive_a_reload_and_are_saved_once(at: At, page: Any, root: Path) -> None:
    open_page(page, at(root, "prompts?condition=two"))
    page.keyboard.press("N")
    name(page, "Ada")
    page.get_by_role("textbox", name="Your note").fill(MARKUP)
    held = json.loads(page.evaluate("Object.entries(sessionStorage).find(([key]) => key.startsWith('rb-draft'))[1]"))
    page.reload()
    page.wait_for_selector("h1")
    settle(page)
    page.keyboard.press("N")
    page.get_by_role("textbox", name="Your note").wait_for()
    for _ in range(300):
        if page.get_by_role("textbox", name="Your note").input_value():
            break
        page.wait_for_timeout(100)
    settle(page)
    assert page.get_by_role("textbox", name="Your note").input_value() == MARKUP
    page.get_by_role("button", name="Save note").click()
    seen(page, "Your note is saved.")
    (event,) = Store(root).events()
    assert (event.id, event.payload["text"]) == (held["key"], MARKUP)
    assert page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('rb-draft')).length") == 0
    turn_to(page, at(root, "review?view=decided"), ".rb-said")
    assert page.locator(".rb-said").first.evaluate("one => one.textContent") == MARKUP
    assert page.title() != "1"
    assert page.locator("[data-testid=stMain] img, .rb-said script").count() == 0


def test_a_changed_byte_makes_a_sign_off_stale_with_its_sentence(at: At, page: Any, others: Others, root: Path) -> None:
    (other,) = others(1)
    open_page(page, at(root, "review?view=signed"))
    name(page, "Ada")
    page.get_by_role("button", name="Sign off").click()
    seen(page, "still holds: unchanged")
    open_page(other, at(root, "review?view=signed"))
    seen(other, "still holds: unchanged")
    (root / "readback.yml").write_text(FILE + MODES.replace("Answer:", "Answer: "))
    seen(other, "stale, one text changed")  # without a click
    seen(page, "stale, one text changed")
    assert "5 of 5 prompts differ, all by this" in other.locator("[data-testid=stMain]").inner_text()


def test_a_note_is_on_what_is_selected_and_the_others_see_it_there(
    at: At, page: Any, others: Others, root: Path
) -> None:
    (other,) = others(1)
    for one in (page, other):
        open_page(one, at(root, "prompts?condition=two&index=2"))
    box = page.locator(".rb-exact .rb-s", has_text="Why 2?").bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    page.keyboard.press("N")
    seen(page, "characters 3 to 9")
    write_in_place(page, "by mouse", "Ada")
    seen(page, "Your note is saved.")
    other.locator(".rb-exact .rb-s", has_text="Answer:").focus()
    other.keyboard.press("N")
    seen(other, "characters 9 to 17")
    assert other.locator(".rb-exact mark.rb-noted").inner_text() == "Why 2?"
    write_in_place(other, "by key", "Bo")
    seen(other, "Your note is saved.")
    found = state.build_review(Store(root).events()).notes
    assert [note.anchor["quote"] for note in found] == ["Why 2?", "\nAnswer:"]
    open_page(page, at(root, "prompts?condition=two&index=2"))
    assert page.locator(".rb-exact mark.rb-noted").all_inner_texts() == ["Why 2?", "\nAnswer:"]


def test_markup_and_odd_texts_stay_what_was_typed(at: At, page: Any, root: Path, capsys: Any) -> None:
    said, store = [*nasty.markup(), *nasty.texts(500 if LONG else 25)], Store(root)
    note = store.save(Draft("note", {"text": said[0], "anchor": {"kind": "study"}}, said[1], "cli", new_id())).id
    for text in said:
        store.save(Draft("answer", {"note": note, "text": text}, text[:200] or "-", "cli", new_id()))
    for text in said[::20]:
        about = {"kind": "study", "names": []}
        store.save(Draft("decision", {"subject": about, "verdict": "defer", "reason": text}, text, "cli", new_id()))
    open_page(page, at(root, "review?view=decided"))
    seen(page, "-")
    texts = page.evaluate("[...document.querySelectorAll('.rb-answer .rb-said')].map((one) => one.textContent)")
    assert texts == [nasty.shown(text) for text in said]
    reasons = page.evaluate("[...document.querySelectorAll('.rb-note > .rb-said')].map((one) => one.textContent)")
    assert reasons == [*[nasty.shown(text) for text in said[::20]][::-1], nasty.shown(said[0])]
    assert page.title() != "1"
    assert page.locator(".rb-note :is(script, img, svg, iframe, a, style, form, input)").count() == 0
    assert main(["review", "list", str(root), "--format", "json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["notes"]
    assert [one["text"] for one in told["answers"]] == said
    assert [one["author"] for one in told["answers"]] == [text[:200] or "-" for text in said]


def write_in_place(page: Any, text: str, who: str) -> None:
    settle(page)
    name(page, who)
    page.get_by_role("textbox", name="Your note").fill(text)
    page.get_by_role("button", name="Save note").click()
