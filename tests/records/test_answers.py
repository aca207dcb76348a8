"""Answers are found by record id, with what was sent where it was kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readback.records.replies.answers import open_answers
from readback.types import Condition, DatasetSource, Workspace

Write = Callable[[dict[str, Any]], Path]
DATA = [{"qid": "q1", "question": "one"}, {"qid": "q2", "question": "two"}]


def workspace(folder: Path, **settings: Any) -> Workspace:
    return Workspace(root=folder, name="w", dataset=DatasetSource("data.jsonl", **settings))


def test_an_answer_is_found_by_the_records_id(write: Write) -> None:
    answers = [
        {"id": "r1", "qid": "q2", "response": "Two.", "prompt_text": "Question: two\n\nAnswer:"},
        {"id": "r2", "qid": "q1", "response": "One."},
    ]
    folder = write({"data.jsonl": DATA, "answers/a.jsonl": answers})
    found = open_answers(workspace(folder), Condition("open", answers="answers/a.jsonl"))
    answer = found.get("q2")
    assert answer
    assert (
        answer.condition,
        answer.record,
        answer.text,
        answer.sent,
    ) == ("open", "q2", "Two.", "Question: two\n\nAnswer:")
    assert (answer.place.file, answer.place.line) == ("answers/a.jsonl", 1)
    assert (found.get("r1"), found.get(None), found.count) == (None, None, 2)
    assert [one.record for one in found] == ["q2", "q1"]


@pytest.mark.parametrize("field", ["response", "answer", "model_answer", "output"])
def test_the_answer_stands_under_one_of_the_usual_names(write: Write, field: str) -> None:
    folder = write({"data.jsonl": DATA, "a.jsonl": [{"task_id": "q1", field: "One."}]})
    answer = open_answers(workspace(folder), Condition("c", answers="a.jsonl")).get("q1")
    assert answer
    assert answer.text == "One."


def test_a_missing_answer_is_none_and_other_values_are_json(write: Write) -> None:
    rows = [{"id": "q1", "response": None, "error": "timeout"}, {"id": "q2", "response": {"é": 1}}]
    found = open_answers(workspace(write({"data.jsonl": DATA, "a.jsonl": rows})), Condition("c", answers="a.jsonl"))
    assert [one.text for one in found] == [None, '{"é": 1}']


def test_answers_in_csv_keep_their_text(write: Write) -> None:
    folder = write({"data.jsonl": DATA, "a.csv": 'qid,response\nq1,"One,\ntwo"\n'})
    answer = open_answers(workspace(folder), Condition("c", answers="a.csv")).get("q1")
    assert answer
    assert answer.text == "One,\ntwo"


def test_a_file_without_answers_is_a_note_of_its_condition(write: Write) -> None:
    found = open_answers(
        workspace(write({"data.jsonl": DATA, "a.jsonl": [{"qid": "q1", "text": "x"}]})),
        Condition("c", answers="a.jsonl"),
    )
    assert [(n.code, n.place.condition, n.values["key"]) for n in found.diagnostics] == [
        ("dat-unknown-key", "c", "response")
    ]


def test_a_missing_file_is_a_note_and_no_answers(write: Write) -> None:
    found = open_answers(workspace(write({"data.jsonl": DATA})), Condition("c", answers="no.jsonl"))
    assert ([n.code for n in found.diagnostics], found.count, found.get("q1")) == (["dat-file-missing"], 0, None)


def test_a_condition_without_answers_has_none_and_nothing_is_wrong(write: Write) -> None:
    found = open_answers(workspace(write({"data.jsonl": DATA})), Condition("c"))
    assert (found.diagnostics, found.count, found.get("q1")) == ((), 0, None)


def test_private_fields_are_masked_in_answers_too(write: Write) -> None:
    rows = [{"qid": "q1", "response": "One.", "prompt_text": "mail ann@example.org"}]
    folder = write({"data.jsonl": DATA, "a.jsonl": rows})
    answer = open_answers(workspace(folder, private=("prompt_text",)), Condition("c", answers="a.jsonl")).get("q1")
    assert answer
    assert answer.sent == "[masked]"


def test_b4_an_answer_without_an_id_is_nobodys_where_the_others_have_ids(write: Write) -> None:
    data = '{"qid": "q1"}\n{"question": "no id"}\n{"qid": "q3"}\n'
    own = '{"qid": "q1", "response": "1"}\n{"response": "whose?"}\n{"qid": "q3", "response": "3"}\n'
    named = '{"qid": "q1", "response": "1"}\n{"qid": "line_2", "response": "2"}\n{"qid": "q3", "response": "3"}\n'
    folder = write({"data.jsonl": data, "a.jsonl": own, "b.jsonl": named, "c.jsonl": '{"response": "x"}\n' * 3})
    for file, expected in (("a.jsonl", None), ("b.jsonl", "2"), ("c.jsonl", None)):
        found = open_answers(workspace(folder), Condition("c", answers=file))
        answer = found.get("line_2")
        assert expected == (answer.text if answer else None), file
    assert [n.code for n in open_answers(workspace(folder), Condition("c", answers="a.jsonl")).diagnostics] == [
        "dat-missing-id"
    ]


def test_b4_without_any_ids_records_and_answers_belong_together_by_their_lines(write: Write) -> None:
    folder = write({"data.jsonl": [{"q": 1}, {"q": 2}], "a.jsonl": [{"response": "1"}, {"response": "2"}]})
    answer = open_answers(workspace(folder), Condition("c", answers="a.jsonl")).get("line_2")
    assert answer
    assert answer.text == "2"
