"""The agenda of a meeting: its order, what is in an item, and how people arrange it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from counts import some

from readback import workspace
from readback.checks.run import engine
from readback.cli import main
from readback.review import state
from readback.review.agenda import Item, arrange_items, build_agenda
from readback.review.event import Draft, new_id
from readback.review.state import By, Review, Step
from readback.review.store import Store

Write = Callable[[Mapping[str, Any]], Path]
DAY = date(2026, 11, 24)
BY = By("Ada", "asked", "2026-11-24T10:00:00.000Z", 1)
ROWS = [{"id": str(n), "q": f"Why {n}?", "c": ["One.", "Two."]} for n in range(6)]
HEAD = "dataset: data.jsonl\ntoday: '2026-01-02'\ncomparisons: [{a: one, b: two}]\nconditions:\n"


@pytest.fixture(autouse=True)
def _own_reviews(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))


def study(write: Write, templates: Mapping[str, str], more: str = "", rows: Any = ROWS) -> Path:
    """A study of conditions by their templates; `one` and `two` are to be compared."""
    conditions = "".join(f"  - {{name: {name}, mode: {name}}}\n" for name in templates)
    modes = "".join(f"  - {{mode: {name}, template: {json.dumps(text)}}}\n" for name, text in templates.items())
    return write({"readback.yml": f"{HEAD}{conditions}modes:\n{modes}{more}", "data.jsonl": rows})


def items(root: Path, found: Review | None = None) -> tuple[Item, ...]:
    opened = workspace.open(root)
    return build_agenda(opened, engine.check(opened, engine.CheckOptions(jobs=1)), None, found or Review(), DAY).items


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any, str]]:
    def run(*words: object, form: str = "json") -> tuple[int, Any, str]:
        code = main([*map(str, words), "--format", form])
        out, err = capsys.readouterr()
        return code, json.loads(out) if form == "json" and out else out, err

    return run


def keys(found: tuple[Item, ...]) -> list[str]:
    return [one.key for one in found]


@pytest.mark.parametrize("seed", range(20))
def test_what_breaks_a_planned_comparison_is_first(write: Write, seed: int) -> None:
    chance = random.Random(seed)
    templates = dict.fromkeys(("one", "two", "three", "four"), "Q: {{ q }}\nA:")
    broken = chance.choice(("one", "two"))
    templates[broken] += chance.choice(("{{ q[99].x }}", "{{ q.a.b }}", "{{ 1 // 0 }}"))
    for other in chance.sample(("three", "four"), chance.randint(0, 2)):
        templates[other] += chance.choice(("{{ no_one }}", "{{ q[99].x }}", "{{ 1 // 0 }}"))
    rows = [*ROWS, *(["not a record"] * chance.randint(0, 2)), *(ROWS[:1] * chance.randint(0, 2))]
    more = chance.choice(("", "judges: [{name: j, file: gone.txt}]\n", "unread_key: 1\n"))
    found = items(study(write, templates, more, rows))
    first = found[0]
    assert first.key == "comparison:one|two"
    assert first.sentence == "“two” versus “one”: the comparison is not fair."
    assert any(f"in {broken}" in fact for fact in first.facts), first.facts
    assert first.findings
    assert {each.place.condition for each in first.findings} <= {"one", "two"}
    weights = [
        ("error", "warning").index(one.severity) for one in found if one.kind == "finding" and one.severity != "info"
    ]
    assert weights == sorted(weights)


def test_a_fair_study_with_nothing_to_say_has_nothing_on_its_agenda(write: Write) -> None:
    root = study(write, {"one": "Q: {{ q }}{{ c }}", "two": "Q: {{ q }}{{ c }}\nA:"})
    assert items(root) == ()


def test_notes_are_on_it_the_overdue_ones_first(write: Write) -> None:
    root = study(write, {"one": "Q: {{ q }}{{ c }}", "two": "Q: {{ q }}{{ c }}\nA:"})
    notes = (
        state.Note("a" * 8, BY, "Later", owner="Ines", due="2026-12-01"),
        state.Note("b" * 8, BY, "Late\nindeed", due="2026-11-01"),
        state.Note("c" * 8, BY, "Done", standing="closed", due="2026-11-01"),
        state.Note("d" * 8, BY, "x" * 500),
    )
    found = items(root, Review(notes=notes))
    assert [one.sentence for one in found] == [
        "Note of Ada: Late indeed", "Note of Ada: Later", f"Note of Ada: {'x' * 160} …",
    ]  # fmt: skip
    assert found[0].facts == ("It was due on 2026-11-01.",)
    assert found[1].facts == ("Ines looks after it.", "It is due on 2026-12-01.")


def step(do: Any, item: str, before: str = "") -> Step:
    return Step(new_id(), BY, do, item, before=before)


def test_items_move_are_dropped_and_what_is_gone_disturbs_nothing() -> None:
    made = [Item(key, "finding", key) for key in "abcd"]
    cases: list[tuple[list[Step], str, str]] = [
        ([], "abcd", ""),
        ([step("move", "d", "a")], "dabc", ""),
        ([step("move", "a")], "bcda", ""),
        ([step("drop", "b")], "acd", "b"),
        ([step("drop", "b"), step("move", "b", "a")], "acd", "b"),
        (
            [step("move", "gone", "a"), step("move", "a", "gone"), step("drop", "gone"), step("move", "a", "a")],
            "abcd",
            "",
        ),
    ]
    for steps, order, dropped in cases:
        kept, away = arrange_items(made, steps)
        assert ("".join(keys(kept)), "".join(keys(away))) == (order, dropped)


def test_on_the_command_line_items_are_added_moved_dropped_restored_and_taken_back(write: Write, say: Any) -> None:
    root = study(write, {"one": "Q: {{ q }}", "two": "Q: {{ q }}\nA:{{ q[9].x }}"})
    code, said, _ = say("agenda", root)
    assert code == 0
    before = [one["key"] for one in said["items"]]
    assert before[0] == "comparison:one|two"
    code, saved, _ = say("agenda", root, "--add", "Who is nobody?", "--as", "Ada")
    added = f"added:{saved['id']}"

    def now() -> list[str]:
        return [one["key"] for one in say("agenda", root)[1]["items"]]

    assert now() == [*before, added]
    assert say("agenda", root, "--move", "added", "--before", before[0], "--as", "Ben")[0] == 0
    assert now() == [added, *before]
    assert say("agenda", root, "--drop", before[0], "--as", "Ben")[0] == 0
    assert now() == [added, *before[1:]]
    assert say("agenda", root, "--restore", before[0], "--as", "Ben")[0] == 0
    assert now() == [added, *before]
    assert say("agenda", root, "--undo", "--as", "Ben")[0] == 0
    assert now() == [*before, added]
    for wrong in (("--drop", "nothing"), ("--move", "added", "--before", "added"), ("--before", "x"), ("--add", " ")):
        assert say("agenda", root, *wrong)[0] == 2


def test_a_decision_on_an_item_keeps_what_the_item_said_and_takes_no_others_place(write: Write, say: Any) -> None:
    root = study(write, {"one": "Q: {{ q }}", "two": "Q: {{ q }}\nA:{{ q[9].x }}"})
    say("agenda", root, "--add", "First", "--as", "Ada")
    say("agenda", root, "--add", "Second", "--as", "Ada")
    for one in say("agenda", root)[1]["items"]:
        code, _, err = say(
            "review", "decide", root, "--item", one["key"], "--accept", "--reason", one["said"], "--as", "Ada"
        )
        assert code == 0, err
    there = say("agenda", root)[1]["items"]
    assert all(one["decision"]["reason"] == one["said"] for one in there)
    found = state.build_review(Store(root).events())
    assert [one.on for one in found.decisions] == [one["said"] for one in there]
    assert all(one.in_force and one.agenda for one in found.decisions)
    say("review", "decide", root, "--item", there[0]["key"], "--defer", "--reason", "later", "--as", "Ben")
    assert say("agenda", root)[1]["items"][0]["decision"]["verdict"] == "defer"
    code, _, err = say("review", "decide", root, "--item", "nothing", "--accept", "--reason", "r")
    assert (code, "no item of the agenda begins with 'nothing'" in err) == (2, True)


def test_an_agenda_of_three_hundred_items_and_five_thousand_notes_is_whole(write: Write) -> None:
    root = study(write, {"one": "Q: {{ q }}{{ c }}", "two": "Q: {{ q }}{{ c }}\nA:"})
    store = Store(root)
    many = some(300)
    for n in range(many):
        store.save(Draft("agenda", {"do": "add", "text": f"<b>Item {n}</b>"}, "Ada", "cli", new_id()))
    found = state.build_review(store.events())
    notes = tuple(state.Note(f"note-{n:05}", BY, f"Note {n}") for n in range(5000))
    made = items(root, state.Review(notes=notes, agenda=found.agenda))
    assert [one.sentence for one in made[:1]] == ["Note of Ada: Note 0"]
    assert [one.sentence for one in made[-many:]] == [f"<b>Item {n}</b>" for n in range(many)]
    assert len(made) == 5000 + many


@pytest.mark.parametrize("payload", [{}, {"do": "fly"}, {"do": "undo", "step": "gone"}, {"do": "drop"}])
def test_a_step_that_means_nothing_is_kept_and_said_to_be_unread(write: Write, payload: dict[str, Any]) -> None:
    root = study(write, {"one": "Q: {{ q }}", "two": "A: {{ q }}"})
    store = Store(root)
    store.save(Draft("agenda", payload, "Ada", "cli", new_id()))
    found = state.build_review(store.events())
    assert (found.agenda, [one.sequence for one in found.unread], found.sequence) == ((), [1], 1)


def test_what_changed_since_the_last_sign_off_comes_first_and_is_counted(write: Write, say: Any) -> None:
    root = study(write, {"one": "Q: {{ q }}{{ c }}", "two": "Q: {{ q }}{{ c }}\nA:"})
    assert say("review", "sign", root, "--subject", "study", "--as", "Ada")[0] == 0
    assert say("agenda", root)[1]["items"] == []
    file = root / "readback.yml"
    file.write_text(file.read_text().replace('"Q: {{ q }}{{ c }}"', '"Q. {{ q }}{{ c }}{{ nobody }}"'))
    there = say("agenda", root)[1]["items"]
    assert there[0]["kind"] == "since"
    assert there[0]["said"].startswith("What changed since Ada signed off the whole study on ")
    assert there[0]["facts"][0] == "One text that is sent, read, learnt from or judged is no longer the same."
    assert "1 finding is new" in there[0]["facts"][1] or "findings are new" in there[0]["facts"][1]


def test_a_decision_on_a_comparison_is_one_on_its_item_wherever_it_was_made(write: Write, say: Any) -> None:
    leak = "Q: {{ q }}{{ 1 // 0 }}\nA:"
    root = study(write, {"one": "Q: {{ q }}\nA:", "two": leak})
    subject = "comparison:one|two"
    decided = ("review", "decide", root, "--subject", subject, "--accept", "--reason", "Known.", "--as", "Bo")
    assert say(*decided, form="text")[0] == 0
    there = say("agenda", root)[1]["items"]
    assert [(one["key"], one["decision"] and one["decision"]["author"]) for one in there[:1]] == [(subject, "Bo")]
