"""Training data: each file recognised as what it is, every fault found where it stands, and no false alarm."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.facts import training_rows
from readback.checks.rules.trn_damaged_text import find_damages
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.prompts import children
from readback.records.fields import field_path
from readback.sources import legal_prompt
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
OTHERS = ("trn-citation-", "trn-rejected-", "trn-label-", "trn-listed-", "trn-chosen-no-", "trn-over-")
LEGAL = (
    "Analyze this excerpt of a court opinion.\n\nDocument Excerpt:\nThe appeal was allowed. See Hale v. Moor, 12 F.3d "
    "34 (1999).\n\nCitations found: Hale v. Moor, 12 F.3d 34\n\nSummary:"
)
FIRST = {"prompt": LEGAL, "completion": " The appeal was allowed (Hale v. Moor, 12 F.3d 34 (1999))."}
SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}
GOOD, BAD = {"role": "assistant", "content": "So."}, {"role": "assistant", "content": "No."}


def pair(prompt: str = "Why?\n", chosen: str = "So.", rejected: str = "No.", **more: Any) -> dict[str, Any]:
    return {"prompt": prompt, "chosen": chosen, "rejected": rejected, **more}


def check(path: Path) -> Audit:
    audit = engine.check(workspace.open(path))
    assert audit.faults == ()
    return audit


def codes(audit: Audit) -> dict[str, int]:
    """How often each rule of this file found something."""
    return {code: n for code, n in audit.counts.items() if code.startswith("trn-") and not code.startswith(OTHERS)}


def where(audit: Audit, code: str) -> list[tuple[str | None, int | None, str | None]]:
    """File, line and field of a rule's findings."""
    return [(one.place.file, one.place.line, one.place.field) for one in audit.findings if one.code == code]


# One file with a fault of each kind in a row of its own, between rows without any.
SEEDED: list[tuple[str, dict[str, Any]]] = [
    ("", pair("Say one.\n")),
    ("trn-empty", pair("Say two.\n", rejected=" ")),
    ("trn-chosen-equals-rejected", pair("Say three.\n", rejected=" So. ")),
    ("trn-damaged-text", pair("Say four.\n", "It is inadmissible. See Fed. R. Evid. 802.", "It is inadmissibl.")),
    ("trn-prompt-ends", pair("Say five.")),
    ("trn-prompt-layout", pair("Analyze the following legal document excerpt...\n\nSummary:\n")),
    ("trn-marker-range", pair("Context:\n[1] One.\n[2] Two.\n", "So [3].")),
    ("trn-duplicate-row", pair("Say one.\n")),
    ("trn-duplicate-prompt", pair("Say one.\n", "Thus.")),
    ("trn-mixed-format", {"prompt": "Say nine.\n", "completion": "So."}),
    ("trn-alias", {"prompt": "Say ten.\n", "summary": "So."}),
    ("trn-leak", pair("Say eleven.\n")),
    ("trn-prompt-differs", {"chosen_messages": [USER, GOOD], "rejected_messages": [{**USER, "content": "How?"}, BAD]}),
    ("trn-chat-roles", {"messages": [USER, USER, GOOD]}),
    ("trn-system-mismatch", {"messages": [SYSTEM, {**USER, "content": "When?"}, GOOD]}),
]


