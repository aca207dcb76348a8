"""Adapter files: what is read, what is inherited, and what the shipped ones add to which task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback import adapters
from readback.adapters import list_additions, load_shipped, read_adapter, takes_system_role
from readback.project_files import ADAPTERS
from readback.prompts.adapter_texts import render_additions
from readback.tasks import DOCUMENT, TASKS, groups_of
from readback.types import Adapter, Addition, Workspace

Write = Callable[[Mapping[str, Any]], Path]
NOTHING = Workspace(root=Path(), name="none")
GROUPS = groups_of(DOCUMENT)
LANGCHAIN = ("langchain", "openrouter", "openai_endpoint")
CLAUDE = ("claude_tool", "claude_agent_sdk")
SILENT = ("langchain_deep_agents", "manual", "taskeval", "no_system")
# A shipped adapter that adds as none of these does: the tasks it adds to.
OTHERS: dict[str, tuple[str, ...]] = {}
SCHEMA = {"json_schema": {"type": "object", "title": "é"}}


def adds(name: str, task: str, **context: Any) -> tuple[str, str]:
    """What a shipped adapter adds to the system and the user message."""
    workspace = replace(NOTHING, context={task: context})
    found = render_additions(workspace, load_shipped()[name], task, {})
    assert found.ok
    system, user = (["".join(s.text for s in part[i]) for part in found.parts] for i in (0, 1))
    return "\n\n".join(filter(None, system)), "\n\n".join(filter(None, user))


def test_the_documents_tasks_are_all_there_with_a_stage_and_a_description() -> None:
    assert len(TASKS) == 21
    assert all(task.stage and task.description.endswith((".", "?")) for task in TASKS.values())
    assert len(GROUPS["R"]) == 5
    assert len(GROUPS["D"]) == len(GROUPS["dj"]) == 7


def test_the_shipped_adapters_are_the_interfaces_of_these_tables_and_no_system() -> None:
    assert {*LANGCHAIN, *CLAUDE, *SILENT, *OTHERS} == {*load_shipped()}
    assert {adapter.wording for adapter in load_shipped().values()} == {"readback"}
    assert [name for name, one in load_shipped().items() if not takes_system_role(one, load_shipped())] == ["no_system"]


@pytest.mark.parametrize("name", sorted({*LANGCHAIN, *CLAUDE, *SILENT, *OTHERS}))
@pytest.mark.parametrize("task", sorted(TASKS))
def test_text_is_added_for_parsing_rubrics_and_deep_judgment_only_or_as_said(name: str, task: str) -> None:
    expected = name not in SILENT and task in OTHERS.get(name, (*GROUPS["P"], *GROUPS["R"], *GROUPS["D"]))
    assert expected == bool(list_additions(load_shipped()[name], task, {}))


@pytest.mark.parametrize("name", LANGCHAIN)
@pytest.mark.parametrize(
    ("task", "context", "system", "user"),
    [
        ("parsing", {}, False, False),
        ("parsing", {"format_instructions": "JSON."}, True, False),
        ("parsing", {"format_instructions": ""}, False, False),
        ("parsing", SCHEMA, False, True),
        ("parsing", {"json_schema": {}}, False, True),
        ("rubric_metric_trait", {}, True, True),
        ("rubric_metric_trait", SCHEMA, True, True),
        ("dj_template_reasoning", {}, True, True),
    ],
)
def test_langchain_adds_what_the_context_calls_for(
    name: str, task: str, context: dict[str, Any], system: bool, user: bool
) -> None:
    assert (system, user) == tuple(bool(text) for text in adds(name, task, **context))


@pytest.mark.parametrize("name", CLAUDE)
@pytest.mark.parametrize("task", ["parsing", "rubric_llm_trait_batch", "dj_rubric_reasoning"])
def test_the_claude_interfaces_add_to_the_system_text_only(name: str, task: str) -> None:
    system, user = adds(name, task, **SCHEMA)
    assert system
    assert not user


def test_the_schema_stands_in_a_fenced_block_spelled_as_python_spells_json() -> None:
    _, user = adds("langchain", "parsing", **SCHEMA)
    assert '```json\n{\n  "type": "object",\n  "title": "\\u00e9"\n}\n```\n\n' in user


def test_the_pieces_of_a_rubric_prompt_come_in_order_an_example_before_a_hint() -> None:
    context = {**SCHEMA, "example_json": '{"a": 1}', "output_format_hint": "HINT"}
    _, user = adds("langchain", "rubric_metric_trait", **context)
    pieces = user.split("\n\n")
    assert pieces[0].endswith(":")
    assert pieces[1].startswith("```json")
    assert '{"a": 1}' in pieces
    assert "HINT" not in user
    assert not user.endswith("\n")
    _, hinted = adds("langchain", "rubric_metric_trait", output_format_hint="HINT")
    assert hinted.split("\n\n")[1] == "HINT"
    assert hinted.split("\n\n")[-1] == pieces[-1]


def test_an_example_given_as_a_value_is_spelled_as_json() -> None:
    _, user = adds("langchain", "rubric_metric_trait", example_json={"a": 1})
    assert '\n\n{\n  "a": 1\n}\n\n' in user


def test_a_cue_comes_last_even_when_there_is_nothing_else() -> None:
    _, user = adds("langchain", "dj_template_reasoning")
    assert user
    assert user in adds("langchain", "dj_template_reasoning", **SCHEMA, parsing_notes="NOTE")[1]


def test_texts_know_the_line_they_begin_on() -> None:
    addition = list_additions(load_shipped()["langchain"], "parsing", {})[0]
    lines = ADAPTERS.joinpath("langchain.yml").read_text("utf-8").splitlines()
    assert addition.user_place.file == "configs/adapters/langchain.yml"
    assert lines[(addition.user_place.line or 0) - 1].strip() == (addition.user or "").splitlines()[0]


def test_a_file_is_read_with_the_places_of_its_faults(write: Write) -> None:
    root = write(
        {
            "house.yml": "name: house\nwording: mine\nsytem_prompt: false\ntasks:\n"
            "  parsng: {system: x}\n  parsing: {sistem: x, user: y}\n  R: 7\n"
        }
    )
    adapter, diagnostics = read_adapter(root / "house.yml", root)
    assert adapter.name == "house"
    assert adapter.system_prompt
    assert list_additions(adapter, "parsing", {})[0].user == "y"
    assert [(diagnostic.code, diagnostic.place.line) for diagnostic in diagnostics] == [
        ("asm-adapter-key", 3),
        ("dat-wrong-value", 2),
        ("asm-adapter-task", 5),
        ("asm-adapter-key", 6),
        ("dat-wrong-value", 7),
    ]
    assert {diagnostic.place.adapter for diagnostic in diagnostics} == {"house"}


@pytest.mark.parametrize("content", ["", "[1, 2]", "just text", "{", "name: [1]\ntasks: 3\n", b"\xff\xfe\x00"])
def test_a_file_of_any_content_gives_an_adapter_that_adds_nothing(write: Write, content: str | bytes) -> None:
    root = write({"odd.yml": content})
    adapter, diagnostics = read_adapter(root / "odd.yml", root)
    assert adapter.name == "odd"
    assert adapter.additions == {}
    assert diagnostics


def adapter(name: str, extends: str | None = None, **rest: Any) -> Adapter:
    return Adapter(name, extends, **rest)


def only(text: str) -> tuple[Addition, ...]:
    return (Addition(system=text),)


def test_an_entry_replaces_the_parents_whole_and_a_task_beats_its_groups() -> None:
    parent = adapter("parent", additions={"rubric": only("rubric"), "D": only("D"), "parsing": only("P")})
    child = adapter("child", "parent", additions={"R": only("R"), "rubric_metric_trait": only("own"), "parsing": ()})
    both = {"parent": parent, "child": child}
    expected = {
        "rubric_metric_trait": only("own"),
        "rubric_llm_trait_single": only("R"),
        "rubric_dynamic_presence_check": only("rubric"),
        "dj_rubric_reasoning": only("D"),
        "parsing": (),
        "generation": (),
    }
    assert expected == {task: list_additions(child, task, both) for task in expected}


def test_a_list_of_entries_is_several_additions_in_order(write: Write) -> None:
    root = write({"a.yml": "tasks: {parsing: [{system: one}, {system: two, user: three}, null, {}]}\n"})
    made, diagnostics = read_adapter(root / "a.yml", root)
    assert diagnostics == ()
    assert [(a.system, a.user) for a in list_additions(made, "parsing", {})] == [("one", None), ("two", "three")]


def test_null_removes_what_the_parent_adds(write: Write) -> None:
    root = write({"a.yml": "extends: claude_tool\ntasks: {parsing: null}\n"})
    made, diagnostics = read_adapter(root / "a.yml", root)
    assert diagnostics == ()
    assert list_additions(made, "parsing", {}) == ()
    assert list_additions(made, "rubric_metric_trait", {}) == list_additions(
        load_shipped()["claude_tool"], "rubric_metric_trait", {}
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("extends: no_system\n", False),
        ("extends: no_system\nsystem_prompt: true\n", True),
        ("extends: manual\n", True),
        ("system_prompt: false\n", False),
        ("extends: nowhere\n", True),
    ],
)
def test_a_system_role_that_is_not_spoken_of_is_the_parents(write: Write, text: str, expected: bool) -> None:
    root = write({"a.yml": text})
    assert expected == takes_system_role(read_adapter(root / "a.yml", root)[0], {})


def test_unknown_parents_and_circles_are_found() -> None:
    listed = {
        "fine": adapter("fine", "langchain"),
        "lost": adapter("lost", "langchian"),
        "a": adapter("a", "b"),
        "b": adapter("b", "a"),
        "self": adapter("self", "self"),
        "onto": adapter("onto", "a"),
    }
    faults = {name: adapters.find_parent_fault(one, listed) for name, one in listed.items()}
    assert {name: (n.code, n.values["nearest"], n.values["cycle"]) for name, n in faults.items() if n} == {
        "lost": ("asm-adapter-parent", "langchain", ""),
        "a": ("asm-adapter-parent", "", "a → b → a"),
        "b": ("asm-adapter-parent", "", "b → a → b"),
        "self": ("asm-adapter-parent", "", "self → self"),
        "onto": ("asm-adapter-parent", "", "a → b → a"),
    }
    assert list_additions(listed["onto"], "parsing", listed) == ()


def test_an_adapter_of_the_workspace_hides_a_shipped_one_of_its_name() -> None:
    own = adapter("langchain", additions={"parsing": only("own")})
    assert adapters.find_adapter("langchain", {"langchain": own}) is own
    assert adapters.find_adapter("nowhere", {}) is None
