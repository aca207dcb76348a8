"""Rows as trainers' own documentation lays them out: what is the prompt, what is the answer, what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from readback.records.training import training_reader
from readback.records.training.training_row import find_kind, is_training

CALL, SEEN = '{"name": "tide"}', '{"level": 3}'


def talk(*turns: tuple[str, str]) -> list[dict[str, str]]:
    return [{"from": role, "value": text} for role, text in turns]


@pytest.mark.parametrize(
    ("row", "kind", "prompt", "answer"),
    [
        ({"instruction": "Why?", "input": "", "output": "So."}, "alpaca", [("", "Why?")], "So."),
        ({"instruction": "Why?", "output": "So."}, "alpaca", [("", "Why?")], "So."),
        ({"instruction": "Sum up.", "input": "A text.", "output": "T."}, "alpaca", [("", "Sum up.\nA text.")], "T."),
        (
            {"instruction": "And?", "input": "", "output": "So.", "system": "S", "history": [["Hi", "Hello"]]},
            "alpaca",
            [("system", "S"), ("user", "Hi"), ("assistant", "Hello"), ("", "And?")],
            "So.",
        ),
        (
            {"conversations": talk(("human", "Why?"), ("gpt", "So.")), "system": "S"},
            "chat_sft",
            [("system", "S"), ("user", "Why?")],
            "So.",
        ),
        (
            {"conversations": talk(("system", "S"), ("human", "Why?"), ("gpt", "So.")), "system": "ignored"},
            "chat_sft",
            [("system", "S"), ("user", "Why?")],
            "So.",
        ),
        (
            {"conversations": talk(("human", "Q"), ("function_call", CALL), ("observation", SEEN), ("gpt", "So."))},
            "chat_sft",
            [("user", "Q"), ("assistant", ""), ("tool", SEEN)],  # the call is no text
            "So.",
        ),
        ({"text": "<|im_start|>user\nWhy?<|im_end|>"}, "text", [], "<|im_start|>user\nWhy?<|im_end|>"),
        ({"prompt": "Why?", "response": "So."}, "sft", [("", "Why?")], "So."),
        ({"prompt": "Why?", "completion": "So.", "system": "S"}, "sft", [("system", "S"), ("", "Why?")], "So."),
    ],
)
def test_a_row_has_its_prompt_and_its_answer(
    row: dict[str, Any], kind: str, prompt: list[tuple[str, str]], answer: str
) -> None:
    assert (find_kind(row), is_training(row)) == (kind, True)
    read = training_reader.read(row)
    assert read is not None
    assert [(turn.role, turn.text) for turn in read.prompt] == prompt
    assert [turn.text for turn in read.completion] == [answer]
    assert read.wrong == ()


@pytest.mark.parametrize("name", ["prompt", "instruction", "question", "query"])
@pytest.mark.parametrize("as_list", [False, True])
def test_a_pair_names_its_prompt_in_several_ways(name: str, as_list: bool) -> None:
    better, worse = ([{"role": "assistant", "content": t}] if as_list else t for t in ("So.", "No."))
    read = training_reader.read({name: "Why?", "chosen": better, "rejected": worse})
    assert read is not None
    assert [turn.text for turn in read.prompt] == ["Why?"]
    assert [turns[-1].text for _, turns in read.answers] == ["So.", "No."]
    assert read.wrong == ()


@pytest.mark.parametrize(
    "row",
    [
        {"instruction": "Why?", "output": "So.", "generator": "m", "dataset": "d"},  # what a model answered
        {"instruction": "Why?", "output": {"a": 1}},
        {"instruction": "Why?", "output": "So.", "a": 1, "b": 2, "c": 3, "d": 4},  # another tool's
        {"text": "A document about the harbour."},
        {"question": "Why?", "text": "<|im_start|>user"},
        {"prompt": "Why?", "response": "So.", "model": "m"},
        {"messages": [{"role": "user", "content": "Why?"}], "ideal": "So."},  # what an evaluation asks
    ],
)
def test_rows_of_other_kinds_are_not_taken_for_training(row: dict[str, Any]) -> None:
    assert not is_training(row)


def test_an_empty_output_and_an_absent_one_are_named() -> None:
    for value in ("", " \n", None):
        read = training_reader.read({"instruction": "Why?", "input": "", "output": value})
        assert read is not None
        assert [wrong.field for wrong in read.wrong] == ["output"]


@pytest.mark.parametrize(("role", "read_as"), [("human", "human"), ("gpt", "gpt"), ("observation", "tool")])
def test_under_role_only_the_roles_of_tools_are_read_as_others(role: str, read_as: str) -> None:
    read = training_reader.read({"messages": [{"role": role, "content": "x"}]})
    assert read is not None
    assert [turn.role for turn in read.prompt] == [read_as]
