"""The page Review, and the note that can be written from any page."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from looking import page, words
from small_study import study
from streamlit.testing.v1 import AppTest

from readback.review import signing, state
from readback.review.event import Draft, NotSaved, new_id
from readback.review.store import Store
from readback.ui.review import held as standing_of

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
    return state.build_review(Store(root).events())


def test_an_empty_review_leads_out_of_itself(root: Path) -> None:
    told = words(page("review", view="decided"))
    assert "Nobody has signed, decided or noted anything here yet." in told
    assert all(said in told for said in ("A decision says what", "See what is open"))
    assert "A sign-off says that" in words(page("review", view="signed"))
    assert "Write one here on the whole study, or with the button Note of every room" in told


def test_a_note_from_messages_is_on_its_record_and_shown_there(root: Path) -> None:
    test = named(page("prompts", condition="two", record="2"))
    test.text_area(key="note_text_here").set_value("<b>odd</b>").run()
    test.button(key="save_note").click().run()
    assert "Your note is saved. The page Review lists it for everybody who opens this workspace." in words(test)
    assert test.text_area(key="note_text_here").value == ""
    (note,) = held(root).notes
    assert (note.text, note.by.author, note.by.source) == ("<b>odd</b>", "Ada", "asked")
    assert {name: note.anchor[name] for name in ("kind", "condition", "record")} == {
        "kind": "message", "condition": "two", "record": "2"}  # fmt: skip
    assert "<b>odd</b>" in words(page("prompts", condition="two", record="2"))
    assert "<b>odd</b>" not in words(page("prompts", condition="two", record="1"))
    (root / "readback.yml").write_text((root / "readback.yml").read_text().replace("A:", "B:"))
    assert "The text has changed since this note was written (A is the text of then, B the text of now): B " in words(
        page("prompts", condition="two", record="2")
    )


def test_without_a_name_nothing_is_saved_and_the_text_stays(root: Path) -> None:
    test = page("review", view="decided")
    test.text_area(key="note_text_study").set_value("mine").run()
    test.button(key="save_study").click().run()
    assert "Not saved: give your name first." in words(test)
    assert (test.text_area(key="note_text_study").value, held(root).notes) == ("mine", ())
    test.text_input(key="review_name_study").set_value("Ada").run()  # asked in place, and the click is not lost
    assert [(note.text, note.by.author) for note in held(root).notes] == [("mine", "Ada")]


def test_what_the_disk_refuses_is_said_and_the_text_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    test = named(page("review", view="decided"))
    test.text_area(key="note_text_study").set_value("mine").run()
    monkeypatch.setattr(Store, "save", full)
    test.button(key="save_study").click().run()
    assert "Not saved: the disk is full. Your text is still in the field." in words(test)
    assert test.text_area(key="note_text_study").value == "mine"


def test_a_decision_and_a_sign_off_are_kept_and_the_sign_off_is_checked(root: Path) -> None:
    test = named(page("review", view="decided"))
    test.selectbox(key="decide_subject").set_value("Condition two")
    test.radio(key="decide_verdict").set_value("defer")
    test.text_area(key="decide_reason").set_value("not yet").run()
    test.button(key="save_decision").click().run()
    assert "Decide later. Condition two" in words(test)
    assert "Decided 0" in words(test)
    test = signed(root)
    assert "still holds: unchanged" in settled(page("review", view="signed"))
    (root / "readback.yml").write_text((root / "readback.yml").read_text().replace("A:", "B:"))
    told = settled(page("review", view="signed"))
    assert "stale, 2 texts changed" in told
    assert told.count("4 of 4 prompts differ, all by this") == 2  # in the lead, and with its sign-off: once for both
    assert "Signed 1 , ✕ stale" in told
    assert "✕ Stale: The whole study, signed by Ada, " in told
    assert "“two”: 4 of 4" in told.replace("“one”, ", "")
    assert "one sign-off is stale" in told


def signed(root: Path, name: str = "Ada") -> AppTest:
    """The page after somebody signed off the whole study, once that is saved."""
    test = page("review", view="signed")
    test.text_input(key="name_sign").set_value(name)
    test.button(key="sign_now").click().run()
    for _ in range(100):
        if held(root).signoffs:
            return test
        test.run()
    raise AssertionError(words(test))


def test_before_signing_what_is_open_is_listed_and_the_sign_off_keeps_it(root: Path) -> None:
    named_page = named(page("review", view="decided"))
    named_page.text_area(key="note_text_study").set_value("Why?").run()
    named_page.button(key="save_study").click().run()
    test = page("review", view="signed")
    for _ in range(100):
        if "Before you sign" in words(test) and "one open note" in words(test):
            break
        test.run()
    told = words(test)
    assert "Open: one open note Look there" in told
    assert "Done: no sign-off is stale" in told
    assert test.button(key="sign_now").label == "Sign off with open points"
    test.text_input(key="name_sign").set_value("Ada")
    test.button(key="sign_now").click().run()
    for _ in range(100):
        if held(root).signoffs:
            break
        test.run()
    (entry,) = held(root).signoffs
    assert entry.payload["open"]["notes"] == 1
    assert "one open note" in words(test.run())


def test_only_whoever_signed_withdraws_it(root: Path) -> None:
    signed(root)
    (entry,) = held(root).signoffs
    test = page("review", view="signed")
    assert "Only Ada can withdraw it." in words(test)
    assert not [button for button in test.button if button.key == f"withdraw_{entry.id}"]


def test_a_decision_on_other_bytes_than_now_is_marked_with_its_owner_and_day(root: Path) -> None:
    test = named(page("review", view="decided"))
    test.selectbox(key="decide_subject").set_value("Condition two")
    test.text_area(key="decide_reason").set_value("fine").run()
    test.text_input(key="owner_decide").set_value("Bo").run()
    test.button(key="save_decision").click().run()
    (entry,) = held(root).decisions
    assert entry.owner == "Bo"
    told = settled(page("review", view="decided"))
    assert "Leave it. Condition two" in told
    assert "Bo looks after it" in told
    assert "on the same bytes as now" in told
    (root / "readback.yml").write_text((root / "readback.yml").read_text().replace("A:", "B:"))
    assert "✕ on other bytes than now" in settled(page("review", view="decided"))


def test_all_parts_of_the_page_say_the_same_of_a_sign_off_whenever_its_check_ends(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed(root)
    (root / "readback.yml").write_text((root / "readback.yml").read_text().replace("A:", "B:"))
    summed_up, answered = standing_of.sum_up, []

    def sum_up_slowly(review: state.Review, standings: standing_of.Standings) -> standing_of.Summary:
        """The check ends after the lead was summed up and before the list is drawn."""
        summary = summed_up(review, standings)
        while standing_of.find_standings(review).waiting:
            time.sleep(0.01)
        answered.append(standings.waiting)
        return summary

    monkeypatch.setattr(standing_of, "sum_up", sum_up_slowly)
    told = words(page("review", view="signed"))
    assert answered[:2] == [True, False]  # a second run by itself, once all is known
    assert not any(answered[2:])  # a busy machine may look once more
    assert told.count("4 of 4 prompts differ, all by this") == 2


def test_each_of_many_sign_offs_is_checked_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signed(root)
    (entry,) = held(root).signoffs
    store, many = Store(root), 40
    for _ in range(many - 1):
        store.save(Draft("signoff", entry.payload, "Bo", "cli", new_id()))
    checked = []

    def check(_now: object, _store: object, signoff: state.SignOff, *more: object) -> signing.Standing:
        if len(more) == 1:  # with more it is asked for what changed since
            checked.append(signoff.id)
        return signing.Standing()

    monkeypatch.setattr(signing, "check_standing", check)
    (root / "readback.yml").write_text((root / "readback.yml").read_text() + "\n")
    test = page("review", view="signed")
    settled(test)
    settled(test.run())
    assert (len(checked), len(set(checked))) == (many, many)


def settled(test: AppTest) -> str:
    """The words of the page once its sign-offs have been checked."""
    for _ in range(1_000):
        if "being checked" not in (told := words(test)):
            return told
        test.run()
    return told


def test_notes_are_answered_and_closed_on_the_page(root: Path) -> None:
    called = Store(root).save(Draft("note", {"text": "why?", "anchor": {"kind": "study"}}, "Bo", "cli", new_id())).id
    test = named(page("review", view="decided"))
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
    test = page("review", view="decided")
    assert "changed outside of Readback, at its entry 1" in words(test)
    assert "two" in words(test)
    assert not [one for one in test.button if one.key in ("sign_now", "save_decision", "save_study")]
    assert not [one for one in page("review", view="signed").button if one.key == "sign_now"]


def test_what_is_selected_in_a_message_is_kept_with_its_quote_and_marked_there(root: Path) -> None:
    test = named(page("prompts", condition="two", record="2"))
    test.text_input(key="note_span").set_value("0-user:3-6").run()
    assert "characters 3 to 6" in words(test)
    test.text_area(key="note_text_here").set_value("odd").run()
    test.text_input(key="owner_here").set_value("Bo").run()
    test.button(key="save_note").click().run()
    (note,) = held(root).notes
    text = "".join(one[1] for one in json.loads(Store(root).content(note.text_hash) or b"[]"))
    assert (note.anchor["quote"], note.owner, note.due) == (text[3:6], "Bo", "")
    assert test.text_input(key="note_span").value == ""
    drawn = "".join(one.value for one in page("prompts", condition="two", record="2").get("html"))
    assert 'class="rb-find rb-noted" title="Ada: odd"' in drawn
    other = "".join(one.value for one in page("prompts", condition="two", record="1").get("html"))
    assert 'rb-noted" title' not in other


@pytest.mark.parametrize("said", ["0-user:3-999", "7-user:0-1", "nonsense", "training-user:0-3"])
def test_a_span_that_is_not_there_marks_nothing(root: Path, said: str) -> None:
    test = named(page("prompts", condition="two", record="2"))
    test.text_input(key="note_span").set_value(said).run()
    assert "condition two, record 2, characters" not in words(test)
    test.text_area(key="note_text_here").set_value("odd").run()
    test.button(key="save_note").click().run()
    assert "start" not in held(root).notes[0].anchor


def test_a_note_is_edited_on_the_page_and_nobody_is_overwritten_unseen(root: Path) -> None:
    store = Store(root)
    draft = Draft("note", {"text": "why?", "anchor": {"kind": "study"}, "due": "soon"}, "Bo", "cli", new_id())
    called = store.save(draft).id
    test, form = named(page("review", view="decided")), f"edit_{called}"
    test.button(key=f"save_{form}").click().run()
    assert "Not saved: nothing was changed." in words(test)
    test.text_area(key=f"text_{form}").set_value("mine").run()
    store.save(Draft("edit", {"note": called, "text": "theirs"}, "Cy", "cli", new_id()))
    test.button(key=f"save_{form}").click().run()
    assert "somebody else changed this note while you wrote" in words(test)
    assert (held(root).notes[0].text, test.text_area(key=f"text_{form}").value) == ("theirs", "mine")
    test.button(key=f"save_{form}").click().run()
    (note,) = held(root).notes
    assert (note.text, note.due, note.edits) == ("mine", "soon", 2)
    assert "edited 2 times" in words(test)


def test_a_sign_off_is_withdrawn_on_the_page(root: Path) -> None:
    test = signed(root)
    (one,) = held(root).signoffs
    settled(test)
    test.run()
    test.button(key=f"withdraw_{one.id}").click().run()
    assert "withdrawn" in words(test)
    assert held(root).signoffs[0].withdrawn is not None


def test_many_notes_are_shown_a_part_at_a_time(root: Path) -> None:
    store = Store(root)
    for n in range(33):
        store.save(Draft("note", {"text": f"note {n}.", "anchor": {"kind": "study"}}, "Bo", "cli", new_id()))
    test = page("review", view="decided")
    assert ("note 29." in words(test), "note 30." in words(test)) == (True, False)
    test.button(key="more_notes").click().run()
    assert "note 32." in words(test)


class Headers(dict[str, str]):
    """What Streamlit has of a connection's headers."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]] if name in self else []


@pytest.mark.parametrize(
    ("address", "secret", "known"),
    [
        (None, "long", True),  # Streamlit names no address for a proxy on the same machine
        ("10.0.0.9", "long", False),
        (None, "short", False),
    ],
)
def test_a_proxy_on_this_machine_says_who_writes(
    root: Path, monkeypatch: pytest.MonkeyPatch, address: str | None, secret: str, known: bool
) -> None:
    for name, value in (("USER_HEADER", "X-User"), ("PROXY", "127.0.0.1"), ("PROXY_SECRET", "long")):
        monkeypatch.setenv(f"READBACK_{name}", value)
    context = type(st.context)
    headers = Headers({"X-User": "ines.login", "X-Readback-Proxy-Secret": secret})
    monkeypatch.setattr(context, "headers", property(lambda _: headers))
    monkeypatch.setattr(context, "ip_address", property(lambda _: address))
    test = page("review", view="decided")
    assert ("You write as ines.login, as the proxy says." in words(test)) is known
    test.text_area(key="note_text_study").set_value("By proxy")
    test.button(key="save_study").click().run()
    assert [(one.by.author, one.by.source) for one in held(root).notes] == ([("ines.login", "proxy")] if known else [])