def test_a_fault_of_every_kind_is_found_where_it_stands(write: Write) -> None:
    rows = [{"id": f"r{n}", **row} for n, (_, row) in enumerate(SEEDED, 1)]
    rows += [{"id": f"long{n}", **pair(f"Question {n}?\n", "It is so and so.")} for n in range(70)]
    root = write(
        {
            "readback.yml": "training: {train: train.jsonl, test: test.jsonl}\n"
            "models: {m: {serving: {modelfile: Modelfile}}}\n",
            "Modelfile": 'FROM x\nSYSTEM "Be long."\n',
            "train.jsonl": rows,
            "test.jsonl": [{"id": "t1", **pair("Say eleven.\n")}],
        }
    )
    audit = check(root)
    for line, (code, _) in enumerate(SEEDED, 1):
        if code == "trn-leak":
            assert [(file, at) for file, at, _ in where(audit, code)] == [("test.jsonl", 1)]
        elif code:
            assert ("train.jsonl", line) in [(file, at) for file, at, _ in where(audit, code)], code
    assert where(audit, "trn-length-bias") == [("train.jsonl", None, None)]
    assert {code for code, _ in SEEDED} | {"trn-length-bias"} >= set(codes(audit)) - {""}
    assert [one.place.line for one in audit.findings if one.severity == "error" and one.place.line == 1] == [
        1
    ]  # the leak


@pytest.mark.realdata
def test_the_two_examples_of_the_document_have_no_error(shared: Path, write: Write) -> None:
    said = (shared / "spec" / "training-data.md").read_text("utf-8").rpartition("~~~json\n")[2].partition("~~~")[0]
    rows = [json.loads(line) for line in said.splitlines() if line]
    root = write({"sft.jsonl": rows[:1], "dpo.jsonl": rows[1:]})
    first, second = check(root / "sft.jsonl"), check(root / "dpo.jsonl")
    assert first.severities.get("error", 0) == second.severities.get("error", 0) == 0
    assert codes(first) == {"trn-prompt-ends": 1}
    assert codes(second) == {"trn-prompt-ends": 1, "trn-prompt-layout": 1}
    (layout,) = [one for one in second.findings if one.code == "trn-prompt-layout"]
    assert (layout.severity, layout.values["missing"]) == ("warning", ["Document Excerpt:", "Citations found:"])
    parts, elided = (legal_prompt.parse(row["prompt"]) for row in rows)
    assert parts is not None
    assert elided is not None
    assert (parts.checkable, parts.instructions, elided.checkable) == (True, None, False)


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "said", "kinds", "found"),
    [
        ("chat_messages", "conversations: messages", {"chat_sft": 50}, {}),
        (
            "derived_dpo_prompt_chosen_rejected_100",
            "preference pairs: prompt, chosen, rejected",
            {"dpo": 100},
            {"trn-prompt-ends": 100},
        ),
        (
            "preference_input_messages",
            "preference pairs of messages: input.messages, preferred_output, non_preferred_output",
            {"chat_dpo_input": 284},
            {},
        ),
        (
            "v1_dpo_demo",
            "preference pairs of conversations: chosen_messages, rejected_messages",
            {"chat_dpo_lists": 10},
            {},
        ),
    ],
)
def test_real_files_are_recognised_each_as_what_it_is(
    shared: Path, name: str, said: str, kinds: dict[str, int], found: dict[str, int]
) -> None:
    path = shared / "data" / "training" / f"{name}.jsonl"
    opened = workspace.open(path)
    assert [(one.path, one.what, one.detail) for one in opened.recognised] == [(path.name, "training data", said)]
    audit = check(path)
    assert [dict(one.kinds) for one in audit.training] == [kinds]
    assert codes(audit) == found
    assert audit.severities.get("error", 0) == 0
    records = audit.records
    assert records.lines == records.read == sum(kinds.values())


