"""The page Review, and the note that can be written from any page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, words
from streamlit.testing.v1 import AppTest
from test_lock import study

from readback.review import state
from readback.review.event import Draft, NotSaved, new_id
from readback.review.store import Store

Write = Callable[[Mapping[str, Any]], Path]


@pytest.fixture
def root(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))
    folder = study(write)
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    return folder


def named(test: AppTest) -> AppTest:
    test.text_input(key="review_name").set_value("Ada")
    return test


def held(root: Path) -> state.Review:
    return state.review(Store(root).events())


def test_an_empty_review_leads_out_of_itself(root: Path) -> None:
    told = words(page("review"))
    assert "0 open notes, 0 decisions, 0 sign-offs." in told
    assert "Nobody has signed anything yet." in told
    assert "Write one here, or from any page with the button Note." in told


def test_a_note_from_messages_is_on_its_record_and_shown_there(root: Path) -> None:
    test = named(page("messages", condition="two", record="2"))
    test.text_area(key="note_text_here").set_value("<b>odd</b>").run()
    test.button(key="save_note").click().run()
    assert "Saved as event 1." in words(test)
    assert test.text_area(key="note_text_here").value == ""
    (note,) = held(root).notes
    assert (note.text, note.by.author, note.by.known) == ("<b>odd</b>", "Ada", "asked")
    assert {name: note.anchor[name] for name in ("kind", "condition", "record")} == {
        "kind": "message", "condition": "two", "record": "2"}  # fmt: skip
    assert "<b>odd</b>" in words(page("messages", condition="two", record="2"))
    assert "<b>odd</b>" not in words(page("messages", condition="two", record="1"))
    (root / "readback.yml").write_text((root / "readback.yml").read_text().replace("A:", "B:"))
    assert "The text has changed since this note was written." in words(page("messages", condition="two", record="2"))


def test_without_a_name_nothing_is_saved_and_the_text_stays(root: Path) -> None:
    test = page("review")
    test.text_area(key="note_text_study").set_value("mine").run()
    test.button(key="save_study").click().run()
    assert "Not saved: give your name first." in words(test)
    assert (test.text_area(key="note_text_study").value, held(root).notes) == ("mine", ())


def test_what_the_disk_refuses_is_said_and_the_text_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    test = named(page("review"))
    test.text_area(key="note_text_study").set_value("mine").run()
    monkeypatch.setattr(Store, "save", full)
    test.button(key="save_study").click().run()
    assert "Not saved: the disk is full. Your text is still in the field." in words(test)
    assert test.text_area(key="note_text_study").value == "mine"


def test_a_decision_and_a_sign_off_are_kept_and_the_sign_off_is_checked(root: Path) -> None:
    test = named(page("review"))
    test.selectbox(key="decide_subject").set_value("Condition two")
    test.radio(key="decide_verdict").set_value("defer")
    test.text_area(key="decide_reason").set_value("not yet").run()
    test.button(key="save_decision").click().run()
    assert "defer Condition two" in words(test)
    test.button(key="sign_now").click().run()
    assert [str(one.subject) for one in held(root).signoffs] == ["study"]
    assert "unchanged since" in settled(page("review"))
    (root / "readback.yml").write_text((root / "readback.yml").read_text().replace("A:", "B:"))
    told = settled(page("review"))
    assert "stale, 2 texts changed" in told
    assert "4 of 4 prompts differ, all by this" in told


def settled(test: AppTest) -> str:
    """The words of the page once its sign-offs have been checked."""
    for _ in range(100):
        if "being checked" not in (told := words(test)):
            return told
        test.run()
    return told


def test_notes_are_answered_and_closed_on_the_page(root: Path) -> None:
    called = Store(root).save(Draft("note", {"text": "why?", "anchor": {"kind": "study"}}, "Bo", "cli", new_id())).id
    test = named(page("review"))
    test.text_area(key=f"text_answer_{called}").set_value("because").run()
    test.button(key=f"save_answer_{called}").click().run()
    assert "because" in words(test)
    test.button(key=f"close_{called}").click().run()
    assert held(root).notes[0].standing == "closed"
    test.button(key=f"reopen_{called}").click().run()
    assert held(root).notes[0].standing == "open"


def test_a_broken_chain_is_said_and_nothing_can_be_added(root: Path) -> None:
    import sqlite3

    store = Store(root)
    for text in ("one", "two"):
        store.save(Draft("note", {"text": text}, "Bo", "cli", new_id()))
    with sqlite3.connect(store.file) as there:
        there.execute("DROP TRIGGER events_update")
        there.execute('UPDATE events SET payload = \'{"text": "else"}\' WHERE sequence = 1')
    test = page("review")
    assert "changed outside of Readback at event 1" in words(test)
    assert "two" in words(test)
    assert not [one for one in test.button if one.key in ("sign_now", "save_decision", "save_study")]
