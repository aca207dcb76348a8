"""A row of training data is read as what it is, whatever is wrong in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.checks.facts import training_rows
from readback.records.fields.field_path import look
from readback.records.training.training_reader import read
from readback.records.training.training_row import TrainingRow, Turn, find_kind, find_main_kind, is_training

SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}
GOOD, BAD = {"role": "assistant", "content": "So."}, {"role": "assistant", "content": "No."}
PARTS = {
    "role": "user",
    "content": [{"type": "text", "value": "Why"}, {"type": "text", "text": "so?"}, {"type": "image"}],
}
FORMATS: list[tuple[str, Mapping[str, Any]]] = [
    ("sft", {"prompt": "Why?", "completion": "So."}),
    ("sft", {"prompt": "Why?", "summary": "So.", "citations": []}),
    ("dpo", {"prompt": "Why?", "chosen": "So.", "rejected": "No."}),
    ("chat_sft", {"messages": [SYSTEM, USER, GOOD]}),
    ("chat_sft", {"conversations": [{"from": "human", "value": "Why?"}, {"from": "gpt", "value": "So."}]}),
    (
        "chat_dpo_input",
        {"input": {"messages": [SYSTEM, USER]}, "preferred_output": [GOOD], "non_preferred_output": [BAD]},
    ),
    ("chat_dpo_lists", {"chosen_messages": [SYSTEM, USER, GOOD], "rejected_messages": [SYSTEM, USER, BAD]}),
    ("chat_dpo", {"prompt": [USER], "chosen": [GOOD], "rejected": [BAD]}),
    ("chat_dpo", {"messages": [USER], "chosen": [GOOD], "rejected": [BAD]}),
    ("chat_dpo", {"prompt": "Why?", "chosen": [USER, GOOD], "rejected": [USER, BAD]}),
    ("chat_dpo", {"chosen": [USER, GOOD], "rejected": [USER, BAD]}),
    ("chat_dpo", {"prompt": "Why?", "chosen": GOOD, "rejected": BAD}),
    ("rag", {"instruction": "Why?", "rag": {"prompt": "Why?"}, "expected_response": "So."}),
]


def texts(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.text for turn in turns]


@pytest.mark.parametrize(("kind", "fields"), FORMATS)
def test_each_format_is_known_and_gives_the_same_texts(kind: str, fields: Mapping[str, Any]) -> None:
    row = read(fields)
    assert row is not None
    assert (row.kind, row.wrong, row.other_prompt) == (kind, (), None)
    assert texts(row.prompt)[-1] == "Why?"
    answers = {name: texts(turns) for name, turns in row.answers}
    assert answers == ({"chosen": ["So."], "rejected": ["No."]} if row.is_pair else {"completion": ["So."]})


@pytest.mark.parametrize(("kind", "fields"), FORMATS)
def test_every_text_stands_in_the_field_it_names(kind: str, fields: Mapping[str, Any]) -> None:
    row = read(fields)
    assert row is not None
    for turn in (*row.prompt, *(one for _, turns in row.answers for one in turns)):
        assert [look(dict(fields), one.field) for one in turn.stretches] == [one.text for one in turn.stretches]


def test_content_in_parts_is_one_text_with_a_place_for_each_part() -> None:
    row = read({"messages": [PARTS, GOOD]})
    assert row is not None
    (turn,) = row.prompt
    assert turn.text == "Why\nso?"
    assert [one.field for one in turn.stretches] == ["messages[0].content[0].value", "messages[0].content[1].text"]
    spot = training_rows.locate(turn, 4, 6)
    assert (spot.field, spot.start, spot.end) == ("messages[0].content[1].text", 0, 2)


def test_conversations_that_part_before_the_answer_keep_both_prompts() -> None:
    row = read({"chosen_messages": [USER, GOOD], "rejected_messages": [{"role": "user", "content": "How?"}, BAD]})
    assert row is not None
    assert (texts(row.prompt), texts(row.other_prompt or ())) == (["Why?"], ["How?"])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"prompt": " ", "completion": "So."}, [("prompt", '" "')]),
        ({"prompt": "Why?", "chosen": "So."}, [("rejected", "absent")]),
        ({"prompt": None, "chosen": "So.", "rejected": 7}, [("prompt", "null"), ("rejected", "number")]),
        ({"messages": []}, [("messages", "[]")]),
        ({"messages": "x"}, [("messages", "string")]),
        ({"messages": [USER, {"role": "assistant"}]}, [("messages[1].content", "absent")]),
        ({"messages": [USER, "So."]}, [("messages[1]", "string")]),
        ({"preferred_output": [GOOD]}, [("input.messages", "absent"), ("non_preferred_output", "absent")]),
        ({"messages": [{"role": "system", "content": ""}, USER, GOOD]}, []),
    ],
)
def test_what_is_required_and_not_there_is_named(fields: Mapping[str, Any], expected: list[tuple[str, str]]) -> None:
    row = read(fields)
    assert [(one.field, one.json_type) for one in (row.wrong if row else ())] == expected


@pytest.mark.parametrize(
    "fields", [{}, {"text": "x"}, {"prompt": "x"}, {"input": "x", "output": "y"}, {"response": "x"}]
)
def test_other_rows_are_no_training_rows(fields: Mapping[str, Any]) -> None:
    assert find_kind(fields) is None
    assert read(fields) is None


def test_a_record_of_an_evaluation_is_no_training_row() -> None:
    assert not is_training({"question": "Why?", "messages": []})
    assert not is_training({"instruction": "Why?", "expected_response": "So."})
    assert is_training({"question": "Why?", "chosen": "a", "rejected": "b"})


def test_the_format_of_rows_is_that_of_most_of_them() -> None:
    pair, other = {"prompt": "a", "chosen": "b", "rejected": "c"}, {"text": "x"}
    assert find_main_kind([pair, pair, {"messages": []}]) == "dpo"
    assert find_main_kind([pair, other, other]) is None
    assert find_main_kind([]) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "from", "value", "text", "messages", "tool_calls"]), inner
        )
    ),
    max_leaves=8,
)
KEYS = st.sampled_from([*training_rows.KEYS, "split", "contexts"])


@given(st.dictionaries(KEYS, JSON, max_size=5))
def test_whatever_stands_in_a_row_it_is_read_or_left_alone(fields: dict[str, Any]) -> None:
    row = read(fields)
    assert (row is None) == (find_kind(fields) is None)
    assert isinstance(row, TrainingRow | None)
    for turn in (*row.prompt, *(one for _, turns in row.answers for one in turns)) if row else ():
        assert all(look(fields, one.field) == one.text for one in turn.stretches)
