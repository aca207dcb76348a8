"""What the model reads, with tokens and citations, in a browser: exact text, by link, by keyboard, for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from counts import part
from served import At, open_page, settle, turn_to
from test_acceptance import tab_to
from test_security import serious

from readback import workspace
from readback.prompts import assemble, model_input
from readback.records import dataset
from readback.types import Selection

pytestmark = pytest.mark.browser
SIX = Path(__file__).parents[2] / "configs" / "examples" / "six-conditions-mistakes"
TUNED, STUDY = "RAG-trained, open book", "hybrid_science_0p5b_rag_trained"
WIRE = "#text-wire .rb-exact"
TEXT = "e => e.textContent"
ALL = "all => all.map((e) => e.textContent)"
ON = {"tokens": "1", "citations": "1"}


def asked(condition: str, **more: str) -> str:
    return f"prompts?{urlencode({'condition': condition, **more})}"


def read_by(folder: Path, condition: str, numbers: Sequence[int]) -> dict[str, str]:
    """What the model reads of these records, by id, without a page."""
    opened = workspace.open(folder)
    records = list(dataset.open_dataset(opened.root, opened.dataset).records())
    found = {}
    for record in (records[number] for number in numbers):
        made = assemble.assemble(opened, record, Selection(condition=condition))
        sent = model_input.build_model_input(opened, record, made, opened.condition(condition), False)
        assert record.id
        assert sent
        found[record.id] = sent.text
    return found


def test_the_text_is_the_text_whatever_is_drawn_in_it(demo: str, tour: Any) -> None:
    for record, text in read_by(SIX, TUNED, part((20, 0), 1)).items():
        for drawn in part(({**ON, "whitespace": "1"}, {}, {"tokens": "1"}, {"citations": "1"}), 2):
            turn_to(
                tour,
                demo + asked(TUNED, workspace="six-conditions-mistakes", layer="wire", record=record, **drawn),
                WIRE,
            )
            assert tour.locator(WIRE).evaluate(TEXT) == text, (record, drawn)
            assert bool(tour.locator(f"{WIRE} .rb-t-special").count()) == ("tokens" in drawn)


@pytest.mark.realdata
def test_both_system_blocks_of_the_real_study_are_marked(shared: Path, at: At, page: Any) -> None:
    study = shared / "data" / "prompt-formats"
    for record, text in read_by(study, STUDY, part((0, 6), 1)).items():
        for drawn in part(({"citations": "1"}, {}), 1):
            turn_to(page, at(study, asked(STUDY, layer="wire", record=record, **drawn)), WIRE)
            assert page.locator(WIRE).evaluate(TEXT) == text, (record, drawn)
    marked = page.locator(f"{WIRE} mark[title*='system message']")
    said = "You are a scientific research assistant who answers with concise, evidence-grounded prose"
    assert [block.startswith(said) for block in marked.evaluate_all(ALL)] == [True, True]
    assert len(set(marked.evaluate_all("all => all.map((e) => e.title)"))) == 2
    assert serious(page) == []


def test_a_link_restores_the_view_and_what_is_drawn(demo: str, page: Any) -> None:
    open_page(page, demo + asked(TUNED, workspace="six-conditions-mistakes"), ".rb-exact")
    for name in ("citations", "tokens"):
        if not page.locator(f".st-key-{name} input").is_visible():
            tab_to(page, ".st-key-menu summary")
            page.keyboard.press("Enter")
        tab_to(page, f".st-key-{name} input")
        page.keyboard.press("Space")
        page.wait_for_url(f"**{name}=1**")
        settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="What the model reads").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**layer=wire**")
    page.wait_for_selector(f"{WIRE} .rb-t-special")
    settle(page)
    here, shown = page.url, page.locator(WIRE).inner_html()
    assert all(part in here for part in ("tokens=1", "citations=1", "layer=wire"))
    assert page.locator("mark.rb-cite-ok").count() == 2
    open_page(page, here, f"{WIRE} .rb-t-special")
    assert page.locator(WIRE).inner_html() == shown
    assert page.locator("mark.rb-cite-ok").count() == 2

    open_page(
        page,
        demo + asked(TUNED, workspace="six-conditions-mistakes", layer="training", by="role"),
        "#text-training-user",
    )
    assert page.locator('.rb-switch a[aria-current="page"]').evaluate_all(ALL) == [
        "Training text",
        "Message by message",
    ]
    assert page.locator(".st-key-tokens input").is_disabled()


def test_what_a_token_and_a_citation_are_is_said_on_focus(demo: str, page: Any) -> None:
    drawn = {"workspace": "six-conditions-mistakes", "layer": "wire", **ON}
    open_page(page, demo + asked(TUNED, **drawn), f"{WIRE} .rb-t-special")
    tab_to(page, WIRE)
    page.keyboard.press("ArrowRight")
    first = page.locator(f"{WIRE} .rb-s").first
    assert first.evaluate("e => document.activeElement === e")
    assert (first.get_attribute("data-from") or "").startswith("special token ")
    assert "special token" in first.evaluate("e => getComputedStyle(e, '::after').content")
    page.locator("mark.rb-cite-ok .rb-s").first.focus()  # the arrow keys go there
    assert "Context 1 of 4" in page.evaluate("document.activeElement.dataset.from")


@pytest.mark.parametrize(
    "view", part(["layer=wire&tokens=1&citations=1", "layer=training&by=role", "layer=training"], 1)
)
def test_no_serious_fault_in_what_the_model_reads(demo: str, tour: Any, view: str) -> None:
    turn_to(tour, f"{demo}{asked(TUNED, workspace='six-conditions-mistakes')}&{view}", ".rb-exact, .rb-three")
    assert serious(tour) == []
