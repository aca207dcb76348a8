"""What a finding misses in a message is shown before the message: it can be marked in no text that is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from readback import workspace
from readback.checks.quoted import BESIDE, Quoted
from readback.checks.run import engine
from readback.records.dataset import open_dataset

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = """\
dataset: d.jsonl
modes: {rag: {template: "{{ rag.prompt }}"}}
conditions: [{name: stored, mode: rag}]
"""


def test_contexts_that_were_not_sent_are_shown_before_the_message(write: Write) -> None:
    long = "[3] " + "z" * 600
    rag = {"prompt": "Context:\n[1] one\n\nQuestion: why?\nAnswer:", "contexts": ["[1] one", "[2] two", long]}
    opened = workspace.open(write({"d.jsonl": [{"id": "a", "question": "why?", "rag": rag}], "readback.yml": CONFIG}))
    (finding,) = (one for one in engine.check(opened).findings if one.code == "fmt-context-not-sent")
    parts = Quoted(opened, open_dataset(opened.root, opened.dataset)).in_place(finding)
    assert [(part.text, part.label, part.whole) for part in parts[:2]] == [
        ("[2] two", "not in the message: entry 2 of rag.contexts", 7),
        (long[:BESIDE], "not in the message: entry 3 of rag.contexts", 604),
    ]
    assert [part.text for part in parts[2:]] == [rag["prompt"]]


def test_of_very_many_the_first_are_shown_and_each_says_so(write: Write) -> None:
    contexts = [f"[{n}] text number {n}" for n in range(1, 301)]
    rag = {"prompt": "Context:\n[1] text number 1\n\nQuestion: why?\nAnswer:", "contexts": contexts}
    opened = workspace.open(write({"d.jsonl": [{"id": "a", "question": "why?", "rag": rag}], "readback.yml": CONFIG}))
    (finding,) = (one for one in engine.check(opened).findings if one.code == "fmt-context-not-sent")
    *missing, _ = Quoted(opened, open_dataset(opened.root, opened.dataset)).in_place(finding)
    assert [part.text for part in missing] == contexts[1:11]
    assert all(part.label.endswith("of rag.contexts (the first 10 of 299 are shown)") for part in missing)


def test_what_an_answer_cites_is_marked_in_the_answer(write: Write) -> None:
    prompt = "Context:\n[1] one\n\nQuestion: why?\nAnswer:"
    config = CONFIG.replace("mode: rag}", "mode: rag, answers: a.jsonl}")
    record = {"id": "a", "question": "why?", "rag": {"prompt": prompt, "contexts": ["[1] one"]}}
    answers = [{"id": "a", "response": "Because of [1], and of [7]."}]
    opened = workspace.open(write({"d.jsonl": [record], "a.jsonl": answers, "readback.yml": config}))
    (finding,) = (one for one in engine.check(opened).findings if one.code == "fmt-answer-cites-missing")
    (part,) = Quoted(opened, open_dataset(opened.root, opened.dataset)).in_place(finding)
    assert [part.text[start:end] for start, end in part.marks] == ["[7]"]
    assert (part.text, part.label) == (
        "Because of [1], and of [7].",
        "the answer, field response, characters 23 to 26",
    )