@pytest.mark.realdata
def test_a_folder_of_real_files_is_checked_as_a_whole(shared: Path) -> None:
    audit = check(shared / "data" / "training")
    assert sorted(one.counts.read for one in audit.training) == [10, 50, 100, 284]
    assert audit.severities.get("error", 0) == 0


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"messages": [SYSTEM, USER, GOOD, USER, GOOD]}], []),
        ([{"messages": [USER, {"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}, GOOD]}], []),
        ([{"messages": [{"role": "developer", "content": "x"}, USER, GOOD]}], []),
        ([{"messages": [USER, GOOD, GOOD]}], ["messages[2]"]),
        ([{"messages": [USER, SYSTEM, GOOD]}], ["messages[1]"]),
        ([{"messages": [{"role": "bot", "content": "x"}, GOOD]}], ["messages[0]"]),
        ([{"messages": [SYSTEM, USER]}], ["messages[1]"]),
        ([{"input": {"messages": [USER]}, "preferred_output": [GOOD], "non_preferred_output": [USER]}],
         ["non_preferred_output[0]"]),
        ([{"input": {"messages": [USER, USER]}, "preferred_output": [GOOD], "non_preferred_output": [BAD]}],
         ["input.messages[1]"]),
        ([{"chosen_messages": [USER, GOOD], "rejected_messages": [USER, GOOD, BAD]}], ["rejected_messages[2]"]),
    ],
)  # fmt: skip
def test_roles_that_are_wrong_are_named_once(write: Write, rows: list[Any], expected: list[str]) -> None:
    audit = check(write({"train.jsonl": rows}) / "train.jsonl")
    assert [field for _, _, field in where(audit, "trn-chat-roles")] == expected


@pytest.mark.parametrize(
    ("text", "intact", "whole"),
    [
        ("It is inadmissibl.", "It is inadmissible. See Fed. R. Evid. 802.", "inadmissible"),
        ("The hearsay is inadmissibl", "Such inadmissible hearsay was heard.", "inadmissible"),
        ("It was denied He left.", "It was denied. He left.", "denied."),
        ("It was held here", "It was held here. See Rule 5.", "here."),
        ("So it is ().", "So it is (A v. B).", "is (A v. B)"),
        ("It is inadmissible.", "It is inadmissible. See Fed. R. Evid. 802.", None),
        ("He asked the court.", "He asked the courts.", None),
        ("It grew.", "It was growing.", None),
        ("New Mexico Territory", "It lies in New Mexico.", None),
        ("the movie Vanilla Sky", "He thought well of the movie. He said so.", None),
        ("", "So.", None),
        ("Other words altogether", "It was denied.", None),
        ("The levels diverge.", "The levels divergent from the plan rose.", None),
        ("Then it will stop.", "Then it will stopped be.", None),
        ("Use the refer.", "Use the referral.", None),
        ("Call sort() or close().", "Call sort(reverse=True) or close(now=True).", None),
        ("They did not receiv.", "They did not receive it.", "receive"),
        ("It was a doubl.", "It was a double fault.", "double"),
    ],
)
def test_a_damage_is_told_from_other_wording(text: str, intact: str, whole: str | None) -> None:
    assert [one.whole for one in find_damages(text, intact, "")][:1] == ([whole] if whole else [])


def test_long_answers_are_held_against_each_other_in_no_time() -> None:
    text = "The court held that it was granted and denied. " * 4_000
    assert list(find_damages(text, text, text)) == []


def test_splits_are_those_of_the_workspace_or_of_the_row(write: Write) -> None:
    root = write({"train.jsonl": [pair(split="train"), pair("How?\n"), pair("Why? ", split="test")]})
    (found,) = [one for one in check(root / "train.jsonl").findings if one.code == "trn-leak"]
    assert (found.place.line, found.values["other"], found.values["split"]) == (3, "train", "test")


def test_rows_of_one_document_in_two_splits_are_leaked(write: Write) -> None:
    other = LEGAL.replace("excerpt of a court", "part of a court")
    root = write(
        {
            "readback.yml": "training: {train: train.jsonl, valid: valid.jsonl}\n",
            "train.jsonl": [FIRST],
            "valid.jsonl": [{**FIRST, "prompt": other}],
        }
    )
    (found,) = [one for one in check(root).findings if one.code == "trn-leak"]
    assert other != LEGAL
    assert (found.values["what"], found.place.file) == (["excerpt"], "valid.jsonl")


def test_what_models_are_evaluated_on_must_not_be_in_their_training(write: Write) -> None:
    root = write(
        {
            "readback.yml": "dataset: eval.jsonl\nprompts: [builtin:prompt-formats]\n"
            "models: {m: {training: {messages: train.jsonl}}}\n",
            "eval.jsonl": [{"id": "q", "instruction": "Why?", "expected_response": "So.", "rag": {"prompt": "p"}}],
            "train.jsonl": [{"messages": [{**USER, "content": "Question: Why?\n\nAnswer:"}, GOOD]}],
        }
    )
    assert where(check(root), "trn-leak") == [("train.jsonl", 1, "messages[0]")]


def test_the_same_row_for_two_models_is_no_duplicate(write: Write) -> None:
    row = {"messages": [USER, GOOD]}
    root = write(
        {
            "readback.yml": "models: {a: {training: {messages: a.jsonl}}, b: {training: {messages: b.jsonl}}}\n",
            "a.jsonl": [row, row],
            "b.jsonl": [row],
        }
    )
    assert where(check(root), "trn-duplicate-row") == [("a.jsonl", 2, "messages[0]")]


def test_a_row_with_the_system_message_that_is_compared_anyway_is_left_alone(write: Write) -> None:
    root = write(
        {
            "readback.yml": "models: {m: {training: {messages: t.jsonl}, serving: {modelfile: Modelfile}}}\n",
            "Modelfile": 'FROM x\nSYSTEM "Be long."\n',
            "t.jsonl": [
                {"messages": [SYSTEM, USER, GOOD]},
                {"messages": [{**SYSTEM, "content": "Be odd."}, USER, GOOD]},
            ],
        }
    )
    audit = check(root)
    assert audit.counts["fmt-system-mismatch"] == 1
    assert where(audit, "trn-system-mismatch") == [("t.jsonl", 2, "messages[0].content")]


def test_an_evaluation_with_a_history_of_messages_is_no_training_file(write: Write) -> None:
    root = write(
        {
            "readback.yml": "dataset: eval.jsonl\nmodes: [{mode: m, template: 'x'}]\n",
            "eval.jsonl": [{"id": "1", "messages": [USER]}],
        }
    )
    assert workspace.open(root).training == ()
    assert codes(check(root)) == {}


def test_masked_texts_are_not_held_against_each_other(write: Write) -> None:
    root = write(
        {
            "readback.yml": "dataset: {path: train.jsonl, private: [chosen, rejected]}\n",
            "train.jsonl": [pair("a "), pair("b ", "Thus.")],
        }
    )
    assert field_path.MASK == training_rows.MASKED
    assert codes(check(root)) == {}


def test_a_file_beside_the_dataset_counts_its_own_lines(write: Write) -> None:
    root = write(
        {
            "readback.yml": "training: [a.jsonl, b.jsonl]\n",
            "a.jsonl": [pair()],
            "b.jsonl": json.dumps(pair("How? ")) + "\n\n{broken\n",
        }
    )
    audit = check(root)
    counts = {one.path: (one.counts.lines, one.counts.read, one.counts.bad, one.counts.blank) for one in audit.training}
    assert counts == {"a.jsonl": (1, 1, 0, 0), "b.jsonl": (3, 1, 1, 1)}
    assert [one.place.line for one in audit.findings if one.code == "dat-bad-line"] == [3]


def test_the_answer_is_the_same_however_many_children_work(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 20)
    rows = [pair(f"Question {n % 70}?") for n in range(150)]
    root = write({"readback.yml": "training: {train: a.jsonl, test: b.jsonl}\n", "a.jsonl": rows, "b.jsonl": rows[:30]})
    opened = workspace.open(root)
    told: list[Counter[tuple[str, str]]] = []
    for jobs in (1, 2):
        audit = engine.check(opened, engine.CheckOptions(jobs=jobs))
        told.append(Counter((one.code, one.key) for one in audit.findings if isinstance(one, Finding)))
    assert told[0] == told[1]
    assert codes(audit)["trn-leak"] == 30
