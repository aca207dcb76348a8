"""Answers that are their prompt again, or begin with it: one finding a condition, and none for what only looks so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
CODE = "fmt-answer-repeats-prompt"
TEMPLATE = "Answer in one sentence.\n{{ q }}\nAnswer:\n"
SENT = "Answer in one sentence.\nWhich one, number 0?\nAnswer:"
MINIMUM = "0123456789 123456789"  # the shortest prompt that is looked at


def _list_findings(write: Write, replies: list[str], mode: Mapping[str, Any], **more: Any) -> list[Finding]:
    rows = [{"id": f"q{n}", "q": f"Which one, number {n}?"} for n in range(len(replies))]
    answers = [{"id": f"q{n}", "response": text} for n, text in enumerate(replies)]
    config = {
        "dataset": "rows.jsonl",
        "modes": [{"mode": "m", **mode}],
        "conditions": [{"name": "c", "mode": "m", "answers": "answers.jsonl"}],
    }
    requests = more.pop("requests", [])
    if requests:
        config["sent"] = ["requests.jsonl"]
    files = {"readback.yml": yaml.safe_dump(config), "rows.jsonl": rows, "answers.jsonl": answers, **more}
    if requests:
        files["requests.jsonl"] = requests
    return [one for one in engine.check(workspace.open(write(files))).findings if one.code == CODE]


@pytest.mark.parametrize(
    ("reply", "message", "span"),
    [
        (SENT, f"the answer is only the user message ({len(SENT)} characters)", (0, len(SENT))),
        ("\n " + SENT + "\n", f"the answer is only the user message ({len(SENT)} characters)", (2, len(SENT) + 2)),
        (
            SENT + "\nThe last.",
            f"the answer begins with the user message ({len(SENT)} characters), and then 9 characters follow",
            (0, len(SENT)),
        ),
        (
            SENT + " 7",
            f"the answer begins with the user message ({len(SENT)} characters), and then 1 character follows",
            (0, len(SENT)),
        ),
        (SENT[:-1], None, None),
        (SENT.replace("\n", " "), None, None),
        (SENT.lower(), None, None),
        ("Sure: " + SENT, None, None),
        ("Which one, number 0?", None, None),
        ("", None, None),
    ],
)
def test_an_answer_is_held_against_its_whole_prompt(
    write: Write, reply: str, message: str | None, span: tuple[int, int] | None
) -> None:
    found = _list_findings(write, [reply], {"template": TEMPLATE})
    assert [one.message for one in found] == ([message] if message else [])
    for one in found:
        assert one.severity == ("error" if "is only" in one.message else "warning")
        assert (one.place.file, one.place.line, one.place.field) == ("answers.jsonl", 1, "response")
        assert (one.place.start, one.place.end) == span
        assert reply[one.place.start : one.place.end] == SENT


@pytest.mark.parametrize(("text", "count"), [(MINIMUM, 1), (MINIMUM[1:], 0), ("Hi", 0)])
def test_a_short_prompt_may_be_answered_by_itself(write: Write, text: str, count: int) -> None:
    assert len(_list_findings(write, [text], {"template": text})) == count


def test_all_records_of_a_condition_are_one_finding_and_another_way_is_another(write: Write) -> None:
    replies = [SENT.replace("number 0", f"number {n}") for n in range(5)]
    found = _list_findings(write, [*replies[:3], *(text + " So." for text in replies[3:])], {"template": TEMPLATE})
    assert [(one.values["how"], one.values["records"], one.values["of"]) for one in found] == [
        ("is only", 3, 5),
        ("begins with", 2, 5),
    ]


def test_behind_a_system_message_it_may_be_what_was_asked_for(write: Write) -> None:
    mode = {"template": TEMPLATE, "system": "Repeat the text without its faults."}
    (found,) = _list_findings(write, [SENT], mode)
    assert found.severity == "info"


def test_what_the_log_has_counts_where_the_files_assemble_to_another_text(write: Write) -> None:
    sent = "An earlier text of the prompt.\nWhich one, number 0?"
    request = {"id": "q0", "condition": "c", "messages": [{"role": "user", "content": sent}]}
    (found,) = _list_findings(write, [sent + "\n\nThe first."], {"template": TEMPLATE}, requests=[request])
    assert found.message == f"the answer begins with the request in the log ({len(sent)} characters), and then 10 " + (
        "characters follow"
    )


def test_the_text_that_a_model_reads_is_the_longest_that_is_repeated(write: Write) -> None:
    config = (
        "dataset: rows.jsonl\nmodes: [{mode: m, system: Be brief., template: 'Why is it so, {{ q }}?'}]\n"
        "models: {m: {serving: {format: chatml}}}\nconditions: [{name: c, mode: m, model: m, answers: a.jsonl}]\n"
    )
    whole = (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhy is it so, now?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    files = {
        "readback.yml": config,
        "rows.jsonl": [{"id": "1", "q": "now"}],
        "a.jsonl": [{"id": "1", "response": whole + "So."}],
    }
    (found,) = [one for one in engine.check(workspace.open(write(files))).findings if one.code == CODE]
    assert found.severity == "warning"
    assert found.values["what"] == "the text that the model reads"
    assert found.values["rest"] == 3
