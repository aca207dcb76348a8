"""Records that repeat others: found across chunks, once each, in bounded memory, and quickly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from in_time import in_time

from readback import workspace
from readback.checks import rules
from readback.checks.run import engine, repeats
from readback.checks.run.marks import collect_marks
from readback.prompts import children
from readback.readers.files.cache_folder import DiskFull
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
    audit = engine.check(workspace.open(root / "d.jsonl"), engine.CheckOptions(select={CODE}))
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
    monkeypatch.setattr(children, "MAX_RECORDS", 7)
    rows = [row(n, f"Question {n % 30}?", f"prompt {n}") for n in range(60)]
    assert [(one.place.index, one.values["record"]) for one in found(write({"d.jsonl": rows}))] == [
        (n, f"t{n - 30}") for n in range(30, 60)
    ]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_record_names_the_first_one_that_has_its_text(
    write: Write, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 7)
    drawn = Random(jobs)
    texts = [(f"Q {drawn.randrange(60)}?", f"P {drawn.randrange(90)}") for _ in range(200)]
    root = write({"d.jsonl": [row(n, *both) for n, both in enumerate(texts)]})
    expected, first = [], dict[str, int]()
    for n, both in enumerate(texts):
        firsts = [first.setdefault(text, n) for text in both]
        expected += [(n, f"t{earlier}") for earlier in dict.fromkeys(firsts) if earlier != n]
    findings = engine.check(workspace.open(root / "d.jsonl"), engine.CheckOptions(select={CODE}, jobs=jobs)).findings
    assert [(one.place.index, one.values["record"]) for one in findings] == expected


def test_two_texts_whose_hashes_agree_are_told_apart(write: Write) -> None:
    root = write({"d.jsonl": [row(0, "Why?"), row(1, "How?"), row(2, "When?")]})
    opened = workspace.open(root / "d.jsonl")
    seen = repeats.Repeats(opened, [open_dataset(opened.root, opened.dataset)])
    mark = (CODE, "instruction", b"12345678")
    assert seen.find([0], collect_marks([[mark]])) == {}
    assert not any(list(each) for each in seen.find([1, 2], collect_marks([[mark], [mark]])).values())


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
    monkeypatch.setattr(rules.RULES()[CODE].logic, "report_repeats", broken)
    audit = engine.check(workspace.open(root / "d.jsonl"))
    assert [(one.rule, one.place.index) for one in audit.faults] == [(CODE, 1)]


@pytest.mark.parametrize("together", [1, 50])
def test_the_first_record_of_each_mark_is_known(together: int) -> None:
    first_records_of, expected, drawn = repeats.FirstRecords(), dict[int, int](), Random(17)
    for first in range(0, 2_000, together):
        marks = [
            drawn.choice(list(expected)) if drawn.random() < 0.2 and expected else drawn.getrandbits(64) - (1 << 63)
            for _ in range(together)
        ]
        records = range(first, first + together)
        wanted = []
        for place, (mark, record) in enumerate(zip(marks, records, strict=True)):
            earlier = expected.setdefault(mark, record)
            wanted += [(place, earlier)] if earlier != record else []
        assert first_records_of.find_repeats(marks, records) == wanted


def test_where_there_is_no_room_for_marks_a_sentence_says_so() -> None:
    marks = repeats.FirstRecords()
    marks._table.execute("PRAGMA max_page_count = 2")
    with pytest.raises(DiskFull, match="no room for a temporary file"):
        marks.find_repeats(range(10_000), range(10_000))


def test_marks_of_100_000_records_are_cheap_and_small() -> None:
    drawn = Random(17)  # as digests are
    kinds = ("instruction", "stored prompt")
    marks = [[(CODE, kind, drawn.randbytes(8)) for kind in kinds] for _ in range(100_000)]
    batches = [collect_marks(marks[at : at + 100]) for at in range(0, len(marks), 100)]

    def all_of_them() -> bool:
        seen = repeats.Repeats(Workspace(Path(), "w"), [open_dataset(Path(), None)])
        return any(
            seen.find(range(at, at + 100), some) for at, some in zip(range(0, len(marks), 100), batches, strict=True)
        )

    assert not in_time(1.0, all_of_them)
