"""The records where two sides differ: every record is counted once, and nothing stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from readback import workspace
from readback.compare.record_differences import (
    FIRST_RECORDS,
    RecordCounts,
    count_differences,
    count_selection_differences,
    count_version_differences,
)
from readback.compare.side import Side, SideError
from readback.compare.similarity import KINDS, find_kind
from readback.types import Message, Segment, Selection

Write = Callable[[Mapping[str, Any]], Path]
FILE = """\
dataset: data.jsonl
modes:
  - {mode: a, template: "{{ q }}\\n{{ c }}"}
  - {mode: b, template: "{{ q }}\\n{{ c }}{% if more %}\\n{{ more }}{% endif %}"}
  - {mode: turned, template: "{{ c }}\\n{{ q }}"}
  - {mode: broken, template: "{{ q }}{% if bad %}{{ [1] * n }}{% endif %}"}
  - {mode: half, template: "{{ q.x.y.z }}"}
"""


def counts(found: RecordCounts) -> tuple[int, ...]:
    return found.equal, found.differing, found.only_a, found.only_b, found.neither, found.unpaired_a


def message(role: str, text: str) -> Message:
    return Message(role, (Segment(text, "template"),))


def variables(*named: tuple[str, str]) -> Message:
    return Message("user", tuple(Segment(text, "variable", name) for name, text in named))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([message("user", "x")], [message("user", "x")], ""),
        ([message("user", "x")], [message("system", "y"), message("user", "x")], "only_system_b"),
        ([message("system", "y"), message("user", "x")], [message("user", "z")], "only_system_a"),
        ([message("system", "y"), message("user", "x")], [message("user", "x"), message("system", "y")], "roles"),
        ([message("user", "x")], [message("tool", "x")], "roles"),
        ([message("user", "a b")], [message("user", "a\nb ")], "blank"),
        ([message("user", "a\nb")], [message("user", "b\na")], "order"),
        ([message("user", "a b c")], [message("user", "c a b")], "order"),
        ([variables(("q", "x y"), ("c[0]", "z"))], [variables(("c[0]", "other"), ("q", "x y"))], "order"),
        ([message("user", "a b")], [message("user", "a new b")], "added"),
        ([message("user", "a new b")], [message("user", "a b")], "removed"),
        ([message("user", "a b")], [message("user", "a c")], "changed"),
        ([message("system", "a b"), message("user", "x")], [message("system", "c d"), message("user", "x")], "system"),
        ([message("system", "a"), message("user", "x")], [message("system", "b"), message("user", "y")], "changed"),
        ([message("system", "a"), message("user", "x")], [message("system", "a 1"), message("user", "x 1")], "added"),
        ([message("system", "a"), message("user", "x 1")], [message("system", "a 1"), message("user", "x")], "changed"),
    ],
)
def test_one_word_says_in_which_way_messages_differ(a: list[Message], b: list[Message], expected: str) -> None:
    assert find_kind(a, b) == expected


@given(*(some.lists(some.builds(message, some.sampled_from(["user", "system"]), some.text("ab \n", max_size=9))),) * 2)
def test_every_difference_has_one_kind(a: list[Message], b: list[Message]) -> None:
    same = [(m.role, m.text) for m in a] == [(m.role, m.text) for m in b]
    assert (find_kind(a, b) == "") is same
    assert find_kind(a, b) in ("", *KINDS)


def rows(n: int) -> list[dict[str, Any]]:
    return [{"id": f"r{i}", "q": f"Q{i}?", "c": f"text {i}", **({"more": "M"} if i % 3 == 0 else {})} for i in range(n)]


def test_the_records_that_differ_are_counted_by_kind_and_named(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": rows(1000)}))
    steps: list[tuple[int, int]] = []
    found = count_selection_differences(
        opened, Selection(mode="a"), Selection(mode="b"), lambda *step: steps.append(step)
    )
    assert counts(found) == (666, 334, 0, 0, 0, 0)
    assert (found.done, found.total, found.stopped) == (1000, 1000, False)
    assert dict(found.kinds) == {"added": 334}
    assert found.first[:2] == ((0, "r0"), (3, "r3"))
    assert list(found.differ) == list(range(0, 1000, 3))
    assert steps[-1] == (1000, 1000)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_only_the_first_thousand_are_named_and_all_are_numbered(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": rows(FIRST_RECORDS + 200)}))
    found = count_selection_differences(opened, Selection(mode="a"), Selection(mode="turned"))
    assert (len(found.first), len(found.differ), dict(found.kinds)) == (
        FIRST_RECORDS,
        FIRST_RECORDS + 200,
        {"order": FIRST_RECORDS + 200},
    )


def test_what_could_not_be_built_is_no_difference(write: Write) -> None:
    data: Sequence[dict[str, Any]] = [{"id": "1", "q": "x", "c": ""}, {"id": "2", "q": {"x": {"y": {"z": 1}}}, "c": ""}]
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": data}))
    found = count_selection_differences(opened, Selection(mode="half"), Selection(mode="a"))
    assert counts(found) == (0, 1, 0, 1, 0, 0)
    assert counts(count_selection_differences(opened, Selection(mode="a"), Selection(mode="half"))) == (
        0,
        1,
        1,
        0,
        0,
        0,
    )
    assert counts(count_selection_differences(opened, Selection(mode="half"), Selection(mode="half"))) == (
        1,
        0,
        0,
        0,
        1,
        0,
    )


def test_a_record_that_stops_its_process_does_not_stop_the_others(write: Write) -> None:
    data = rows(50)
    data[7] |= {"bad": True, "n": 10**12}
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": data}))
    found = count_selection_differences(opened, Selection(mode="a"), Selection(mode="broken"))
    assert (found.done, found.differing, found.only_a + found.neither, found.stopped) == (50, 49, 1, False)


def test_it_stops_when_it_is_told_to(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": rows(50)}))
    found = count_selection_differences(opened, Selection(mode="a"), Selection(mode="b"), lambda *_: False)
    assert found.stopped
    assert found.done < 50


def test_two_options_are_two_sides(write: Write) -> None:
    file = (
        "dataset: data.jsonl\nprompts: [builtin:prompt-formats]\nmodels: {m: {type: instruction_only}}\n"
        "conditions: [{name: c, mode: rag, model: m}]\n"
    )
    data = [
        {"id": str(i), "instruction": f"Why {i}?", "rag": {"contexts": ["Because."], "prompt": "p"}} for i in range(9)
    ]
    opened = workspace.open(write({"readback.yml": file, "data.jsonl": data}))
    c = Selection(condition="c")
    found = count_selection_differences(
        opened, c, c, options_a={"condition4": "hybrid"}, options_b={"condition4": "standard"}
    )
    assert (found.differing, dict(found.kinds)) == (9, {"order": 9})
    assert count_selection_differences(opened, c, c, options_b={"condition4": "hybrid"}).equal == 9


def test_two_datasets_are_matched_by_record_id(write: Write, tmp_path: Path) -> None:
    write({"other/readback.yml": FILE, "other/data.jsonl": [*reversed(rows(12)[2:])]})
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": rows(10)}))
    a, b = Side(Selection(mode="a")), Side(Selection(mode="a"), workspace=str(tmp_path / "other"))
    found = count_differences(opened, a, b)
    assert counts(found) == (8, 0, 0, 0, 0, 2)
    assert found.unpaired_b == 2


def test_judges_are_compared_with_their_answers(write: Write) -> None:
    judge = 'SYSTEM_PROMPT = "You judge."\nUSER_PROMPT = "Question: {question}\\nAnswer: {answer}"\n'
    file = (
        "dataset: data.jsonl\nmodes: [{mode: a, template: '{{ question }}'}]\njudges: {j: {prompts: judge.py}}\n"
        "conditions: [{name: x, mode: a, judge: j, answers: x.jsonl}, {name: y, mode: a, judge: j, answers: y.jsonl}]\n"
    )
    answers = {f"{name}.jsonl": [{"id": str(i), "answer": "same" if i else name} for i in range(4)] for name in "xy"}
    data = [{"id": str(i), "question": f"Why {i}?"} for i in range(4)]
    opened = workspace.open(write({"readback.yml": file, "judge.py": judge, "data.jsonl": data, **answers}))
    found = count_selection_differences(
        opened, Selection(condition="x", judge="j"), Selection(condition="y", judge="j")
    )
    again = count_version_differences(replace(opened, name="as it was"), opened, Selection(condition="x", judge="j"))
    assert (again.done, again.equal) == (again.total, again.total)
    assert (found.differing, found.equal, found.first) == (1, 3, ((0, "0"),))


@pytest.mark.parametrize(
    ("b", "expected"),
    [
        (Side(Selection(mode="bb")), "no mode 'bb'"),
        (Side(Selection(mode="b"), layer="wire"), "no chat format is known"),
        (Side(Selection(mode="b"), workspace="/nonexistent"), "no such file or folder"),
    ],
)
def test_a_side_that_cannot_be_shown_is_said_before_anything_is_counted(write: Write, b: Side, expected: str) -> None:
    opened = workspace.open(write({"readback.yml": FILE, "data.jsonl": rows(3)}))
    with pytest.raises(SideError, match=expected):
        count_differences(opened, Side(Selection(mode="a")), b)


def test_a_workspace_without_data_has_its_one_empty_record(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": FILE.partition("\n")[2]}))
    found = count_selection_differences(opened, Selection(mode="a"), Selection(mode="b"))
    assert (found.done, found.total, found.equal, found.first) == (1, 1, 1, ())
