"""Notes, decisions and sign-offs by the command line, and when a sign-off is stale."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from small_study import ROWS, study

from readback import workspace
from readback.cli import main
from readback.compare.side import ShownSide, Side
from readback.compare.sides import show_side
from readback.review import renamed, signing, state, state_folder
from readback.review.event import Event
from readback.review.store import Store
from readback.review.subject import Subject, UnknownSubject, parse_subject
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
Say = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """say("note", root, "--text", "T"): exit code, the JSON answer, what went to standard error."""

    def run(step: str, root: Path, *words: str, form: str = "json") -> tuple[int, Any, str]:
        code = main(["review", step, str(root), *words, "--format", form])
        out, err = capsys.readouterr()
        return code, json.loads(out) if form == "json" and out else out, err

    return run


@pytest.fixture(autouse=True)
def _own_reviews(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))


def test_a_note_is_kept_with_what_it_is_on(write: Write, say: Say) -> None:
    root = study(write)
    code, saved, _ = say("note", root, "--text", " as\nit was ", "--condition", "one", "--record", "2", "--span", "3-9",
                         "--as", "Ada", "--owner", "Bo", "--due", "2026-12-01", "--key", "my-own-key-1")  # fmt: skip
    assert (code, saved) == (0, {"id": "my-own-key-1", "sequence": 1})
    assert say("note", root, "--text", "again", "--key", "my-own-key-1")[1] == saved
    (note,) = say("list", root)[1]["notes"]
    mark = note["anchor"].pop("fingerprint")
    anchor = {"kind": "message", "condition": "one", "record": "2", "start": 3, "end": 9, "message": 0, "role": "user",
              "quote": "Why 2?"}  # fmt: skip
    assert (mark, note["changed"]) == (shown(root, "2").fingerprint, None)
    expected = (" as\nit was ", anchor, "open", "Bo", "2026-12-01", "Ada", "cli")
    assert tuple(note[key] for key in ("text", "anchor", "standing", "owner", "due", "author", "known")) == expected


def shown(root: Path, record: str) -> ShownSide:
    return show_side(workspace.open(root), Side(Selection(condition="one"), record=record))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Q: ", "Q:: ", "What was marked is now at another place, from character 4 up to 10."),
        ("Why 2?", "Who 2?", "What was marked is no longer there, or not only once."),
    ],
)
def test_what_changed_under_a_note_is_said_in_the_words_of_compare(
    write: Write, say: Say, old: str, new: str, said: str
) -> None:
    root = study(write)
    say("note", root, "--text", "why", "--condition", "one", "--record", "2", "--span", "3-9")
    for file in ("readback.yml", "data.jsonl"):
        (root / file).write_text((root / file).read_text().replace(old, new))
    (note,) = say("list", root)[1]["notes"]
    assert note["changed"].startswith("The text has changed since this note was written (A is the text of then, ")
    assert "B " in note["changed"]
    assert note["changed"].endswith(said)
    (root / "data.jsonl").write_text('{"id": "1", "q": "one"}\n')
    assert "can no longer be shown" in say("list", root)[1]["notes"][0]["changed"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--record", "9", "--condition", "one"], "no record"),
        (["--record", "2", "--condition", "none"], "no condition 'none'"),
        (["--record", "2", "--condition", "one", "--span", "0-99"], "there are no characters 0 to 99"),
        (["--record", "2", "--condition", "one", "--message", "3"], "there is no message 3"),
        (["--span", "0-3"], "name it with --record"),
        (["--due", "2026-02-30"], "write a day as YYYY-MM-DD"),
    ],
)
def test_a_note_on_what_is_not_there_is_not_saved(write: Write, say: Say, words: list[str], why: str) -> None:
    root = study(write)
    code, _, err = say("note", root, "--text", "t", *words)
    assert (code, why in err, Store(root).events()) == (2, True, ()), err


def test_a_note_is_edited_and_a_sign_off_is_withdrawn(write: Write, say: Say) -> None:
    root = study(write)
    say("note", root, "--text", "why?", "--key", "abcdefgh1")
    say("sign", root, "--subject", "study", "--key", "signoff-1")
    assert say("edit", root, "--note", "abcdefgh1")[0] == 2
    say("edit", root, "--note", "abcdefgh1", "--text", "why not?", "--owner", "Bo", "--due", "2026-12-24")
    say("withdraw", root, "--signoff", "signoff", "--as", "Cy")
    told = say("list", root)[1]
    (note,) = told["notes"]
    assert (note["text"], note["owner"], note["due"], note["edits"]) == ("why not?", "Bo", "2026-12-24", 1)
    assert told["signoffs"][0]["withdrawn"]["author"] == "Cy"


def test_a_note_is_answered_closed_and_opened_again(write: Write, say: Say) -> None:
    root = study(write)
    say("note", root, "--text", "why?", "--key", "abcdefgh1")
    assert say("answer", root, "--note", "abcdefgh", "--text", "so")[0] == 0
    assert say("list", root)[1]["notes"][0]["standing"] == "answered"
    say("close", root, "--note", "abcdefgh1")
    (note,) = say("list", root)[1]["notes"]
    assert (note["standing"], [one["text"] for one in note["answers"]]) == ("closed", ["so"])
    say("close", root, "--note", "abcdefgh1", "--reopen")
    assert say("list", root)[1]["notes"][0]["standing"] == "open"
    assert say("close", root, "--note", "nothing")[0] == 2


def test_the_later_decision_on_a_subject_is_in_force(write: Write, say: Say) -> None:
    root = study(write)
    say("decide", root, "--subject", "one", "--accept", "--reason", "fine")
    say("decide", root, "--subject", "condition:one", "--defer", "--reason", "not yet", "--agenda")
    say("decide", root, "--subject", "study", "--change", "--reason", "reword")
    found = [(one["subject"], one["verdict"], one["in_force"]) for one in say("list", root)[1]["decisions"]]
    assert found == [("condition:one", "accept", False), ("condition:one", "defer", True), ("study", "change", True)]


def test_a_sign_off_is_stale_when_a_text_of_its_subject_changes(write: Write, say: Say) -> None:
    root = study(write)
    assert say("sign", root, "--subject", "one", "--as", "Ada")[0] == 0
    say("sign", root, "--subject", "study", "--as", "Bo")
    assert [one["stale"] for one in say("list", root)[1]["signoffs"]] == [False, False]
    write({"readback.yml": (root / "readback.yml").read_text().replace("A:", "Answer:")})
    code, found, _ = say("list", root, "--fail-on-stale")
    one, whole = found["signoffs"]
    assert (code, one["stale"], one["changes"], whole["stale"]) == (1, False, [], True)
    first = 'condition "two" messages: 4 of 4 prompts differ, all by this: B changes “A” to “Answer”'
    assert whole["changes"][0].startswith(first), whole["changes"]
    assert whole["unsaid"] is None


def test_changed_rows_are_counted_and_a_gone_condition_is_named(write: Write, say: Say) -> None:
    root = study(write)
    say("sign", root, "--subject", "study")
    study(write, rows=[{**ROWS[0], "q": "Why not?"}, *ROWS[1:]])
    (one,) = say("list", root)[1]["signoffs"]
    counted = 'condition "one" messages: 1 of 4 records changed, 1 of them with another row in the dataset'
    assert one["changes"][0] == counted
    study(write, (root / "readback.yml").read_text().replace("  - {name: one, mode: a}\n", ""))
    (one,) = say("list", root)[1]["signoffs"]
    assert one["changes"] == ['condition "one" messages: in the lock, and no longer in the workspace']


def test_scores_and_findings_are_evidence_and_make_nothing_stale(write: Write, say: Say) -> None:
    file = (study(write) / "readback.yml").read_text() + "scores: [s.csv]\n"
    scores = "item,condition,criterion,score\n0,one,good,1\n1,one,good,0\n"
    root = write({"readback.yml": file, "s.csv": scores})
    say("sign", root, "--subject", "one")
    write({"s.csv": scores.replace("0,one,good,1", "0,one,good,0")})
    (one,) = say("list", root)[1]["signoffs"]
    assert (one["stale"], one["evidence_changed"], one["evidence"]) == (False, True, ["the scores are others"])


def test_the_day_of_a_sign_off_is_the_day_that_is_printed(write: Write, say: Say) -> None:
    file = (study(write) / "readback.yml").read_text().partition("\n")[2]
    root = study(write, file, "{{ strftime_now('%Y-%m-%d') }}{{ messages[0].content }}")
    say("sign", root, "--subject", "two")
    opened, held = workspace.open(root), Store(root)
    (one,) = state.build_review(held.events()).signoffs
    other = state.SignOff(one.id, one.by, one.subject, {**one.payload, "today": "2001-01-01"})
    assert not signing.check_standing(opened, held, one, jobs=1).stale
    assert [line.subject.layer for line in signing.check_standing(opened, held, other, jobs=1).lines] == ["model-input"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("study", Subject("study")),
        ("one", Subject("condition", ("one",))),
        ("condition:one", Subject("condition", ("one",))),
        ("mode:a", Subject("mode", ("a",))),
        ("a", Subject("mode", ("a",))),
        ("comparison:one|two", Subject("comparison", ("one", "two"))),
        ("one | two", Subject("comparison", ("one", "two"))),
        ("three", None),
        ("comparison:one|three", None),
        ("", None),
    ],
)
def test_subjects_are_read(write: Write, said: str, expected: Subject | None) -> None:
    opened = workspace.open(study(write))
    if expected is None:
        with pytest.raises(UnknownSubject, match="the conditions are one, two"):
            parse_subject(opened, said)
    else:
        assert parse_subject(opened, said) == expected


@pytest.mark.parametrize(
    ("step", "words", "why"),
    [
        ("note", ["--text", " "], "empty"),
        ("note", ["--text", "x", "--span", "9-3"], "--span"),
        ("note", ["--text", "x", "--span", "a-b"], "--span"),
        ("note", ["--text", "x", "--due", "soon"], "--due"),
        ("note", ["--text", "x", "--message", "one"], "--message"),
        ("note", ["--text", "x", "--key", "no"], "8 to 64"),
        ("note", ["--text", "x" * (5 << 20)], "longer than"),
        ("decide", ["--subject", "three", "--accept", "--reason", "r"], "nothing here is called"),
        ("import", ["nowhere"], "nowhere"),
    ],
)
def test_what_is_not_saved_says_why(write: Write, say: Say, step: str, words: list[str], why: str) -> None:
    root = study(write)
    code, _, err = say(step, root, *words)
    assert (code, why in err) == (2, True), err
    assert Store(root).sequence() == 0


def test_verify_export_and_import(
    write: Write, say: Say, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = study(write)
    out = tmp_path_factory.mktemp("out") / "out.jsonl"  # no file of the study
    assert "there are no notes, decisions or sign-offs yet" in say("list", root, form="text")[1]
    say("note", root, "--text", "n\0\ud800 <b>")
    say("sign", root, "--subject", "study")
    assert say("verify", root)[1] == {"events": 2, "broken": None}
    before = say("list", root)[1]
    assert say("export", root, "-o", str(out))[1] == {"events": 2}
    monkeypatch.setenv("READBACK_STATE", str(out.with_name("elsewhere")))
    assert say("import", root, str(out))[1] == {"added": 2}
    after = say("list", root)[1]
    assert {one["known"] for one in (*after["notes"], *after["signoffs"])} == {"imported"}
    for one in (*before["notes"], *before["signoffs"]):
        one["known"] = "imported"
    assert after == before
    text = say("list", root, form="text")[1]
    assert "sign-off study" in text
    assert "unchanged" in text


def test_a_renamed_folder_is_offered_its_former_review(write: Write, say: Say, tmp_path: Path) -> None:
    root = study(write)
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    for file in [*root.iterdir()]:
        if file.is_file():
            file.rename(old / file.name)
    say("note", old, "--text", "kept")
    assert renamed.find_former(old) is None
    old.rename(new)
    assert "readback review adopt takes it over" in say("list", new, form="text")[1]
    assert say("adopt", new)[1] == {"events": 1, "path": str(old)}
    assert [note["text"] for note in say("list", new)[1]["notes"]] == ["kept"]
    assert say("verify", new)[1]["broken"] is None
    assert say("adopt", new)[0] == 2
    other = (
        tmp_path / "deeper" / "new"
    )  # a copy with the same name, of a folder that is still there: nothing is offered
    shutil.copytree(new, other)
    assert renamed.find_former(other) is None


def test_a_deleted_folder_whose_number_the_disk_uses_again_is_not_taken_for_the_new_one(
    write: Write, say: Say, tmp_path: Path
) -> None:
    root = study(write)
    old, same, other = tmp_path / "a" / "study", tmp_path / "b" / "study", tmp_path / "c" / "study"
    for folder in (old, same, other):
        folder.mkdir(parents=True)
    for file in [*root.iterdir()]:
        if file.is_file():
            shutil.copyfile(file, old / file.name)
            shutil.copyfile(file, same / file.name)
    (other / "data.jsonl").write_text('{"id": "1", "q": "Something else?"}\n')
    say("note", old, "--text", "kept")
    shutil.rmtree(old)
    file = state_folder.find_file(old)
    with closing(sqlite3.connect(file)) as there:
        seen = other.stat()
        there.execute("UPDATE about SET value = ? WHERE name = 'folder'", (f"{seen.st_dev} {seen.st_ino}",))
        there.commit()
    assert renamed.find_former(other) is None
    found = renamed.find_former(same)
    assert found is not None
    assert (found.sure, found.path) == (True, str(old))
    with closing(sqlite3.connect(file)) as there:  # one of before, which remembers no files
        there.execute("DELETE FROM about WHERE name = 'content'")
        there.commit()
    found = renamed.find_former(other)
    assert found is not None
    assert not found.sure
    other.rename(tmp_path / "c" / "another")
    assert renamed.find_former(tmp_path / "c" / "another") is None


def event(sequence: int, kind: str, payload: Mapping[str, Any]) -> Event:
    return Event(sequence, f"id-of-{sequence:03}", "Ada", "cli", "2026-01-01T00:00:00Z", kind, payload, "", "")  # type: ignore[arg-type]


def test_events_that_mean_nothing_are_counted_and_the_rest_stands() -> None:
    found = state.build_review([
        event(1, "note", {"text": "a"}),
        event(2, "edit", {"note": "id-of-001", "text": "b"}),
        event(3, "edit", {"note": "id-of-009", "text": "b"}),
        event(4, "edit", {"note": "id-of-001", "standing": "forgotten"}),
        event(5, "vote", {}),
        event(6, "decision", {"subject": {"kind": "study", "names": []}, "verdict": "maybe", "reason": ""}),
        event(7, "note", {}),
    ])  # fmt: skip
    assert [(note.text, note.edits) for note in found.notes] == [("b", 1)]
    assert (found.decisions, [one.sequence for one in found.unread], found.sequence) == ((), [3, 4, 5, 6, 7], 7)
    assert [found.unread[at].why for at in (0, 2, 4)] == [
        "it is about an earlier event that is not there",
        "it is of a kind that this version does not know; a newer Readback may have written it",
        "text is missing",
    ]
