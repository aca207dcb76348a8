"""Presets and verification configurations: recognised, read, masked, and turned into the conditions they describe."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.checks import rules
from readback.checks.run import engine
from readback.prompts.assemble import assemble
from readback.prompts.selections import list_selections
from readback.readers.yaml.yaml_file import Parsed
from readback.sources import instructions, verification
from readback.sources.instruction_keys import SHORTCUTS
from readback.tasks import CURRENT
from readback.types import Record, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
ANSWERING = {"id": "a", "interface": "langchain", "model_name": "small", "system_prompt": "You answer."}
PARSING = {"id": "p", "interface": "claude_tool", "model_name": "large"}
CONFIG = {"answering_models": [ANSWERING], "parsing_models": [PARSING], "prompt_config": {"parsing": "P"}}
PRESET = {"_comment": "x", "id": "1", "name": "Strict", "created_at": "2026-01-01", "config": CONFIG}
YAML = "parsing_models:\n  - {interface: claude_tool, model_name: m}\nprompt_config:\n  parsing: P\n"
TASKS = """\
prompts: [preset.json]
tasks:
  generation: {user: "{{ question }}"}
  parsing: {system: Read., user: "{{ question }}"}
  abstention_detection: {system: Did it answer?, user: "{{ question }}"}
"""


@pytest.mark.parametrize(
    ("name", "content", "shape"),
    [
        ("p.json", PRESET, "preset"),
        ("p.yml", json.dumps(PRESET), "preset"),
        ("named.json", {"id": "1", "name": "n", "config": {"evaluation_mode": "rubric_only"}}, "preset"),
        ("c.json", CONFIG, "verification config"),
        ("c.yaml", YAML, "verification config"),
        ("parsing.json", {"parsing_models": [PARSING]}, "verification config"),
        ("i.json", {"parsing": "P", "generation": None}, "user instructions"),
        ("i.yml", "parsing: P\n", "user instructions"),
        ("remarked.json", {"_comment": "x", "parsing": "P"}, "user instructions"),
    ],
)
@pytest.mark.parametrize("as_file", [False, True], ids=["folder", "file"])
def test_a_file_of_each_shape_opens_alone_and_says_what_it_was_taken_for(
    write: Write, name: str, content: Any, shape: str, as_file: bool
) -> None:
    root = write({name: content})
    opened = workspace.open(root / name if as_file else root)
    assert [(one.path, one.used, one.what) for one in opened.recognised] == [(name, True, shape)]
    assert opened.configs[0].settings["shape"] == shape


def test_the_models_keep_interface_name_and_prompt_and_no_secret(write: Write) -> None:
    model = {
        **ANSWERING,
        "endpoint_api_key": "hush-1",
        "extra_kwargs": {"deep": {"auth_token": "hush-2"}, "max_tokens": 7},
        "mcp_urls_dict": {"tools": "https://me:hush-3@host/mcp?api_key=hush-4&x=1"},
    }
    opened = workspace.open(write({"p.json": {**PRESET, "config": {**CONFIG, "answering_models": [model]}}}))
    said = opened.configs[0].settings["answering_models"][0]
    assert "hush" not in repr(opened)
    assert (said["interface"], said["model_name"], said["system_prompt"]) == ("langchain", "small", "You answer.")
    assert said["extra_kwargs"] == {"deep": {"auth_token": "[masked]"}, "max_tokens": 7}
    assert len([diagnostic for diagnostic in opened.diagnostics if diagnostic.code == "dat-secret-masked"]) == 3


def test_what_is_unknown_inside_is_a_finding_with_the_nearest_key_and_what_is_obsolete_is_said(write: Write) -> None:
    config = {
        **CONFIG,
        "_comment_on_models": "x",
        "rubric_enabled": True,
        "deep_judgment_rubric_search_enabled": True,
        "abstention_enable": True,
        "evaluation_mode": "templates_only",
        "parsing_only": "yes",
        "prompt_config": {"_comment": "y", "parsin": "P"},
    }
    opened = workspace.open(write({"p.json": {**PRESET, "surprise": 1, "config": config}}))
    unknown = {
        diagnostic.values["key"]: diagnostic.values["nearest"]
        for diagnostic in opened.diagnostics
        if diagnostic.code == "dat-unknown-key"
    }
    assert unknown == {"abstention_enable": "abstention_enabled", "parsin": "parsing"}
    assert {n.values["where"] for n in opened.diagnostics if n.code == "dat-wrong-value"} == {
        "config.evaluation_mode",
        "config.parsing_only",
    }
    assert opened.recognised[0].detail == ("obsolete and left out: rubric_enabled, deep_judgment_rubric_search_enabled")
    assert not {"rubric_enabled", "deep_judgment_rubric_search_enabled"} & set(opened.configs[0].settings)
    assert all(diagnostic.place.line for diagnostic in opened.diagnostics)


def test_shortcuts_fill_only_what_is_null_and_each_text_knows_its_line(write: Write) -> None:
    text = (
        '{"id": "1", "name": "n", "config": {\n"parsing_models": [],\n"parsing_instructions": "P",\n'
        '"generation_instructions": "not taken",\n"prompt_config": {\n"parsing": null,\n"generation": "G"}}}'
    )
    opened = workspace.open(write({"p.json": text}))
    assert opened.instructions == {"generation": "G", "parsing": "P"}
    assert {key: place.line for key, place in opened.instruction_places.items()} == {"generation": 7, "parsing": 3}


def conditions(workspace: Workspace) -> list[tuple[str, str | None, str | None]]:
    return [(one.name, one.task, one.adapter) for one in workspace.conditions]


def test_each_task_that_runs_and_has_a_text_is_a_condition_through_its_interface(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": TASKS, "preset.json": PRESET}))
    assert conditions(opened) == [
        ("generation · langchain", "generation", "langchain"),
        ("parsing · claude_tool", "parsing", "claude_tool"),
    ]
    assert list_selections(opened) == tuple(Selection(condition=one.name) for one in opened.conditions)
    made = assemble(opened, Record("1", {"question": "Why?"}), Selection(condition="generation · langchain"))
    assert [(m.role, m.text) for m in made.messages] == [("system", "You answer."), ("user", "Why?")]
    made = assemble(opened, Record("1", {"question": "Why?"}), Selection(condition="parsing · claude_tool"))
    assert made.messages[0].text.startswith("Read.\n\n")
    assert made.messages[0].text.endswith("\n\nP")
    assert made.messages[0].segments[-1].place.file == "preset.json"


def test_two_models_behind_one_interface_are_told_apart_and_the_same_model_twice_is_one_condition(write: Write) -> None:
    models = [PARSING, {**PARSING, "id": "q"}, {**PARSING, "id": "q"}, {**PARSING, "interface": "manual"}]
    config = {**CONFIG, "parsing_models": models, "parsing_only": True}
    opened = workspace.open(write({"readback.yml": TASKS, "preset.json": {**PRESET, "config": config}}))
    assert [name for name, _, _ in conditions(opened)] == [
        "parsing · claude_tool · p",
        "parsing · claude_tool · q",
        "parsing · manual",
    ]


@pytest.mark.parametrize(
    "own",
    [
        "conditions: [{name: mine, task: parsing, adapter: langchain}]\n",
        "modes: [{mode: short, template: Why?}]\n",
    ],
)
def test_a_workspace_with_conditions_of_its_own_gets_none_made_up(write: Write, own: str) -> None:
    opened = workspace.open(write({"readback.yml": TASKS + own, "preset.json": PRESET}))
    assert "parsing · claude_tool" not in [one.name for one in opened.conditions]
    assert "asm-no-task-text" not in {diagnostic.code for diagnostic in opened.diagnostics}
    assert all(choice.task != "abstention_detection" for choice in list_selections(opened))


def test_a_preset_alone_says_which_texts_are_missing_and_which_interface_is_unknown(write: Write) -> None:
    config = {**CONFIG, "parsing_models": [{**PARSING, "interface": "claude_tol"}], "abstention_enabled": True}
    opened = workspace.open(write({"p.json": {**PRESET, "config": config}}))
    said = {diagnostic.code: diagnostic.values for diagnostic in opened.diagnostics}
    assert said["asm-no-task-text"]["tasks"] == ["generation", "parsing", "abstention_detection"]
    assert said["asm-unknown-interface"]["nearest"] == "claude_tool"
    assert opened.conditions == ()
    assert engine.check(opened).faults == ()


def test_a_task_that_runs_without_a_text_is_named_though_another_one_has_its_text(write: Write) -> None:
    """A text for generation is no text for parsing."""
    files = {"readback.yml": "tasks: {generation: {user: Why?}}\nprompts: [preset.json]\n", "preset.json": PRESET}
    opened = workspace.open(write(files))
    (one,) = [diagnostic for diagnostic in opened.diagnostics if diagnostic.code == "asm-no-task-text"]
    assert one.values["tasks"] == ["parsing"]
    assert (one.values["lacking"], one.values["count"]) == (1, 2)
    assert opened.conditions != ()


def test_one_finding_for_each_instruction_whose_tasks_do_not_run(write: Write) -> None:
    config = {
        **CONFIG,
        "prompt_config": {
            "generation": "G", "parsing": "P", "abstention_detection": "A", "sufficiency_detection": "",
            "rubric_evaluation": "R", "deep_judgment": "D", "agentic_parsing": None,
        },
    }  # fmt: skip
    audit = engine.check(workspace.open(write({"readback.yml": TASKS, "preset.json": {**PRESET, "config": config}})))
    found = [one for one in audit.findings if one.code == "asm-instruction-never-used"]
    assert [one.values["key"] for one in found] == ["abstention_detection", "rubric_evaluation", "deep_judgment"]
    assert {one.place.file for one in found} == {"preset.json"}
    assert found[1].values["why"] == "evaluation_mode is template_only, the default"


@pytest.mark.parametrize(
    ("own", "found"), [("deep_judgment_mode: full\n", set()), ("", {"deep_judgment"})], ids=["on", "off"]
)
def test_an_instruction_of_the_workspace_file_is_held_against_the_configuration_too(
    write: Write, own: str, found: set[str]
) -> None:
    root = write({"readback.yml": "prompts: [c.yml]\ninstructions:\n  deep_judgment: Quote.\n", "c.yml": YAML + own})
    audit = engine.check(workspace.open(root))
    said = [one for one in audit.findings if one.code == "asm-instruction-never-used"]
    assert found == {one.values["key"] for one in said}
    assert all((one.place.file, one.place.line) == ("readback.yml", 3) for one in said)


def test_a_configuration_written_down_opens_to_the_same_conditions(write: Write) -> None:
    root = write({"readback.yml": TASKS, "preset.json": PRESET})
    opened = workspace.open(root)
    (root / "readback.yml").write_text(workspace.init_text(opened), "utf-8")
    again = workspace.open(root)
    assert conditions(again) == conditions(opened)
    assert again.instructions == opened.instructions
    for one in opened.conditions:
        record, choice = Record("1", {"question": "Why?"}), Selection(condition=one.name)
        assert assemble(again, record, choice).fingerprint == assemble(opened, record, choice).fingerprint


def test_the_rules_of_the_area_have_a_module_each() -> None:
    named = {
        "asm-instruction-never-used", "asm-parsing-system-prompt-unused", "asm-empty-instruction", "asm-blank-addition",
        "asm-system-folded", "asm-no-schema", "asm-grouped-task-key", "asm-unknown-interface", "asm-adapter-error",
        "asm-adapter-key", "asm-adapter-task", "asm-adapter-parent",
    }  # fmt: skip
    assert named <= set(rules.RULES())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
configs = st.dictionaries(
    st.sampled_from((*verification.KEYS, *verification.OBSOLETE, *SHORTCUTS, "_comment", "other")), values, max_size=9
)


@given(configs, st.booleans())
def test_a_preset_of_any_values_is_read_without_a_failure(config: dict[str, Any], bare: bool) -> None:
    value = config if bare else {"id": "1", "name": "n", "config": config}
    made, diagnostics = instructions.read(Path("p.json"), Path(), Parsed(value, file="p.json"))
    assert all(isinstance(text, str | None) for text in made.instructions.values())
    assert set(made.instruction_places) == set(made.instructions)
    assert {diagnostic.code for diagnostic in diagnostics} <= set(rules.RULES())
    assert verification.list_workspace_runs([made], CURRENT) is not None


@pytest.mark.parametrize("value", [{"id": "1", "name": "n", "config": {"a": 1, "b": 2}}, {"config": {"parsing": "P"}}])
def test_other_files_with_a_config_are_not_presets(value: Any) -> None:
    assert not instructions.recognise(Path("x.json"), value)
