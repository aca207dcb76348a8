"""The later Albert program, option `albert_dialect: current`: what it fills, whom it sends, what it loses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from assembled import NOTHING, codes, origins, row, texts
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.checks.run import engine
from readback.prompts import model_input
from readback.prompts.albert import expand_acronyms
from readback.prompts.assemble import assemble
from readback.types import Condition, Model, Prompt, PromptConfig, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
LIST = "{{ %s | map(attribute='text') | join(',') }}"
CHUNKS = [{"text": letter} for letter in "abcde"]
TURNS = [{"role": role, "content": f"{role[0]}{i}"} for i in (1, 2) for role in ("user", "assistant")]


def albert(template: str = "R {{ query }}", chat_format: str | None = None, **options: str) -> Workspace:
    prompt = Prompt("rag", template, "SYS", settings={"dialect": "albert"})
    config = PromptConfig("prompt_config.yml", "albert", {"rag": prompt}, chat_format=chat_format)
    return replace(
        NOTHING, prompts={"rag": prompt}, configs=(config,), options={"albert_dialect": "current", **options}
    )


def served(opened: Workspace, model: Model) -> Workspace:
    return replace(opened, models={model.name: model}, conditions=(Condition("c", mode="rag", model=model.name),))


@pytest.mark.parametrize(
    ("name", "classic", "current"),
    [
        ("sheet_chunks", "a,b,c", ""),
        ("experience_chunks", "a,b,c", ""),
        ("chunks_collection", "", "a,b,c"),
        ("spp_experiences_collection", "", "a,b,c"),
        ("documents", "a,b,c,d,e", "a,b,c,d,e"),
    ],
)
def test_each_program_fills_its_own_names_and_no_others(name: str, classic: str, current: str) -> None:
    record = row(query="Q", **{name: CHUNKS})
    for dialect, expected in (("classic", classic), ("current", current)):
        made = assemble(albert(LIST % name, albert_dialect=dialect), record, Selection(mode="rag"))
        assert made.messages[-1].text == expected
        assert ("alb-limit-applied" in codes(made)) == (expected == "a,b,c")


def test_a_field_of_such_a_name_that_is_no_list_is_a_value_like_any_other() -> None:
    made = assemble(
        albert("{{ art_collection }}", albert_dialect="classic"), row(art_collection="x"), Selection("", "rag")
    )
    assert made.messages[-1].text == "x"


@pytest.mark.parametrize(
    ("model", "history", "expected"),
    [
        ("llama3", [], [("system", "SYS"), ("user", "R Q")]),
        ("org/gemma-2-9b", [], [("user", "SYS\n\n---\n\nR Q")]),
        ("gemma-2", [], [("user", "SYS\n\n---\n\nR Q")]),
        ("my-gemma", [], [("system", "SYS"), ("user", "R Q")]),
        ("llama3", TURNS[:3], [("system", "SYS"), ("user", "u1"), ("assistant", "a1"), ("user", "R Q")]),
        ("gemma", TURNS[:3], [("user", "SYS\n\n---\n\nu1"), ("assistant", "a1"), ("user", "R Q")]),
        ("llama3", [{"role": "system", "content": "own"}, *TURNS[:1]], [("system", "own"), ("user", "R Q")]),
        ("gemma", [{"role": "system", "content": "own"}, *TURNS[:1]], [("user", "own\n\n---\n\nR Q")]),
        ("llama3", [TURNS[0], TURNS[2]], [("system", "SYS"), ("user", "u1\n\n---\n\nR Q")]),
        ("llama3", TURNS[1:3], [("system", "SYS"), ("user", ""), ("assistant", "a1"), ("user", "R Q")]),
        ("gemma", TURNS[1:3], [("user", "SYS\n\n---\n\n"), ("assistant", "a1"), ("user", "R Q")]),
    ],
)
def test_messages_are_made_to_fit_the_model(model: str, history: list[Any], expected: list[tuple[str, str]]) -> None:
    made = assemble(served(albert(), Model(model)), row(query="Q", history=history), Selection(condition="c"))
    assert expected == texts(made)


def test_the_name_of_the_served_model_counts_before_its_name_in_the_workspace() -> None:
    model = Model("ours", settings={"model": "google/gemma-2-9b-it"})
    made = assemble(served(albert(), model), row(query="Q"), Selection(condition="c"))
    assert texts(made) == [("user", "SYS\n\n---\n\nR Q")]


def test_the_program_of_the_document_merges_nothing() -> None:
    opened = served(albert(albert_dialect="classic"), Model("gemma"))
    made = assemble(opened, row(query="Q", history=[TURNS[0], TURNS[2]]), Selection(condition="c"))
    assert texts(made) == [("system", "SYS"), ("user", "u1"), ("user", "R Q")]


def test_a_system_prompt_that_comes_with_the_record_is_used_or_ignored() -> None:
    record = row(query="Q", system_prompt="Mine.")
    classic = assemble(albert(albert_dialect="classic"), record, Selection(mode="rag"))
    assert origins(classic, "system") == [("variable", "system_prompt", "Mine.")]
    current = assemble(albert(), record, Selection(mode="rag"))
    assert (texts(current)[0], codes(current)) == (("system", "SYS"), ["alb-system-argument-ignored"])
    assert codes(assemble(albert(), row(query="Q", system_prompt="SYS"), Selection(mode="rag"))) == []
    plain = replace(NOTHING, prompts={"m": Prompt("m", "x")})
    assert texts(assemble(plain, record, Selection(mode="m"))) == [("user", "x")]


def test_prompt_format_is_not_read_and_the_list_of_messages_is_sent() -> None:
    opened = albert(chat_format="llama-chat")
    made = assemble(opened, row(query="Q"), Selection(mode="rag"))
    sent = model_input.build_model_input(opened, row(query="Q"), made, None, False)
    assert sent
    assert (sent.format, json.loads(sent.text)) == (
        "null",
        [{"role": "system", "content": "SYS"}, {"role": "user", "content": "R Q"}],
    )


def test_chatml_strips_the_system_prompt_and_writes_each_message_once_where_it_is_repaired() -> None:
    opened = served(albert(chatml_bug="fixed"), Model("m", chat_format="chatml"))
    prompt = replace(opened.prompts["rag"], system=" SYS\n")
    opened = replace(opened, prompts={"rag": prompt})
    made = assemble(opened, row(query="Q"), Selection(condition="c"))
    sent = model_input.build_model_input(opened, row(query="Q"), made, opened.conditions[0], False)
    assert sent
    assert sent.text == "<|im_start|>system\nSYS<|im_end|>\n<|im_start|>user\nR Q<|im_end|>\n<|im_start|>assistant\n"


CONFIG = "system_prompt: SYS\nprompts: [{mode: bare}]\n"


@pytest.mark.parametrize(("dialect", "missing"), [("classic", True), ("current", False)])
def test_a_mode_without_a_template_sends_the_bare_query(write: Write, dialect: str, missing: bool) -> None:
    root = write(
        {
            "readback.yml": f"prompts: [prompt_config.yml]\noptions: {{albert_dialect: {dialect}}}\n",
            "prompt_config.yml": CONFIG,
        }
    )
    opened = workspace.open(root)
    assert missing == any(diagnostic.code == "alb-template-missing" for diagnostic in opened.diagnostics)
    made = assemble(opened, row(query=" {{ Q }}\n"), Selection(mode="bare"))
    assert texts(made) == [("system", "SYS"), ("user", " {{ Q }}\n")]


@pytest.mark.parametrize(
    ("kind", "over"),
    [("gemma", True), ("google/gemma-2", True), ("llama3", False), (None, False)],
)
def test_the_budget_of_the_models_kind_goes_first(write: Write, kind: str | None, over: bool) -> None:
    condition = (
        f"models: {{m: {{settings: {{model: {kind}}}}}}}\nconditions: [{{name: c, mode: a, model: m}}]\n"
        if kind
        else ""
    )
    head = "dataset: d.jsonl\nprompts: [prompt_config.yml]\noptions: {albert_dialect: current}\n"
    root = write(
        {
            "readback.yml": head + condition,
            "prompt_config.yml": "max_tokens: 900\nmodels: [{model_kind: gemma, max_tokens: 10}]\n"
            "prompts: [{mode: a, template: t.j}]\n",
            "t.j": "{{ query }}",
            "d.jsonl": [{"id": "1", "query": "word " * 20}],
        }
    )
    assert over == ("alb-over-budget" in engine.check(workspace.open(root)).counts)


@pytest.mark.parametrize(
    ("turns", "dropped"),
    [(1, 0), (3, 2), (5, 4), (7, 6), (4, 3), (2, 1)],
)
def test_the_history_that_the_program_would_leave_out_is_counted_in_pairs(
    write: Write, turns: int, dropped: int
) -> None:
    history = [{"role": "assistant" if i % 2 else "user", "content": "word " * 10} for i in range(turns)]
    if turns % 2 == 0:  # ends with the answer, as for training
        history = [{"role": "user" if i % 2 == 0 else "assistant", "content": "word " * 10} for i in range(turns)]
    root = write(
        {
            "prompt_config.yml": "prompt_format: chatml\nmax_tokens: 10\nprompts: [{mode: a, template: t.j}]\n",
            "t.j": "{{ query }}",
            "d.jsonl": [{"id": "1", "query": "word " * 10, "history": history}],
        }
    )
    found = [one for one in engine.check(workspace.open(root)).findings if one.code == "alb-over-budget"]
    assert [one.values["turns"] for one in found] == [dropped]


TABLE = {"CNI": "carte nationale d'identité", "SIREN": "numéro d'entreprise", "X2": "never", "apl": "aide au logement"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Ma CNI ?", "Ma CNI (carte nationale d'identité) ?"),
        ("Ma CNI (carte nationale d'identité) ?", None),
        ("APL et CNI", "APL (aide au logement) et CNI (carte nationale d'identité)"),
        ("ma cni", None),
        ("X2 is too short", None),
        ("MACNI", None),
        ("Fin. CNI", None),
        ("CNI " + "WORD " * 10, None),
        ("", None),
    ],
)
def test_acronyms_of_the_table_are_spelled_out_in_the_query(query: str, expected: str | None) -> None:
    assert expand_acronyms(query, TABLE) == (query if expected is None else expected)
    opened = replace(albert("{{ query }}", albert_dialect="classic"), acronyms=TABLE)
    made = assemble(opened, row(query=query), Selection(mode="rag"))
    assert ("alb-query-changed" in codes(made)) == (expected is not None)
    assert codes(assemble(replace(opened, acronyms={}), row(query=query), Selection(mode="rag"))) == []


@given(st.text(alphabet="CNIAPLb .('é\n", max_size=40))
def test_spelling_out_only_ever_inserts_long_forms(query: str) -> None:
    sent = expand_acronyms(query, TABLE)
    for long in TABLE.values():
        sent = sent.replace(f" ({long})", "")
    assert sent == query


def test_a_query_from_the_history_is_said_to_be_one() -> None:
    made = assemble(albert(), row(history=TURNS[:1]), Selection(mode="rag"))
    assert [(n.code, n.values["why"], n.values["sent"]) for n in made.diagnostics] == [
        ("alb-query-changed", "history", "u1")
    ]
