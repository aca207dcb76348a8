"""The page Agenda: every item, one at a time, decided, arranged; and what other pages put on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from looking import clicked, links, named, page, said, turned, words
from small_study import DEMO
from streamlit.testing.v1 import AppTest

from readback.review import state
from readback.review.agenda import Item
from readback.review.event import Draft, new_id
from readback.review.store import Store
from readback.ui.review import decision_bar
from readback.words import t

RESULT = "result:instruction-only, closed book|instruction-only, open book"
UNKNOWN = "comparison:base, open book|RAG-trained, open book"
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
    """The keys of the items in their order in the list."""
    return list(dict.fromkeys(link["item"] for link in links(test, "review") if "item" in link))


def arranged(test: AppTest, key: str, button: str) -> AppTest:
    """The page after somebody opened an item and pressed a button of its menu."""
    return clicked(turned(test, "review", item=key), button)


def decided(test: AppTest, key: str, verdict: str, reason: str, name: str = "") -> AppTest:
    """The page after somebody filled the bar of the item in view and saved it."""
    form = decision_bar.get_form(Item(key, "added", ""))
    if verdict:
        test.button_group(key=f"verdict_{form}").set_value(verdict)
    test.text_area(key=f"reason_{form}").set_value(reason)
    if name:
        test.text_input(key=f"name_{form}").set_value(name)
    return clicked(test, "save_item")


def test_the_items_are_there_in_their_order_and_the_first_is_open_by_itself(root: Path) -> None:
    test = page("review", item=UNKNOWN)
    told = words(test)
    assert ("Open 6" in told, "Decided 0" in told, "Signed 0" in told) == (True, True, True)
    assert "6 items to decide" in told
    assert order(test) == [
        RESULT, "comparison:base, open book|RAG-trained, open book", "finding:fmt-context-not-sent",
        "finding:fmt-reference-cites-missing", "finding:dat-bad-line", "finding:fmt-answer-cites-missing",
    ]  # fmt: skip
    whole = "“RAG-trained, open book” and “base, open book”: The prompt lacks contexts that the record lists"
    assert f'title="Error: {whole}"' in said(test)
    assert [told.count(heading) for heading in ("Planned comparisons", "Other items")] == [1, 1]
    assert told.index("Planned comparisons") < told.index("Does reading the manual help?")
    assert told.index("Does reading the manual help?") < told.index("Does training with snippets")
    assert (
        told.index("Does training with snippets")
        < told.index("Other items")
        < told.index("The reference cites contexts")
    )
    assert "An error is on both sides: “The prompt lacks contexts that the record lists”." in told
    assert "Item 2 of 6" in told
    badge = t("scores.synthetic_here")
    assert f"{badge} No conclusion. By “relevance”: no clear difference, and it cannot be told" in told
    assert told.index("Not known: no Modelfile of base") < told.index(
        "95 % interval"
    )  # the evidence of the verdict first
    assert "Cannot tell. The system message of base, open book is not known" in told
    assert "+0.46 no clear difference" in told  # beside the difference as above it
    assert "Not known: no Modelfile of base is among the files." in told
    assert ("<ins" in said(test), "This side has no such message" in told) == (False, False)


def test_the_first_item_is_the_fair_comparison_by_its_question_and_says_what_the_data_favour(root: Path) -> None:
    test = page("review")
    told = words(test)
    assert 'data-rb-item="' + RESULT in said(test)
    assert "Comparison Does reading the manual help?" in told
    badge = t("scores.synthetic_here")
    assert f"{badge} The data favour “instruction-only, open book”. ✓ Fair. Only the prompt differs." in told
    assert (
        "A warning is on one side only: “An answer cites contexts that were not sent”. Not checked: Ollama’s template"
        in told
    )
    assert told.index("The data favour") < told.index("Only the prompt differs") < told.index("+1.78")
    assert "Before you sign: 6 items without a decision, 3 of them about 6 errors that nobody accepted" in told
    (choice,) = [group for group in test.button_group if group.label == "Decision"]
    assert list(choice.options) == ["Rely on it anyway", "Not until changed", "Decide later"]
    assert '<p class="rb-decide-on">Your decision</p>' in said(test)
    assert "Signing is not blocked" in told
    named(test)
    form = decision_bar.get_form(Item(RESULT, "score", ""))
    test.text_input(key=f"owner_{form}").set_value("Bo")
    decided(test, RESULT, "accept", "We ship it.")
    (decision,) = held(root).decisions
    assert (decision.item, decision.verdict, decision.owner) == (RESULT, "accept", "Bo")
    assert "Saved. Rely on it: Does reading the manual help?" in words(test)


def test_a_decision_on_the_pair_itself_is_one_on_what_is_concluded_of_it(root: Path) -> None:
    subject = {"kind": "comparison", "names": ["instruction-only, closed book", "instruction-only, open book"]}
    payload = {"subject": subject, "verdict": "accept", "reason": "Known.", "on": "the pair"}
    named(page("review"))
    Store(root).save(Draft("decision", payload, "Ada", "cli", new_id()))
    assert "Open 5" in words(page("review"))


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
    arranged(test, first[0], "item_down")
    assert order(test) == [first[1], first[0], *first[2:]]
    clicked(test, "agenda_undo")
    assert order(test) == first
    arranged(test, first[2], "item_drop")
    assert order(test) == [*first[:2], *first[3:]]
    assert "1 item dropped" in [one.label for one in test.expander]
    clicked(test, f"restore_{first[2]}")
    assert order(test) == first
    test.text_area(key="agenda_text").set_value("<b>Why?</b>")
    clicked(test, "save_agenda")
    assert order(test)[:-1] == first
    assert "<b>Why?</b>" in words(test)
    arranged(test, order(test)[-1], "item_up")
    assert order(test)[-1] == first[-1]


def test_without_a_name_it_is_asked_in_place_and_the_click_is_not_lost(root: Path) -> None:
    test = page("review", item="finding:dat-bad-line")
    clicked(test, "item_drop")
    assert "Not saved: give your name first." in words(test)
    assert held(root).sequence == 0
    test.text_input(key="review_name_board").set_value("Ada").run()
    (step,) = held(root).agenda
    assert (step.do, step.item, step.by.author) == ("drop", "finding:dat-bad-line", "Ada")


def test_the_name_of_whoever_decides_is_asked_in_the_bar(root: Path) -> None:
    test = page("review")
    key = order(test)[0]
    decided(test, key, "accept", "Known.")
    assert "Not saved: give your name first." in words(test)
    decided(test, key, "accept", "Known.", "Ada")
    assert [entry.by.author for entry in held(root).decisions] == ["Ada"]


def test_each_item_is_decided_with_its_evidence_and_leads_to_the_next(root: Path) -> None:
    test = named(page("review", item="finding:fmt-context-not-sent"))
    told = words(test)
    assert "Item 3 of 6" in told
    assert told.index("2 of 4 contexts are inside") < told.index("It is in 2 records")
    assert "2 of 4 contexts are inside the prompt; missing: 3, 4" in told
    assert "Context 3 was not sent: [3] Section: Berths" in told.replace("Context 3 was not sent: Section", "")
    assert "Decision" in [one.label for one in test.button_group]
    decided(test, "finding:fmt-context-not-sent", "change", "")
    assert "Not saved: give a reason." in words(test)
    decided(test, "finding:fmt-context-not-sent", "", "Rebuild them.")
    (decision,) = held(root).decisions
    assert (decision.verdict, decision.reason, decision.item) == (
        "change",
        "Rebuild them.",
        "finding:fmt-context-not-sent",
    )
    assert decision.on == "Error: The prompt lacks contexts that the record lists"
    assert decision.lock
    told = words(test)
    assert "Saved. Fix it: “RAG-trained, open book” and “base, open book”: The prompt lacks" in told
    assert "Open 5" in told
    assert "Decided 1" in told
    assert "Item 3 of 5" in told  # the next one, by itself
    assert "The reference cites contexts that do not exist" in told
    again = words(turned(test, "review", item="finding:fmt-context-not-sent"))
    assert "Fix it (decided by Ada):" in again
    assert "Rebuild them." in again


def test_what_is_deferred_is_not_decided(root: Path) -> None:
    test = named(page("review"))
    decided(test, order(test)[0], "defer", "Next week.")
    told = words(test)
    assert ("Open 5" in told, "Decided 0" in told) == (True, True)
    assert "One to decide later" in told
    assert "Ada: decide later" in told
    told = words(turned(test, "review", view="decided"))
    assert "Next week." in told
    assert "Decide later." in told


def test_all_items_are_decided_in_a_row(root: Path) -> None:
    test = named(page("review"))
    for key in order(test):
        decided(test, key, "accept", "As it is.")
    assert "All 6 items are decided." in words(test)
    assert len(held(root).decisions) == 6


def test_what_was_put_there_from_a_page_joins_the_item_about_the_same(root: Path) -> None:
    test = named(page("findings", code="fmt-context-not-sent"))
    before = order(turned(test, "review"))
    turned(test, "findings", code="fmt-context-not-sent")
    assert "Open in Review" in words(test)
    assert links(test, "review")[-1]["item"] == "finding:fmt-context-not-sent"
    clicked(test, "list_place_0")
    assert order(turned(test, "review")) == before
    assert "Added by Ada." in words(turned(test, "review", item="finding:fmt-context-not-sent"))


def test_presenting_walks_from_the_first_item_and_shows_the_time_only_when_asked(root: Path) -> None:
    test = page("review", present="1")
    assert "Item 1 of 6" in words(test)
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
    told = words(turned(test, "review", view="open", item=f"note:{note.id}"))
    assert "Note Ada: Who rebuilds it?" in told
    item = told.rpartition("open · Ada (name as given), ")[2]
    assert "the whole study Who rebuilds it? See the note" in item


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
