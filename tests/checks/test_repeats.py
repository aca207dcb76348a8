"""Records that repeat others: found across chunks, once each, in bounded memory, and quickly."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from in_time import in_time

from readback import workspace
from readback.checks import engine, first_records, repeat_pairs, repeats, rules
from readback.checks.finding_lines import read
from readback.checks.marks import of_records
from readback.prompts import in_chunks
from readback.records import numbers_on_disk
from readback.records.dataset import open_dataset
from readback.types import Finding, Location, Record, RuleContext, Workspace

Write = Callable[[Mapping[str, Any]], Path]
CODE = "fmt-duplicate-instruction"


def row(number: int, instruction: str, prompt: str | None = None, kind: str = "qa", paper: str = "") -> dict[str, Any]:
    rag = {"prompt": f"Context:\n[1] {number}", "contexts": ["[1] a"], "sources": [f"/home/me/{paper}.txt#page=1"]}
    metadata = {"source_path": f"/home/me/{paper}.txt"}
    return {
        "task_id": f"t{number}", "task_type": kind, "instruction": instruction,
        "rag": rag | ({"prompt": prompt} if prompt else {}), "metadata": metadata,
    }  # fmt: skip


def found(root: Path) -> list[Finding]:
    audit = engine.check(workspace.open(root / "d.jsonl"), select={CODE})
    assert audit.faults == ()
    return [one for one in audit.findings if one.code == CODE]


def test_a_later_record_names_the_first_one_with_both_papers(write: Write) -> None:
    rows = [row(0, "Why?", paper="one"), row(1, "How?"), row(2, " WHY? ", paper="two"), row(3, "why?", paper="two")]
    late, later = found(write({"d.jsonl": rows}))
    assert (late.place.index, late.place.record, late.place.line, late.place.field) == (2, "t2", 3, "instruction")
    assert (later.place.index, later.values["record"], later.values["line"]) == (3, "t0", 1)
    assert (late.values["papers"], late.values["first_papers"]) == ("two.txt", "one.txt")
    assert (late.values["retrieved"], late.values["first_retrieved"]) == (["two.txt"], ["one.txt"])
    assert "/home" not in late.message
    assert late.message == (
        "the record has the same instruction as record t0 in line 1; its paper: two.txt; retrieved for it: two.txt; "
        "paper of record t0: one.txt; retrieved for record t0: one.txt"
    )


@pytest.mark.parametrize(
    ("extra", "severity"),
    [
        ({}, "info"),
        ({"metadata": {"source_path": "p.txt"}}, "warning"),
        ({"contexts": ["a"]}, "warning"),
        ({"response": "Hi."}, "warning"),
    ],
)
def test_two_answers_to_one_instruction_are_a_note_where_no_record_has_documents(
    write: Write, extra: dict[str, Any], severity: str
) -> None:
    rows = [
        {"id": "a", "instruction": "Hello", "response": "Hi."},
        {"id": "b", "instruction": "hello", "response": "So."},
    ]
    (one,) = found(write({"d.jsonl": [rows[0], rows[1] | extra]}))
    assert one.severity == severity
    assert one.message == "the record has the same instruction as record a in line 1" + (
        "; its paper: p.txt" if "metadata" in extra else ""
    )


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (row(1, "Why?", "P"), [["instruction", "stored prompt"]]),
        (row(1, "How?", "P"), [["stored prompt"]]),
        (row(1, "Why?", "Q"), [["instruction"]]),
        (row(1, "Why?", "Q", "summaries"), []),
        (row(1, "", " "), []),
        ({"task_id": "t1", "instruction": None, "rag": []}, []),
    ],
)
def test_one_finding_says_all_that_two_records_share(write: Write, second: Any, expected: list[list[str]]) -> None:
    assert expected == [one.values["what"] for one in found(write({"d.jsonl": [row(0, "Why?", "P"), second]}))]


def test_repeats_are_found_across_chunks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_chunks, "MOST", 7)
    rows = [row(n, f"Question {n % 30}?", f"prompt {n}") for n in range(60)]
    assert [(one.place.index, one.values["record"]) for one in found(write({"d.jsonl": rows}))] == [
        (n, f"t{n - 30}") for n in range(30, 60)
    ]


def untold(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(repeat_pairs.Pairs, "take", lambda self, said: None)


def unasked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(repeat_pairs.Pairs, "hand_out", lambda self: [])


def one_by_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(repeat_pairs, "MOST", 1)


def none_held(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(repeats, "HELD", 0)


def no_finding_held(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(repeats, "FINDINGS", 0)


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("less", [None, untold, unasked, one_by_one, none_held, no_finding_held])
def test_children_tell_what_records_repeat_and_nobody_depends_on_it(
    write: Write, monkeypatch: pytest.MonkeyPatch, jobs: int, less: Callable[[pytest.MonkeyPatch], None] | None
) -> None:
    monkeypatch.setattr(in_chunks, "MOST", 7)
    told: list[Any] = []
    really = repeat_pairs.Pairs.take
    monkeypatch.setattr(repeat_pairs.Pairs, "take", lambda self, said: (told.extend(said), really(self, said)))
    drawn = Random(jobs)
    texts = [(f"Q {drawn.randrange(60)}?", f"P {drawn.randrange(90)}") for _ in range(200)]
    root = write({"d.jsonl": [row(n, *both) for n, both in enumerate(texts)]})
    expected, first = [], dict[str, int]()
    for n, both in enumerate(texts):
        its = [first.setdefault(text, n) for text in both]
        expected += [(n, f"t{one}") for one in dict.fromkeys(its) if one != n]
    if less:
        less(monkeypatch)
    said = engine.check(workspace.open(root / "d.jsonl"), select={CODE}, jobs=jobs).findings
    assert [(one.place.index, one.values["record"]) for one in said] == expected
    assert told or less in (untold, unasked, none_held, no_finding_held)


def test_what_a_child_tells_of_a_pair_is_what_is_found_here_and_a_rule_that_fails_is_left_to_the_caller(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(0, "Why?", "P"), row(1, "How?"), row(2, "why?", "P")]
    opened = workspace.open(write({"d.jsonl": rows}) / "d.jsonl")
    data = open_dataset(opened.root, opened.dataset)
    asked = [[CODE, 0, 2, ["instruction", "stored prompt"]], [CODE, 0, 1, ["instruction"]]]
    alike, others = repeat_pairs.told(opened, data, asked)
    (expected,) = repeat_pairs.found(opened, CODE, data.record(0), data.record(2), ["instruction", "stored prompt"])
    assert [*map(read, alike[3])] == [expected]
    assert others == [CODE, 0, 1, []]  # their hashes agreed, their texts do not
    assert list(repeat_pairs.told(opened, open_dataset(Path(), None), asked)) == []  # there is no index any more
    monkeypatch.setattr(rules.RULES()[CODE].logic, "repeats", lambda *asked: 1 / 0)
    assert list(repeat_pairs.told(opened, data, asked)) == [others]


def test_of_a_pair_that_is_not_told_nobody_waits() -> None:
    pairs = repeat_pairs.Pairs()
    first, second = (CODE, 0, 1), (CODE, 0, 2)
    pairs.wait_for(first, ["a"])
    pairs.wait_for(second, ["a"])
    assert pairs.are_under_way([first])
    asked = pairs.hand_out()
    assert asked == [[CODE, 0, 1, ["a"]], [CODE, 0, 2, ["a"]]]
    assert pairs.hand_out() == []
    pairs.take([[CODE, 0, 2, []]])
    assert [pairs.are_under_way([one]) for one in (first, second)] == [True, False]
    pairs.give_back(asked)
    assert not pairs.are_under_way([first, second])
    pairs.take([[CODE, 0, 1, []]])  # of what is given back nothing is taken
    assert [pairs.answer(one) for one in (first, second, second)] == [None, [], None]


def test_two_texts_whose_hashes_agree_are_told_apart(write: Write) -> None:
    root = write({"d.jsonl": [row(0, "Why?"), row(1, "How?"), row(2, "When?")]})
    opened = workspace.open(root / "d.jsonl")
    seen = repeats.Repeats(opened, [open_dataset(opened.root, opened.dataset)])
    mark = (CODE, "instruction", b"12345678")
    assert seen.told(seen.come([0], of_records([[mark]]))) == {}
    assert seen.told(seen.come([1, 2], of_records([[mark], [mark]]))) == {}


def test_a_masked_field_is_no_repeat(write: Write) -> None:
    root = write(
        {
            "readback.yml": "dataset: {path: d.jsonl, private: [instruction]}\n",
            "d.jsonl": [row(0, "Why?"), row(1, "How?")],
        }
    )
    assert CODE not in engine.check(workspace.open(root)).counts


def test_one_record_alone_repeats_nothing() -> None:
    record = Record("1", row(0, "Why?"), Location(index=0))
    assert list(rules.check(RuleContext(Workspace(Path(), "w"), record), "record", {CODE})) == []


def test_a_rule_about_the_dataset_that_fails_is_our_fault_and_stops_no_other(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("oh")

    root = write({"d.jsonl": [row(0, "Why?"), row(1, "Why?")]})
    monkeypatch.setattr(rules.RULES()[CODE].logic, "repeats", broken)
    audit = engine.check(workspace.open(root / "d.jsonl"))
    assert [(one.rule, one.place.index) for one in audit.faults] == [(CODE, 1)]


@pytest.mark.parametrize("together", [1, 50])
def test_marks_are_known_however_few_fit_into_memory(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr(first_records, "HELD", 8)
    monkeypatch.setattr(first_records, "RUNS", 3)
    seen, expected, drawn = first_records.FirstRecords(), dict[int, int](), Random(17)
    for first in range(0, 2_000, together):
        marks = [
            drawn.choice(list(expected)) if drawn.random() < 0.2 and expected else drawn.getrandbits(64) - (1 << 63)
            for _ in range(together)
        ]
        came = seen.take(marks, range(first, first + together))
        for at, mark in enumerate(marks):
            if at in came:
                assert seen.of(mark, first + at) == expected.setdefault(mark, first + at)
            else:
                assert mark not in expected
                expected[mark] = first + at
    assert len(seen.held) < 8
    assert len(seen.levels) > 3


@pytest.mark.parametrize("spread", [1, 1 << 40, (1 << 64) // 1_000])
@pytest.mark.parametrize("begin", [-(1 << 63), -3_000, 0])
def test_a_mark_is_found_however_marks_are_spread(begin: int, spread: int) -> None:
    marks = [mark for at in range(1_000) if (mark := begin + at * spread) < 1 << 63]
    run = first_records.run_of([(marks[:100], range(100)), (marks[100:], range(100, len(marks)))])
    assert [run.get(mark) for mark in marks] == list(range(len(marks)))
    others = [marks[0] - 1, *(mark + 1 for mark in marks)] if spread > 1 else [marks[0] - 1, marks[-1] + 1]
    assert {run.get(mark) for mark in others} == {None}


def test_where_the_disk_is_full_marks_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(first_records, "HELD", 8)
    monkeypatch.setattr(first_records, "RUNS", 3)
    seen = first_records.FirstRecords()
    for number in range(8 * 3 - 1):
        seen.of(number, number)
    with monkeypatch.context() as without_room:
        without_room.setattr(numbers_on_disk, "TemporaryFile", full)
        for number in range(8 * 3 - 1, 30):
            seen.of(number, number)
    for number in range(30, 80):
        seen.of(number, number)
    assert [seen.of(number, -1) for number in range(80)] == list(range(80))
    assert len(seen.held) < 16


def test_marks_of_100_000_records_are_cheap_and_small() -> None:
    drawn = Random(17)  # as digests are
    kinds = ("instruction", "stored prompt")
    marks = [[(CODE, kind, drawn.randbytes(8)) for kind in kinds] for _ in range(100_000)]
    batches = [of_records(marks[at : at + 100]) for at in range(0, len(marks), 100)]

    def all_of_them() -> bool:
        seen = repeats.Repeats(Workspace(Path(), "w"), [open_dataset(Path(), None)])
        return any(
            seen.told(seen.come(range(at, at + 100), some))
            for at, some in zip(range(0, len(marks), 100), batches, strict=True)
        )

    assert not in_time(1.0, all_of_them)
