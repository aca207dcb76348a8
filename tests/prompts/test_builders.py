"""The built-in prompt formats: every builder's bytes, every spelling, every context rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.prompts.builders import build_user_message, normalise_contexts
from readback.prompts.render import Rendered
from readback.types import Location, Record

Q = {"instruction": "  What is X?\n"}
C = {**Q, "rag": {"contexts": ["alpha", "beta"], "prompt": " stored \n"}}
B1 = "Question: What is X?\n\nAnswer:"
B2 = (
    "Answer the following question based on your knowledge. Do not include citations or source references as no "
    "sources are provided. Provide a clear and concise response.\n\nQuestion: What is X?\n\nAnswer:"
)
B2_SHORT = (
    "Answer the following question based on your knowledge. Provide a clear and concise response."
    "\n\nQuestion: What is X?\n\nAnswer:"
)
B3 = (
    "Question: What is X?\n\nContext:\n[1] alpha\n\n[2] beta\n\nAnswer using the provided context. Cite sources inline "
    "as [#] based on the order of the snippets. If the answer is not in the context, say you don't know.\n\nAnswer:"
)
B3_DOCUMENT = (
    "Question: What is X?\n\nContext:\n[1] alpha\n[2] beta\n\nAnswer using the provided context. Cite sources inline "
    "as [#] based on the order of the snippets.\nIf the answer is not in the context, say you don't know.\n\nAnswer:"
)
B4 = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
    " If the answer is not in the context, say you don't know.\n\nContext:\n[1] alpha\n\n[2] beta\n\n"
    "Question: What is X?\nAnswer:"
)
NONE = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
    " If the answer is not in the context, say you don't know.\n\nContext:\n(No contexts provided)\n\n"
    "Question: What is X?\nAnswer:"
)


def text(rendered: Rendered) -> str:
    return "".join(segment.text for segment in rendered.segments)


def codes(rendered: Rendered) -> list[str]:
    return [diagnostic.code for diagnostic in rendered.diagnostics]


def row(fields: Mapping[str, Any]) -> Record:
    return Record("1", fields, Location(file="data.jsonl", line=7, index=0))


@pytest.mark.parametrize(
    ("mode", "model_type", "options", "expected"),
    [
        ("instruction", "base", {}, B1),
        ("instruction", "instruction_only", {}, B1),
        ("instruction", None, {}, B1),
        ("instruction", "rag_trained", {}, B2),
        ("instruction", "rag_trained", {"closed_book": "no_citations"}, B2),
        ("instruction", "rag_trained", {"closed_book": "short"}, B2_SHORT),
        ("hybrid", "instruction_only", {}, B3),
        ("hybrid", None, {"condition4": "hybrid", "spacing": "program"}, B3),
        ("rag", "instruction_only", {}, B3),
        ("rag", "instruction_only", {"spacing": "document"}, B3_DOCUMENT),
        ("rag", "instruction_only", {"condition4": "standard"}, B4),
        ("rag", "instruction_only", {"condition4": "standard", "spacing": "document"}, B4),
        ("standard", None, {}, B4),
        ("rag", "base", {}, " stored \n"),
        ("rag", "rag_trained", {}, " stored \n"),
        ("rag", None, {}, " stored \n"),
    ],
)
def test_every_builder_gives_its_bytes(
    mode: str, model_type: str | None, options: dict[str, str], expected: str
) -> None:
    made = build_user_message(mode, row(C), model_type, options)
    assert expected == text(made)
    assert made.ok
    assert codes(made) == []


def test_each_stretch_says_where_it_comes_from() -> None:
    expected = [
        ("template", "rag format"),
        ("variable", "instruction"),
        ("template", "rag format"),
        ("template", "context number"),
        ("variable", "rag.contexts[0]"),
        ("joiner", None),
        ("template", "context number"),
        ("variable", "rag.contexts[1]"),
        ("template", "rag format"),
    ]
    segments = build_user_message("rag", row(C), "instruction_only").segments
    assert expected == [(s.origin, s.name) for s in segments]
    assert Location(file="data.jsonl", line=7, field="rag.contexts[1]") == segments[7].place


@pytest.mark.parametrize("contexts", [[], [None], None])
def test_condition_4_without_contexts_is_the_question_alone_and_says_so(contexts: Any) -> None:
    made = build_user_message("hybrid", row({**Q, "rag": {"contexts": contexts}}), "instruction_only")
    assert text(made) == B1
    assert "fmt-no-contexts" in codes(made)


def test_a_rebuilt_standard_prompt_without_contexts_says_that_there_are_none() -> None:
    assert text(build_user_message("standard", row(Q))) == NONE


@pytest.mark.parametrize("fields", [{}, {"instruction": " \n"}, {"instruction": None}, {"instruction": 3}])
@pytest.mark.parametrize("mode", ["instruction", "hybrid", "standard"])
def test_a_row_that_asks_nothing_gives_no_prompt(mode: str, fields: dict[str, Any]) -> None:
    made = build_user_message(mode, row({**fields, "rag": {"contexts": ["a"]}}))
    assert codes(made) == ["fmt-empty-instruction"]
    assert (made.ok, made.segments) == (False, ())


NO_PROMPT = [{}, {"rag": {"prompt": ""}}, {"rag": {"prompt": 3}}, {"rag": "no"}, {"prompt": "p"}]


@pytest.mark.parametrize("fields", NO_PROMPT)
def test_a_missing_stored_prompt_is_an_error_of_the_row(fields: dict[str, Any]) -> None:
    made = build_user_message("rag", row({**Q, **fields}), "rag_trained")
    assert codes(made) == ["fmt-stored-prompt-missing"]
    assert (made.ok, made.segments) == (False, ())


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"rag": {"prompt": "P"}, "rag_prompt": "other"}, "rag.prompt"),
        ({"rag_prompt": "P"}, "rag_prompt"),
        ({"prompt": "P", "contexts": []}, "prompt"),
    ],
)
def test_the_stored_prompt_is_found_under_every_spelling(fields: dict[str, Any], name: str) -> None:
    made = build_user_message("rag", row(fields), "base")
    assert [("P", "variable", name)] == [(s.text, s.origin, s.name) for s in made.segments]


def test_contexts_at_the_top_level_are_contexts() -> None:
    made = build_user_message("hybrid", row({**Q, "contexts": ["alpha", "beta"]}))
    assert text(made) == B3
    assert [s.name for s in made.segments if s.name and "contexts" in s.name] == ["contexts[0]", "contexts[1]"]


def test_contexts_that_are_no_list_count_as_none() -> None:
    made = build_user_message("hybrid", row({**Q, "rag": {"contexts": "alpha"}}))
    assert text(made) == B1
    assert codes(made) == ["fmt-context-not-text", "fmt-no-contexts"]


@pytest.mark.parametrize(
    ("items", "expected", "noted"),
    [
        (["a", "b"], ["[1] a", "[2] b"], []),
        (["[1] a", "b"], ["[1] [1] a", "[2] b"], ["fmt-context-double-number"]),
        (["[2] a", "[2] b"], ["[2] a", "[2] b"], ["fmt-context-order"]),
        ([" ", ""], ["[1] ", "[2] "], ["fmt-context-empty", "fmt-context-empty"]),
        (["[CMG+18] x"], ["[1] [CMG+18] x"], []),
        ([{"k": 1}], ["[1] {'k': 1}"], ["fmt-context-not-text"]),
        ([1], ["[1] 1"], ["fmt-context-not-text"]),
        (["a", None, "b"], ["[1] a", "[2] b"], ["fmt-context-empty"]),
        ([" [1] a ", "[2]b"], ["[1] a", "[2]b"], []),
        ([], [], []),
    ],
)
def test_contexts_are_numbered_as_the_program_does(items: list[Any], expected: list[str], noted: list[str]) -> None:
    made = normalise_contexts(items)
    assert expected == ["".join(s.text for s in segments) for segments in made.texts]
    assert noted == [diagnostic.code for diagnostic in made.diagnostics]


def test_a_context_finding_names_its_item() -> None:
    made = normalise_contexts([None, "[1] a", "b"])
    fields = [diagnostic.place.field for diagnostic in made.diagnostics]
    assert fields == ["rag.contexts[0]", "rag.contexts[1]"]


@given(st.lists(st.one_of(st.text(max_size=9), st.none(), st.integers(), st.sampled_from(["[1] a", "[2]", " [3] "]))))
def test_numbering_keeps_every_context_in_order(items: list[Any]) -> None:
    made = normalise_contexts(items)
    kept = [str(item).strip() for item in items if item is not None]
    texts = ["".join(s.text for s in segments) for segments in made.texts]
    assert [value for value in kept if value] == [s.text for t in made.texts for s in t if s.origin == "variable"]
    assert all(whole.endswith(value) for whole, value in zip(texts, kept, strict=True))


@pytest.mark.realdata
def test_the_published_rows_are_sent_as_stored_and_rebuilt_from_their_contexts(shared: Path) -> None:
    lines = (shared / "data/prompt-formats/offline_dataset.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 16
    for fields in rows:
        assert fields["rag"]["prompt"] == text(build_user_message("rag", row(fields), "rag_trained"))
        hybrid = text(build_user_message("rag", row(fields), "instruction_only"))
        assert all(context.strip() in hybrid for context in fields["rag"]["contexts"])
