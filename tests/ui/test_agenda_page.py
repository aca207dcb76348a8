"""The page Agenda: every item, one at a time, decided, arranged; and what other pages put on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from looking import clicked, named, page, said, turned, words
from small_study import DEMO
from streamlit.testing.v1 import AppTest

from readback.review import state
from readback.review.store import Store

MISTAKES = DEMO.with_name("six-conditions-mistakes")


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))
    folder = tmp_path / "demo"
    shutil.copytree(DEMO, folder)
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    return folder


def held(root: Path) -> state.Review:
    return state.build_review(Store(root).events())


def order(test: AppTest) -> list[str]:
    """The keys of the items in their order on the page."""
    return [button.key.removeprefix("drop_") for button in test.button if (button.key or "").startswith("drop_")]


def test_the_items_are_there_in_their_order_with_what_they_are_about(root: Path) -> None:
    test = page("review")
    told = words(test)
    assert "5 items to decide: 1 comparison, 3 errors and 1 warning. 0 decided so far." in told
    assert order(test) == [
        "comparison:base, open book|RAG-trained, open book", "finding:fmt-context-not-sent",
        "finding:fmt-reference-cites-missing", "finding:dat-bad-line", "finding:fmt-answer-cites-missing",
    ]  # fmt: skip
    assert "Cannot tell. The system message of base, open book is not known" in told
    assert "It is in 1 place. data/harbour.jsonl line 13" in told
    assert "item=finding%3Adat-bad-line" in said(test)


def test_without_a_plan_and_without_faults_it_says_that_nothing_was_planned_and_not_that_it_is_fair(
    serving: Callable[..., Path],
) -> None:
    serving({
        "d.jsonl": [{"id": "1", "q": "Why?"}],
        "readback.yml": {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "Question: {{ q }}"}]},
    })  # fmt: skip
    told = words(page("review"))
    assert "The check found no error or warning, no comparison is planned, and no note is open." in told
    assert "fair" not in told


def test_items_are_moved_dropped_put_back_added_and_all_of_it_taken_back(root: Path) -> None:
    test = named(page("review"))
    first = order(test)
    clicked(test, f"down_{first[0]}")
    assert order(test) == [first[1], first[0], *first[2:]]
    clicked(test, "agenda_undo")
    assert order(test) == first
    clicked(test, f"drop_{first[2]}")
    assert order(test) == [*first[:2], *first[3:]]
    assert "1 item dropped" in [one.label for one in test.expander]
    clicked(test, f"restore_{first[2]}")
    assert order(test) == first
    test.text_area(key="agenda_text").set_value("<b>Why?</b>")
    clicked(test, "save_agenda")
    assert order(test)[:-1] == first
    assert "<b>Why?</b>" in words(test)
    clicked(test, f"up_{order(test)[-1]}")
    assert order(test)[-1] == first[-1]


def test_without_a_name_nothing_is_saved_and_the_page_says_so(root: Path) -> None:
    test = page("review")
    clicked(test, "drop_finding:dat-bad-line")
    assert "Not saved: give your name first." in words(test)
    assert held(root).sequence == 0


def test_one_at_a_time_with_its_proof_and_its_decision(root: Path) -> None:
    test = named(page("review", item="finding:fmt-context-not-sent"))
    told = words(test)
    assert "Item 2 of 5" in told
    assert "2 of 4 contexts are inside the prompt; missing: 3, 4" in told
    test.button_group(key="item_verdict").set_value("change")
    clicked(test, "save_item")
    assert "Not saved: give a reason." in words(test)
    test.text_area(key="item_reason").set_value("Rebuild them.")
    clicked(test, "save_item")
    (decision,) = held(root).decisions
    assert (decision.verdict, decision.reason, decision.item) == (
        "change",
        "Rebuild them.",
        "finding:fmt-context-not-sent",
    )
    assert decision.on == "Error: The prompt lacks contexts that the record lists"
    assert decision.lock
    assert "To be changed, by Ada:" in words(test)
    assert "Rebuild them." in words(test)
    clicked(test, "next")
    assert "Item 3 of 5" in words(test)
    clicked(test, "previous")
    clicked(test, "previous")
    assert "In the first record they differ like this" in words(test)
    assert test.button(key="previous").disabled


def test_presenting_walks_from_the_first_item_and_shows_the_time_only_when_asked(root: Path) -> None:
    test = page("review", present="1")
    assert "Item 1 of 5" in words(test)
    assert 'role="timer"' not in said(test)
    clicked(test, "clock")
    assert "0:0" in words(test)
    clicked(test, "clock")
    assert 'role="timer"' not in said(test)


def test_what_is_added_on_findings_and_messages_is_on_the_agenda_with_its_exact_text(root: Path) -> None:
    test = page("findings", code="fmt-context-not-sent")
    clicked(test, "list_place_0")
    assert "Not saved: give your name first, with the button Note above." in words(test)
    named(test)
    clicked(test, "list_place_0")
    assert "unlist_place_0" in {button.key for button in test.button}
    turned(test, "prompts", record="ellery-05", condition="base, open book")
    clicked(test, "list_0-user")
    found = held(root)
    assert [one.entry["kind"] for one in found.agenda] == ["finding", "message"]
    assert found.agenda[1].entry["link"].startswith("/prompts?")
    turned(test, "review", item=found.agenda[1].item)
    assert "User message: record ellery-05, base, open book" in words(test)
    assert "Answer the question using the provided context." in words(test)
    turned(test, "findings", code="fmt-context-not-sent")
    clicked(test, "unlist_place_0")
    assert [one.entry["kind"] for one in held(root).agenda] == ["message"]


def test_an_open_note_is_an_item_that_shows_it(root: Path) -> None:
    test = named(page("review", view="decided"))
    turned(test, "review", view="decided")
    test.text_area(key="note_text_study").set_value("Who rebuilds it?")
    clicked(test, "save_study")
    (note,) = held(root).notes
    told = words(turned(test, "review", item=f"note:{note.id}"))
    assert "Note of Ada: Who rebuilds it?" in told


def test_a_study_with_nothing_to_say_leads_out(write: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "readback.yml").write_text('dataset: d.jsonl\nmodes:\n  - {mode: a, template: "Q: {{ q }}"}\n')
    (folder / "d.jsonl").write_text('{"id": "1", "q": "Why?"}\n')
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    test = page("review")
    assert "Nothing needs to be talked about." in words(test)
    assert "/overview" in said(test) or 'href="/' in said(test)


def test_the_report_is_offered_in_three_forms(root: Path) -> None:
    labels = [button.proto.label for button in page("review").main.get("download_button")]
    assert labels == ["As an HTML file", "As Markdown", "As JSON"]
