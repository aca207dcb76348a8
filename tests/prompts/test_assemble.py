"""From record and choice to messages: modes, tasks, adapters, instructions, choices, notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from assembled import NOTHING, SHORT, codes, origins, row, texts
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.prompts.assemble import assemble
from readback.prompts.messages import compute_fingerprint
from readback.prompts.selections import list_selections
from readback.sources.prompt_formats import CONFIG
from readback.types import (
    Adapter,
    Addition,
    Condition,
    DatasetSource,
    Judge,
    Location,
    Prompt,
    Selection,
)

MODES = replace(NOTHING, prompts={"short": SHORT})


def test_a_mode_renders_system_and_user_text_with_the_origin_of_each_stretch() -> None:
    made = assemble(MODES, row(question="Why?"), Selection(mode="short"))
    assert texts(made) == [("system", "Be brief."), ("user", "Q: Why?")]
    assert origins(made, "system") == [("system", None, "Be "), ("default", "tone", "brief"), ("system", None, ".")]
    assert origins(made, "user") == [("template", None, "Q: "), ("variable", "question", "Why?")]
    assert [name for name, _ in made.names] == ["tone", "question"]
    assert (made.record, made.index, made.diagnostics) == ("r1", 2, ())


def test_a_default_steps_in_for_null_and_not_for_an_empty_text() -> None:
    said = [
        texts(assemble(MODES, row(question="", tone=tone), Selection(mode="short")))[0][1] for tone in (None, "", "x")
    ]
    assert said == ["Be brief.", "Be .", "Be x."]


def test_a_value_that_is_tried_out_replaces_the_records_and_reaches_into_objects() -> None:
    workspace = replace(
        NOTHING,
        prompts={"m": Prompt("m", "{{ q }}|{{ rag.contexts[0] }}|{{ new }}")},
        dataset=DatasetSource("data.jsonl", fields={"q": "question"}),
    )
    record = row(q="Why?", question="Why?", rag={"contexts": ["a", "b"]})
    made = assemble(
        workspace, record, Selection(mode="m"), extra={"question": "How?", "rag.contexts[0]": "A", "new": 1}
    )
    assert texts(made) == [("user", "How?|A|1")]
    assert record.fields["rag"] == {"contexts": ["a", "b"]}


def test_data_that_looks_like_a_template_stays_as_it_is() -> None:
    made = assemble(MODES, row(question="{{ tone }} {% if %} {"), Selection(mode="short"))
    assert made.messages[1].text == "Q: {{ tone }} {% if %} {"


def test_a_broken_template_gives_a_note_and_no_messages() -> None:
    workspace = replace(NOTHING, prompts={"m": Prompt("m", "a\n{{ b", place=Location("m.jinja", 1))})
    made = assemble(workspace, row(), Selection(mode="m"))
    assert (made.messages, made.fingerprint) == ((), "")
    assert codes(made) == ["alb-render-error"]


def test_a_masked_record_makes_a_masked_assembly() -> None:
    assert assemble(MODES, replace(row(question="[masked]"), masked=True), Selection(mode="short")).masked


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Selection(mode="shrt"), "fmt-unknown-mode"),
        (Selection(task="parsing"), "dat-unknown-name"),
        (Selection(condition="nowhere"), "dat-unknown-name"),
        (Selection(judge="nobody"), "dat-unknown-name"),
        (Selection(judge="j", condition="nowhere"), "dat-unknown-name"),
        (Selection(condition="scores only"), "asm-no-user-text"),
        (Selection(), "asm-no-user-text"),
        (Selection(mode="empty"), "asm-no-user-text"),
    ],
)
def test_a_choice_that_leads_nowhere_is_a_note(choice: Selection, code: str) -> None:
    workspace = replace(
        NOTHING,
        prompts={"short": SHORT, "empty": Prompt("empty", None, "S")},
        judges={"j": Judge("j", "x")},
        conditions=(Condition("scores only"),),
    )
    made = assemble(workspace, row(), choice)
    assert (made.messages, codes(made)) == ((), [code])


def test_an_unknown_interface_adds_nothing_and_is_named() -> None:
    made = assemble(MODES, row(question="Why?"), Selection(mode="short", adapter="langchian"))
    assert texts(made) == [("system", "Be brief."), ("user", "Q: Why?")]
    assert [(n.code, n.values["nearest"]) for n in made.diagnostics] == [("asm-unknown-interface", "langchain")]


PROJECT = Adapter(
    "house",
    additions={
        "parsing": (
            Addition("SYS {{ json_schema | json_block }}", "USER {{ hint }}", Location("house.yml", 3)),
            Addition(user="{% if format_instructions is none %}none{% endif %}\n"),
        )
    },
)
TASK = Prompt("parsing", "Extract: {{ answer }}", "Base.", place=Location("tasks.yml", 2))
TRI = replace(
    NOTHING,
    tasks={"parsing": TASK},
    adapters={"house": PROJECT},
    instructions={"parsing": "Never {{ render }} me. "},
    context={"parsing": {"json_schema": {"a": 1}, "hint": "from context"}},
)


def test_task_adapter_and_instruction_follow_each_other_with_joiners() -> None:
    made = assemble(TRI, row(answer="A", hint="from record"), Selection(task="parsing", adapter="house"))
    assert texts(made) == [
        ("system", 'Base.\n\nSYS {\n  "a": 1\n}\n\nNever {{ render }} me. '),
        ("user", "Extract: A\n\nUSER from context\n\nnone"),
    ]
    assert [s.origin for s in made.messages[0].segments] == [
        "task", "joiner", "adapter", "variable", "joiner", "instruction",
    ]  # fmt: skip
    assert ("adapter", "house", "SYS ") in origins(made, "system")
    assert ("instruction", "parsing", "Never {{ render }} me. ") in origins(made, "system")
    assert made.diagnostics == ()


def test_without_an_adapter_the_instruction_still_comes_last() -> None:
    made = assemble(TRI, row(answer="A"), Selection(task="parsing"))
    assert texts(made) == [("system", "Base.\n\nNever {{ render }} me. "), ("user", "Extract: A")]


def test_a_mode_with_a_task_takes_only_additions_and_instruction_from_it() -> None:
    workspace = replace(TRI, prompts={"short": SHORT})
    made = assemble(workspace, row(question="Why?"), Selection(mode="short", task="parsing", adapter="house"))
    assert [message.text[:9] for message in made.messages] == ["Be brief.", "Q: Why?\n\n"]
    assert made.messages[0].text.endswith("Never {{ render }} me. ")
    alone = assemble(workspace, row(question="W"), Selection(mode="short"))
    assert texts(alone) == [("system", "Be brief."), ("user", "Q: W")]


def test_a_group_instruction_reaches_its_tasks() -> None:
    workspace = replace(TRI, tasks={"dj_rubric_reasoning": TASK}, instructions={"deep_judgment": "Slowly."})
    made = assemble(workspace, row(), Selection(task="dj_rubric_reasoning"))
    assert origins(made, "system")[-1] == ("instruction", "deep_judgment", "Slowly.")


def test_without_a_system_role_the_system_text_opens_the_user_message() -> None:
    apart = assemble(TRI, row(answer="A"), Selection(task="parsing"))
    folded = assemble(TRI, row(answer="A"), Selection(task="parsing", adapter="no_system"))
    assert "\n\n".join(text for _, text in texts(apart)) == folded.messages[0].text
    assert [role for role, _ in texts(folded)] == ["user"]
    assert codes(folded) == ["asm-system-folded"]
    end = folded.diagnostics[0].place.end
    assert folded.messages[0].text[:end] == apart.messages[0].text


def test_an_adapter_that_cannot_be_rendered_leaves_no_messages() -> None:
    broken = replace(PROJECT, additions={"parsing": (Addition(user="{{ oops"),)})
    made = assemble(replace(TRI, adapters={"house": broken}), row(), Selection(task="parsing", adapter="house"))
    assert (made.messages, codes(made)) == ((), ["asm-adapter-error"])


@pytest.mark.parametrize(
    ("text", "fields", "expected"),
    [
        ("{{ x }}", {"x": " "}, ["asm-blank-addition"]),
        ("{{ x }}", {"x": ""}, []),
        ("{{ json_schema }}", {}, ["asm-no-schema"]),
        ("{{ json_schema }}", {"json_schema": None}, []),
    ],
)
def test_an_addition_of_blanks_and_a_missing_schema_are_noted(
    text: str, fields: dict[str, Any], expected: list[str]
) -> None:
    house = Adapter("house", additions={"parsing": (Addition(user=text),)})
    workspace = replace(TRI, adapters={"house": house}, context={})
    made = assemble(workspace, row(**fields), Selection(task="parsing", adapter="house"))
    assert expected == codes(made)


def test_no_schema_is_missed_where_there_never_is_one() -> None:
    workspace = replace(TRI, tasks={"dj_template_reasoning": TASK}, context={})
    made = assemble(workspace, row(), Selection(task="dj_template_reasoning", adapter="langchain"))
    assert made.diagnostics == ()


def test_a_missing_answer_weighs_less_where_the_condition_was_not_run_yet() -> None:
    workspace = replace(
        NOTHING,
        judges={"j": Judge("j", "{answer}")},
        conditions=(Condition("run", judge="j", answers="run.jsonl"), Condition("planned", judge="j")),
    )
    made = [assemble(workspace, row(), Selection(condition=name, judge="j")) for name in ("run", "planned")]
    assert [[(n.code, n.severity) for n in one.diagnostics] for one in made] == [
        [("jdg-no-answer", None)],
        [("jdg-no-answer", "info")],
    ]


def test_conditions_come_first_then_tasks_then_judges() -> None:
    workspace = replace(
        NOTHING,
        prompts={"short": SHORT},
        tasks={"parsing": TASK, "extra": TASK},
        adapters={"house": PROJECT},
        judges={"j": Judge("j", "x"), "alone": Judge("alone", "x")},
        conditions=(
            Condition("b", mode="short", judge="j"),
            Condition("a", task="parsing", judge="gone"),
            Condition("scores only"),
        ),
    )
    assert list_selections(workspace) == (
        Selection(condition="b"),
        Selection(condition="a"),
        Selection(task="extra"),
        Selection(task="extra", adapter="house"),
        Selection(condition="b", judge="j"),
        Selection(judge="alone"),
    )


def test_without_conditions_every_mode_goes_through_every_adapter() -> None:
    workspace = replace(NOTHING, prompts={"m": SHORT, "n": SHORT}, adapters={"house": PROJECT})
    assert list_selections(workspace) == tuple(Selection(mode=m, adapter=a) for m in "mn" for a in (None, "house"))
    assert list_selections(NOTHING) == ()


NAMES = ("question", "answer", "instruction", "contexts", "sheet_chunks", "limit", "gold", "documents")
NAMES = ("question", "answer", "instruction", "contexts", "sheet_chunks", "limit", "gold", "documents")
KINDS = st.one_of(st.none(), st.text(max_size=8), st.integers(), st.lists(st.text(max_size=4), max_size=3))
EVERY = replace(
    TRI,
    prompts={
        **CONFIG.prompts,
        "short": SHORT,
        "albert": Prompt("albert", "{{ sheet_chunks }}{{ query }}", settings={"dialect": "albert"}),
    },
    adapters={"house": PROJECT, "no_system": Adapter("no_system", system_prompt=False)},
    judges={"j": Judge("j", "{question}{answer}{documents}{gold_reference}", "S")},
)


@settings(max_examples=some(20), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(NAMES),
        KINDS,
    )
)
def test_any_record_assembles_the_same_way_twice_and_segments_join_to_texts(fields: dict[str, Any]) -> None:
    for choice in list_selections(EVERY):
        made = assemble(EVERY, row(**fields), choice)
        assert made == assemble(EVERY, row(**fields), choice)
        assert made.fingerprint == (compute_fingerprint(made.messages) if made.messages else "")
        assert made.messages or made.diagnostics
        assert all(segment.text for message in made.messages for segment in message.segments)
