"""A judge's messages: the published goldens, and what happens to values that look like templates."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.prompts.judge_messages import build_judge_messages
from readback.types import Answer, Diagnostic, Judge, Location, Message, Record

PLAIN = Judge(
    "plain", "{question}|{answer}|{documents}|{gold_reference}|{{}}", "Grade. {kept}", place=Location("j.py", 3)
)
RUBRIC = Judge(
    "rubric",
    "Q {{QUESTION}}\nC {{CONTEXTS}}\nE {{EXPECTED_RESPONSE}}\nA {{ASSISTANT_RESPONSE}}",
    syntax="placeholder",
    place=Location("rubric.yaml", 5),
)
ROW = {"question": "Q?", "answer": "A.", "documents": ["D one", "D two"], "gold": "G"}


def row(fields: Mapping[str, Any]) -> Record:
    return Record("1", fields, Location(file="data.jsonl", line=2, index=0))


def texts(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("fields", "length", "sha"),
    [
        ({**ROW, "gold": None}, 430, "586fb7d00fd235296d9bf4c61fb449381d826bf239cf6107aff8ed158f86dada"),
        (ROW, 456, "7a1de83408d3c43c5115b581c157e5266c807ad874a1b664af147c95f83518cd"),
        (
            {**ROW, "documents": [], "gold": None},
            392,
            "b7426adf4e646e503b8096118373e80443a9038618478bf81e14436352359415",
        ),
    ],
)
def test_the_published_judge_prompt_comes_out_byte_for_byte(
    shared: Path, fields: dict[str, Any], length: int, sha: str
) -> None:
    source = ast.parse((shared / "spec/sources/rag-judge-prompts.py.txt").read_text("utf-8"))
    constants = {
        node.targets[0].id: node.value.value
        for node in source.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
    judge = Judge("rag", constants["EVALUATION_PROMPT_TEMPLATE"], constants["SYSTEM_PROMPT"])
    system, user = build_judge_messages(judge, row(fields))[0]
    assert len(system.text) == 1727
    assert hashlib.sha256(system.text.encode()).hexdigest() == (
        "a46493352c7f0fd1e63af0df012df698be3ecb383ab7b1e7dac2f230499eef7b"
    )
    assert (length, sha) == (len(user.text), hashlib.sha256(user.text.encode()).hexdigest())


def test_a_format_template_is_filled_in_once_and_its_system_text_not_at_all() -> None:
    messages, names, diagnostics, _ = build_judge_messages(PLAIN, row({**ROW, "question": "{answer} {{x}}"}))
    user = "{answer} {{x}}|A.|\nDocument 1:\nD one\n\nDocument 2:\nD two\n|GOLD REFERENCE ANSWER:\nG\n\n|{}"
    assert texts(messages) == [("system", "Grade. {kept}"), ("user", user)]
    assert [name for name, _ in names] == ["question", "answer", "documents", "gold_reference"]
    assert diagnostics == ()


def test_each_inserted_value_is_a_segment_with_its_own_name() -> None:
    user = build_judge_messages(PLAIN, row(ROW))[0][1]
    assert [(s.name, s.text) for s in user.segments if s.origin == "variable"] == [
        ("question", "Q?"),
        ("answer", "A."),
        ("documents[0]", "D one"),
        ("documents[1]", "D two"),
        ("gold", "G"),
    ]
    assert Location("data.jsonl", 2, field="documents[1]") == next(s.place for s in user.segments if s.text == "D two")


def test_fields_come_from_where_the_judge_says() -> None:
    fields = {"question": "q.text", "documents": "rag.c", "extra": "x"}
    judge = Judge("j", "{question}|{documents}|{extra}", fields=fields)
    record = row({"q": {"text": "Why?"}, "rag": {"c": ["D"]}, "x": 7, "question": "other"})
    assert texts(build_judge_messages(judge, record)[0]) == [("user", "Why?|\nDocument 1:\nD\n|7")]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({**ROW, "documents": None}, ["jdg-no-documents"]),
        ({**ROW, "documents": []}, ["jdg-no-documents"]),
        ({**ROW, "documents": "D"}, ["jdg-documents-not-list"]),
        ({**ROW, "gold": None}, ["jdg-gold-missing"]),
        ({**ROW, "answer": " "}, ["jdg-no-answer"]),
        ({**ROW, "question": None}, ["jdg-value-missing"]),
    ],
)
@pytest.mark.parametrize("judge", [PLAIN, RUBRIC])
def test_what_is_not_there_is_said_and_left_empty(judge: Judge, fields: dict[str, Any], expected: list[str]) -> None:
    messages, _, diagnostics, _ = build_judge_messages(judge, row(fields))
    assert expected == codes(diagnostics)
    assert messages[-1].role == "user"


def test_a_judge_that_asks_for_nothing_misses_nothing() -> None:
    assert build_judge_messages(Judge("j", "Hello"), row({}))[2] == ()


def test_the_answer_is_the_conditions_and_never_the_records_own() -> None:
    judge = Judge("j", "{answer}")
    given_answer = Answer("open", "1", "from the run", place=Location("answers.jsonl", 4))
    messages, _, diagnostics, _ = build_judge_messages(judge, row(ROW), "open", given_answer)
    assert texts(messages) == [("user", "from the run")]
    assert messages[0].segments[0].place == Location("answers.jsonl", 4)
    assert diagnostics == ()
    messages, _, diagnostics, _ = build_judge_messages(judge, row(ROW), "open")
    assert (texts(messages), codes(diagnostics)) == ([("user", "")], ["jdg-no-answer"])
    messages, _, diagnostics, _ = build_judge_messages(judge, row(ROW), "open", Answer("open", "1", None))
    assert (texts(messages), codes(diagnostics)) == ([("user", "")], ["jdg-no-answer"])
    assert texts(build_judge_messages(judge, row(ROW), "open", None, {"answer": "tried"})[0]) == [("user", "tried")]


@pytest.mark.parametrize(
    ("template", "code"),
    [("{question.x}", "jdg-format-field"), ("{0}", "jdg-format-field"), ("{", "jdg-format-syntax")],
)
def test_a_template_that_cannot_be_filled_in_gives_no_messages(template: str, code: str) -> None:
    messages, _, diagnostics, _ = build_judge_messages(Judge("j", template), row(ROW))
    assert (messages, codes(diagnostics)) == ((), [code])
    assert [diagnostic.severity for diagnostic in diagnostics] == [
        "info"
    ]  # a program that replaces names alone takes it
    _, _, diagnostics, _ = build_judge_messages(Judge("j", template, formatted=True), row(ROW))
    assert [(diagnostic.code, diagnostic.severity) for diagnostic in diagnostics] == [(code, None)]


def test_a_field_without_a_name_is_called_by_its_braces() -> None:
    diagnostics = build_judge_messages(Judge("j", "{answer} {} {}"), row(ROW))[2]
    assert [diagnostic.values["field"] for diagnostic in diagnostics] == ["{}"]


def test_a_text_that_names_nothing_to_fill_in_is_shown_as_it_is_and_its_braces_are_said_once() -> None:
    text = 'Read <<talk>>.\nReturn {"met": false} or {{"met": true}} or {"met": null}.\n'
    messages, names, diagnostics, uses = build_judge_messages(
        Judge("j", text, syntax="text", place=Location("j.py", 3)), row(ROW)
    )
    assert (texts(messages), names, uses) == ([("user", text)], (), ())
    ((code, severity, line),) = [
        (diagnostic.code, diagnostic.severity, diagnostic.place.line) for diagnostic in diagnostics
    ]
    assert (code, severity, line) == ("jdg-format-field", "info", 4)


def test_a_rubric_is_filled_in_with_stripped_values_a_blank_line_apart() -> None:
    record = row({"question": " Q? ", "documents": [" one\n", "two"], "gold": " G", "answer": "A\n"})
    assert texts(build_judge_messages(RUBRIC, record)[0]) == [("user", "Q Q?\nC one\n\ntwo\nE G\nA A")]


def test_a_rubric_without_contexts_or_reference_says_so_in_the_prompt() -> None:
    user = "Q Q?\nC (No contexts provided)\nE (No reference answer provided)\nA A."
    messages, _, diagnostics, _ = build_judge_messages(RUBRIC, row({"question": "Q?", "answer": "A."}))
    assert texts(messages) == [("user", user)]
    assert codes(diagnostics) == ["jdg-no-documents", "jdg-gold-missing"]


def test_the_rows_answer_is_a_reference_where_another_answer_is_judged() -> None:
    messages, _, _, _ = build_judge_messages(RUBRIC, row({**ROW, "gold": None}), "run", Answer("run", "1", "mine"))
    assert messages[0].text.endswith("E A.\nA mine")


def test_a_rubric_reads_the_rows_of_its_own_pipeline() -> None:
    record = row({"instruction": "Why?", "rag": {"contexts": ["[1] so"]}, "reference_summary": "R", "answer": "A"})
    messages = build_judge_messages(RUBRIC, record, "run", Answer("run", "1", "mine"))[0]
    assert texts(messages) == [("user", "Q Why?\nC [1] so\nE R\nA mine")]
    names = [s.name for s in messages[0].segments if s.origin == "variable"]
    assert names == ["question", "documents[0]", "gold", "answer"]


def test_a_placeholder_inside_a_value_stays_and_is_noted() -> None:
    messages, _, diagnostics, _ = build_judge_messages(RUBRIC, row({**ROW, "question": "see {{EXPECTED_RESPONSE}}"}))
    assert messages[0].text.startswith("Q see {{EXPECTED_RESPONSE}}\n")
    assert [(n.code, n.flagged) for n in diagnostics] == [("jdg-placeholder-in-data", "{{EXPECTED_RESPONSE}}")]


def test_an_old_rubric_has_bare_words_for_places() -> None:
    judge = Judge("old", "The QUESTION: QUESTION\n{{CONTEXTS}} ASSISTANT_RESPONSE", syntax="placeholder", bare=True)
    user = "The Q?: Q?\n{{D one\n\nD two}} A."
    assert texts(build_judge_messages(judge, row(ROW))[0]) == [("user", user)]


def test_a_rubrics_own_text_knows_its_lines() -> None:
    segments = build_judge_messages(RUBRIC, row(ROW))[0][0].segments
    own = [s.place.line for s in segments if s.origin == "template"]
    assert own == [5, 5, 6, 7]


tricky = st.sampled_from(["{question}", "{{QUESTION}}", "{", "}}"])
values = st.one_of(st.none(), st.text(max_size=20), tricky, st.integers())


@given(values, values, st.one_of(st.none(), st.lists(values, max_size=3)), values)
def test_no_value_is_ever_scanned_again(question: Any, answer: Any, documents: Any, gold: Any) -> None:
    record = row({"question": question, "answer": answer, "documents": documents, "gold": gold})
    said = ["" if value is None else str(value) for value in (question, answer, gold)]
    listed = "".join(f"\nDocument {i}:\n{text}\n" for i, text in enumerate(documents or (), 1))
    reference = f"GOLD REFERENCE ANSWER:\n{said[2]}\n\n" if gold is not None else ""
    user = build_judge_messages(PLAIN, record)[0][-1]
    assert "|".join((*said[:2], listed, reference, "{}")) == user.text


@pytest.mark.parametrize(
    ("gold", "section"), [("", "GOLD REFERENCE ANSWER:\n\n\n"), (None, ""), ("G", "GOLD REFERENCE ANSWER:\nG\n\n")]
)
def test_an_empty_reference_keeps_its_heading_and_no_reference_has_none(gold: str | None, section: str) -> None:
    judge = Judge("j", "{question}|{gold_reference}")
    messages, _, diagnostics, _ = build_judge_messages(judge, row({"question": "Q", "answer": "A", "gold": gold}))
    assert messages[-1].text == f"Q|{section}"
    assert ("jdg-gold-missing" in codes(diagnostics)) == (not gold)
