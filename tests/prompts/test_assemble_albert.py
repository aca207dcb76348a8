"""Albert modes: the document's template, defaults for false values, limits, and the conversation so far."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from assembled import NOTHING, codes, origins, row, texts

from readback.prompts.assemble import assemble
from readback.types import (
    Prompt,
    Selection,
    Workspace,
)

RAG = (
    "Sources.\n\n{% for chunk in sheet_chunks %}\n"
    "{{chunk.url}} : {{chunk.title}} {% if chunk.context %}({{chunk.context}}){% endif %}\n"
    '{{chunk.text}} {% if not loop.last %}{{"\\n"}}{% endif %}\n'
    "{% endfor %}\n\nQuestion: {{query}}"
)
CHUNKS = [
    {"url": "u1", "title": "t1", "context": "c1", "text": "x1"},
    {"url": "u2", "title": "t2", "text": "x2"},
]


LISTED = "{{ sheet_chunks | map(attribute='text') | join(',') }}{{ query }}"


def albert(template: str = LISTED, **rest: Any) -> Workspace:
    prompt = Prompt("rag", template, settings={"dialect": "albert"}, **rest)
    return replace(NOTHING, prompts={"rag": prompt})


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_documents_rag_template_comes_out_byte_for_byte(end: str) -> None:
    made = assemble(albert(RAG + end), row(query="Q?", sheet_chunks=CHUNKS), Selection(mode="rag"))
    assert texts(made) == [("user", "Sources.\n\n\nu1 : t1 (c1)\nx1 \n\n\nu2 : t2 \nx2 \n\n\nQuestion: Q?")]
    assert ("variable", "sheet_chunks[1].text", "x2") in origins(made, "user")
    empty = assemble(albert(RAG + end), row(query="Q?", sheet_chunks=[]), Selection(mode="rag"))
    assert texts(empty) == [("user", "Sources.\n\n\n\nQuestion: Q?")]
    assert texts(assemble(albert(RAG + end), row(), Selection(mode="rag")))[0][1].endswith("\n\nQuestion: ")
    assert texts(assemble(albert("{{query}}" + end), row(query="Q"), Selection(mode="rag"))) == [("user", "Q")]


FIVE = [{"text": letter} for letter in "abcde"]


@pytest.mark.parametrize(
    ("defaults", "fields", "options", "expected", "noted"),
    [
        ({}, {}, {}, "a,b,c", [(3, 5)]),
        ({"limit": 4}, {}, {}, "a,b,c,d", [(4, 5)]),
        ({"limit": 4}, {"limit": 2}, {}, "a,b", [(2, 5)]),
        ({}, {"limit": 0}, {}, "a,b,c", [(3, 5)]),
        ({"limit": 4}, {"limit": 0}, {}, "a,b,c,d", ["alb-falsy-default", (4, 5)]),
        ({"limit": 4}, {"skip_first": True}, {}, "b,c,d,e", [(4, 5)]),
        ({"limit": 9}, {"skip_first": 1}, {}, "b,c,d,e", [(4, 5)]),
        ({"limit": 5}, {}, {}, "a,b,c,d,e", []),
        ({}, {"limit": "2"}, {}, "a,b", [(2, 5)]),
        ({}, {"limit": "many"}, {}, "a,b,c,d,e", ["alb-bad-limit"]),
        ({}, {"limit": -1}, {}, "a,b,c,d,e", ["alb-bad-limit"]),
        ({"limit": 2}, {}, {"apply_limit": "off"}, "a,b,c,d,e", []),
        ({"limit": 2}, {}, {"albert_dialect": "current"}, "", []),
    ],
)
def test_skip_first_and_limit_choose_among_the_rows_chunks(
    defaults: dict[str, Any], fields: dict[str, Any], options: dict[str, str], expected: str, noted: list[Any]
) -> None:
    workspace = replace(albert(defaults=defaults), options=options)
    made = assemble(workspace, row(sheet_chunks=FIVE, **fields), Selection(mode="rag"))
    assert made.messages[0].text == expected
    found = [
        (n.values["kept"], n.values["given"]) if n.code == "alb-limit-applied" else n.code for n in made.diagnostics
    ]
    assert noted == found


def test_both_lists_of_chunks_are_limited_and_only_those_the_template_reads_are_spoken_of() -> None:
    both = "{{ sheet_chunks | length }}{{ experience_chunks | length }}"
    record = row(sheet_chunks=FIVE, experience_chunks=FIVE)
    assert texts(assemble(albert(both), record, Selection(mode="rag"))) == [("user", "33")]
    assert codes(assemble(albert("{{ query }}"), record, Selection(mode="rag"))) == []


def test_a_default_replaces_every_false_value_and_says_so_where_there_was_one() -> None:
    workspace = albert("{{ a }}{{ b }}{{ c }}", defaults={"a": 1, "b": 2, "c": 3})
    made = assemble(workspace, row(a=0, b=None, c="x"), Selection(mode="rag"))
    assert texts(made) == [("user", "12x")]
    assert origins(made, "user")[0] == ("default", "a", "1")
    assert [(n.code, n.values["name"]) for n in made.diagnostics] == [("alb-falsy-default", "a")]


def test_an_albert_system_prompt_is_plain_text() -> None:
    workspace = albert("{{ query }}", system="Say {{ query }}.")
    made = assemble(workspace, row(query="Q"), Selection(mode="rag"))
    assert texts(made) == [("system", "Say {{ query }}."), ("user", "Q")]


TURNS = [{"role": role, "content": f"{role[0]}{i}"} for i in (1, 2) for role in ("user", "assistant")]


@pytest.mark.parametrize(
    ("history", "expected", "noted"),
    [
        ([], ["S", "R Q"], []),
        (TURNS[:3], ["S", "u1", "a1", "R Q"], []),
        (TURNS, ["S", "u1", "a1", "R Q", "a2"], []),
        (TURNS[1:2], ["S", "a1"], ["alb-history-shape"]),
        ([{"role": "system", "content": "own"}, *TURNS[:1]], ["S", "own", "R Q"], ["alb-history-system"]),
        ("not a list", ["S", "R Q"], ["alb-history-shape"]),
        ([{"content": "x"}], ["S", "R Q"], ["alb-history-shape"]),
    ],
)
def test_the_rendered_text_takes_the_place_of_the_last_question(
    history: Any, expected: list[str], noted: list[str]
) -> None:
    made = assemble(albert("R {{ query }}", system="S"), row(query="Q", history=history), Selection(mode="rag"))
    assert expected == [text for _, text in texts(made)]
    assert noted == codes(made)


def test_the_search_query_comes_from_the_last_three_questions() -> None:
    workspace = albert("{{ search_query }}|{{ query }}|{{ seach_query }}")
    made = assemble(workspace, row(history=[{"role": "user", "content": c} for c in "abcd"]), Selection(mode="rag"))
    assert made.messages[-1].text == "b; c; d|d|d"
    assert texts(assemble(workspace, row(query="Q"), Selection(mode="rag"))) == [("user", "|Q|Q")]


def test_the_option_merge_roles_puts_the_system_text_into_the_first_user_message() -> None:
    prompt = Prompt("a", "{{ query }}", system="SYS")
    workspace = replace(NOTHING, prompts={"a": prompt}, options={"merge_roles": "gemma"})
    assert texts(assemble(workspace, row(query="q"), Selection(mode="a"))) == [("user", "SYS\n\n---\n\nq")]
