"""The newer profile: which interface adds what to which task, entry by entry, and how the document differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.adapters import (
    CAPABILITIES,
    FURTHER,
    find_adapter,
    list_additions,
    list_capabilities,
    load_shipped,
    read_adapter,
)
from readback.prompts.adapter_texts import CONTEXT, Part, list_entries, render_additions
from readback.prompts.assemble import assemble
from readback.tasks import CURRENT, DOCUMENT, PROFILES, groups_of, keys_for, profile_of, tasks_of
from readback.types import Record, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
NEWER = {"agentic_parsing_decision", "rubric_llm_trait_template", "dj_template_reasoning_only"}
LANGCHAIN = ("langchain", "openrouter", "openai_endpoint")
CLAUDE = ("claude_tool", "claude_agent_sdk")
DEEP = "langchain_deep_agents"
SILENT = ("manual", "taskeval", "no_system")
R = (
    "rubric_llm_trait_batch", "rubric_llm_trait_single", "rubric_llm_trait_template", "rubric_literal_trait_batch",
    "rubric_literal_trait_single", "rubric_metric_trait", "rubric_dynamic_presence_check",
)  # fmt: skip
D = (
    "dj_rubric_excerpt_extraction", "dj_rubric_hallucination", "dj_rubric_score_extraction",
    "dj_template_excerpt_extraction", "dj_template_hallucination",
)  # fmt: skip
CHECKS = ("abstention_detection", "sufficiency_detection")
ALWAYS, NEVER = Part(True), None
IF_SCHEMA = Part(False, ("json_schema",), ("json_schema",))
IF_FORMAT = Part(False, ("format_instructions",), ("format_instructions",))
RUBRIC = Part(True, (), ("json_schema", "example_json", "output_format_hint"))
JUDGMENT = Part(True, (), ("json_schema", "parsing_notes"))

# who, task: what the system and the user message get, and under which context
EXPECTED: dict[tuple[str, str], tuple[Part | None, Part | None]] = {
    **{(who, "parsing"): (IF_FORMAT, IF_SCHEMA) for who in LANGCHAIN},
    **{(who, task): (ALWAYS, RUBRIC) for who in LANGCHAIN for task in R},
    **{(who, task): (ALWAYS, JUDGMENT) for who in LANGCHAIN for task in D},
    **{(who, task): (ALWAYS, NEVER) for who in (*LANGCHAIN, *CLAUDE, DEEP) for task in CHECKS},
    **{(who, "parsing"): (ALWAYS, IF_SCHEMA) for who in CLAUDE},
    **{(who, task): (ALWAYS, NEVER) for who in (*CLAUDE, DEEP) for task in (*R, *D)},
    (DEEP, "parsing"): (ALWAYS, NEVER),
}
ALL_DJ = tuple(name for name in tasks_of(DOCUMENT) if name.startswith("dj_"))
IN_DOCUMENT: dict[tuple[str, str], tuple[Part | None, Part | None]] = {
    **{(who, "parsing"): (IF_FORMAT, IF_SCHEMA) for who in LANGCHAIN},
    **{(who, task): (ALWAYS, RUBRIC) for who in LANGCHAIN for task in R if task in groups_of(DOCUMENT)["R"]},
    **{(who, task): (ALWAYS, JUDGMENT) for who in LANGCHAIN for task in ALL_DJ},
    **{
        (who, task): (ALWAYS, NEVER)
        for who in CLAUDE
        for task in ("parsing", *groups_of(DOCUMENT)["R"], *ALL_DJ)
    },
}  # fmt: skip
TABLES = {CURRENT: (EXPECTED, 90), DOCUMENT: (IN_DOCUMENT, 65)}


def found(profile: str) -> dict[tuple[str, str], tuple[Part | None, Part | None]]:
    bare = {}
    for one in list_entries({}, profile):
        system, user = (
            None if part is None else Part(part.always, part.when, part.reads, part.ok)
            for part in (one.system, one.user)
        )
        bare[one.adapter, one.task] = (system, user)
    return bare


@pytest.mark.parametrize("profile", PROFILES)
def test_the_registry_is_the_table_of_its_profile_and_nothing_more(profile: str) -> None:
    expected, count = TABLES[profile]
    assert count == len(expected)
    assert expected == found(profile)


@pytest.mark.parametrize(("who", "task"), sorted(EXPECTED), ids=" ".join)
def test_what_is_assembled_has_the_parts_of_the_table(who: str, task: str) -> None:
    contexts: list[dict[str, Any]] = [{}, *({key: "x"} for key in CONTEXT), {"json_schema": {}}]
    for context in contexts:
        workspace = Workspace(Path(), "none", options={"assembly_profile": CURRENT}, context={task: context})
        made = render_additions(workspace, load_shipped(CURRENT)[who], task, {})
        assert made.ok
        for n, part in enumerate(EXPECTED[who, task]):
            there = part is not None and (part.always or any(key in part.when for key in context))
            assert there == any(segments[n] for segments in made.parts)


def test_no_interface_ever_has_text_for_these_tasks_nor_these_interfaces_for_any() -> None:
    never = {"generation", "dj_template_reasoning", "dj_template_reasoning_only", "dj_rubric_reasoning"}
    never |= {name for name in tasks_of(CURRENT) if name.startswith(("agentic_parsing_", "rubric_agentic_"))}
    entries = list_entries({}, CURRENT)
    assert {one.task for one in entries} == set(tasks_of(CURRENT)) - never
    assert {one.adapter for one in entries} & set(SILENT) == set()
    assert {one.wording for one in entries} == {"readback"}


def test_the_newer_profile_has_three_more_tasks_among_those_of_the_document() -> None:
    older, newer = tasks_of(DOCUMENT), tasks_of(CURRENT)
    assert (len(older), len(newer)) == (21, 24)
    assert set(newer) - set(older) == NEWER
    assert [name for name in newer if name in older] == list(older)
    assert all(task.stage and task.description.endswith((".", "?")) for task in newer.values())


def test_a_group_stands_for_the_tasks_of_its_profile() -> None:
    assert set(groups_of(CURRENT)["R"]) == set(R)
    assert set(groups_of(CURRENT)["D"]) == set(D)
    assert set(groups_of(DOCUMENT)["D"]) == set(ALL_DJ)
    assert "dj_template_reasoning_only" in groups_of(CURRENT)["dj"]
    assert keys_for("dj_rubric_reasoning", CURRENT) == ("dj_rubric_reasoning", "dj")
    assert keys_for("dj_rubric_reasoning") == ("dj_rubric_reasoning", "D", "dj")


def test_the_default_is_the_document_and_an_unknown_profile_counts_as_it() -> None:
    assert [profile_of(options) for options in ({}, {"assembly_profile": "future"})] == [DOCUMENT, DOCUMENT]
    assert profile_of({"assembly_profile": CURRENT}) == CURRENT


def test_capabilities_are_two_or_six_and_only_the_system_role_is_true_unsaid(write: Write) -> None:
    root = write({"a.yml": "name: a\nstreaming: true\n", "b.yml": "name: b\nextends: a\nfile_tools: true\n"})
    parent, noted = read_adapter(root / "a.yml", root, CURRENT)
    child, _ = read_adapter(root / "b.yml", root, CURRENT)
    listed = {"a": parent, "b": child}
    assert noted == ()
    assert list_capabilities(load_shipped()["manual"], {}) == dict(CAPABILITIES)
    assert list_capabilities(load_shipped()["manual"], {}, CURRENT) == dict(CAPABILITIES) | dict.fromkeys(
        FURTHER, False
    )
    assert list_capabilities(child, listed, CURRENT) == {
        "system_prompt": True, "structured_output": False,
        "streaming": True, "file_tools": True, "code_execution": False, "sandboxed_execution": False,
    }  # fmt: skip


@pytest.mark.parametrize(("profile", "codes"), [(DOCUMENT, ["asm-adapter-key", "asm-adapter-task"]), (CURRENT, [])])
def test_keys_and_tasks_of_the_newer_profile_are_unknown_in_the_document(
    write: Write, profile: str, codes: list[str]
) -> None:
    root = write({"a.yml": "streaming: true\ntasks: {rubric_llm_trait_template: {system: x}}\n"})
    _, diagnostics = read_adapter(root / "a.yml", root, profile)
    assert [diagnostic.code for diagnostic in diagnostics] == codes


FILE = """\
options: {assembly_profile: %s}
adapters: [claude_tool, house.yml]
tasks: {parsing: {system: S, user: U}, abstention_detection: {system: S, user: U}}
context: {parsing: {json_schema: {title: "é"}}}
"""


def opened(write: Write, profile: str) -> Workspace:
    return workspace.open(write({"readback.yml": FILE % profile, "house.yml": "extends: langchain\n"}))


def test_a_workspace_assembles_by_the_profile_its_options_choose(write: Write) -> None:
    texts = {}
    for profile in PROFILES:
        workspace = opened(write, profile)
        assert {diagnostic.code for diagnostic in workspace.diagnostics} == set()
        for task in workspace.tasks:
            for who in workspace.adapters:
                made = assemble(workspace, Record(None, {}), Selection(task=task, adapter=who))
                texts[profile, task, who] = [message.text for message in made.messages]
    assert texts[DOCUMENT, "parsing", "claude_tool"][1] == "U"
    assert '```json\n{\n  "title": "\\u00e9"\n}\n```' in texts[CURRENT, "parsing", "claude_tool"][1]
    assert texts[DOCUMENT, "parsing", "claude_tool"][0] == texts[CURRENT, "parsing", "claude_tool"][0]
    assert texts[DOCUMENT, "abstention_detection", "house"] == ["S", "U"]
    assert '"abstention_detected"' in texts[CURRENT, "abstention_detection", "house"][0]
    assert texts[DOCUMENT, "parsing", "house"] == texts[CURRENT, "parsing", "house"]


def test_whoever_opens_a_workspace_may_choose_another_profile(write: Write) -> None:
    root = write({"readback.yml": FILE % DOCUMENT, "house.yml": "extends: langchain\n"})
    opened = workspace.open(root, options={"assembly_profile": CURRENT})
    assert list_additions(opened.adapters["claude_tool"], "abstention_detection", opened.adapters, CURRENT)
    assert find_adapter("house", opened.adapters, CURRENT) is opened.adapters["house"]


def test_an_adapter_of_the_workspace_stands_in_the_registry_with_the_wording_of_whoever_wrote_the_text(
    write: Write,
) -> None:
    root = write({"a.yml": "name: a\nextends: langchain\ntasks: {my_task: {user: '{{ question }}'}, D: {system: x}}\n"})
    own, _ = read_adapter(root / "a.yml", root)
    mine = {one.task: one for one in list_entries({"a": own}, DOCUMENT, ["my_task"]) if one.adapter == "a"}
    assert (mine["parsing"].wording, mine["dj_rubric_reasoning"].wording) == ("readback", "own")
    assert mine["my_task"].user == Part(False, place=own.additions["my_task"][0].user_place)
    broken = replace(own, additions={"parsing": (replace(own.additions["D"][0], system="{{ x "),)})
    entry = next(one for one in list_entries({"a": broken}) if (one.adapter, one.task) == ("a", "parsing"))
    assert entry.system is not None
    assert not entry.system.ok
