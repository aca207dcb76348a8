"""What a model was trained on, beside what it is sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback.prompts.assemble import assemble
from readback.prompts.messages import compute_fingerprint
from readback.prompts.training_text import find_training_messages
from readback.sources.prompt_formats import CONFIG, SYSTEM
from readback.types import Condition, Location, Model, Record, Selection, SystemText, Workspace

WORKSPACE = Workspace(
    root=Path(),
    name="study",
    configs=(CONFIG,),
    prompts=CONFIG.prompts,
    models={
        "base": Model("base", "base"),
        "short": Model("short", "instruction_only"),
        "rag": Model("rag", "rag_trained", training=SystemText("Trained so.", "training", Location("train.py", 4))),
    },
    conditions=(
        Condition("closed", mode="instruction", model="short"),
        Condition("open", mode="rag", model="rag"),
    ),
)
ROW = {"instruction": " Why?", "expected_response": "So [1].", "rag": {"prompt": "P\n", "contexts": ["c"]}}


def row(**fields: Any) -> Record:
    return Record("1", {**ROW, **fields}, Location(file="data.jsonl", line=1, index=0))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("short", [SYSTEM["instruction_only"], "Question: Why?\n\nAnswer:", "So [1]."]),
        ("rag", ["Trained so.", "P\n", "So [1]."]),
    ],
)
def test_a_model_was_trained_on_system_user_and_assistant(model: str, expected: list[str]) -> None:
    made = find_training_messages(WORKSPACE, row(), model)
    assert made is not None
    assert expected == [message.text for message in made.messages]
    assert [message.role for message in made.messages] == ["system", "user", "assistant"]
    assert made.fingerprint == compute_fingerprint(made.messages)
    assert made.diagnostics == ()


@pytest.mark.parametrize(("condition", "model"), [("closed", "short"), ("open", "rag")])
def test_the_user_message_has_the_bytes_of_the_evaluation(condition: str, model: str) -> None:
    made = find_training_messages(WORKSPACE, row(), model)
    sent = assemble(WORKSPACE, row(), Selection(condition=condition))
    assert made is not None
    assert made.messages[1] == sent.messages[1]


@pytest.mark.parametrize("model", ["base", "unheard of"])
def test_a_model_that_was_not_trained_has_no_layout(model: str) -> None:
    assert find_training_messages(WORKSPACE, row(), model) is None


def test_without_the_prompt_formats_no_layout_is_known() -> None:
    assert find_training_messages(replace(WORKSPACE, prompts={}), row(), "short") is None


def test_the_reply_may_be_spelled_otherwise_and_may_be_missing() -> None:
    made = find_training_messages(WORKSPACE, row(expected_response=None, reference_summary="Sum."), "short")
    assert made is not None
    assert [(s.text, s.name) for s in made.messages[2].segments] == [("Sum.", "reference_summary")]
    made = find_training_messages(WORKSPACE, row(expected_response=""), "short")
    assert made is not None
    assert [message.role for message in made.messages] == ["system", "user"]
    assert [diagnostic.code for diagnostic in made.diagnostics] == ["fmt-reference-missing"]


def test_a_row_without_a_stored_prompt_gives_a_note_and_no_messages() -> None:
    made = find_training_messages(WORKSPACE, row(rag={}), "rag")
    assert made is not None
    assert (made.messages, made.fingerprint) == ((), "")
    assert [diagnostic.code for diagnostic in made.diagnostics] == ["fmt-stored-prompt-missing"]
