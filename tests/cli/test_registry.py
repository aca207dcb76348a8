"""The registry where people look at it: the section of the overview, and `readback adapters`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from looking import links, page, said, words

from readback import cli

Write = Callable[[Mapping[str, Any]], Path]
TITLE = "What each interface adds to each task"
PRESET = {
    "id": "1",
    "name": "Strict",
    "config": {"parsing_models": [{"id": "p", "interface": "claude_tool", "model_name": "m"}], "parsing_only": True},
}
FILES = {
    "preset.json": PRESET,
    "readback.yml": {
        "options": {"assembly_profile": "current"},
        "prompts": ["preset.json"],
        "adapters": ["house.yml"],
        "tasks": {"parsing": {"user": "Extract."}, "my_task": {"user": "Do."}},
        "context": {"parsing": {"json_schema": None}},
    },
    "house.yml": "extends: langchain\ntasks: {my_task: {system: '{{ note }}', user: '{{ x '}, parsing: null}\n",
}


def row(page_text: str, task: str) -> list[str]:
    """The cells of a task's row, tags left out."""
    part = next(part for part in page_text.split("<tr>") if re.search(rf'<th scope="row"[^>]*>{task}<br>', part))
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in part.split("</td>")][:-1]


def test_the_section_is_there_only_where_there_is_a_pipeline(serving: Any) -> None:
    serving({"readback.yml": "modes: [{mode: short, template: Why?}]\n"})
    assert TITLE not in [one.label for one in page().expander]


def test_each_task_says_what_it_is_for_whether_it_runs_and_what_each_interface_adds(serving: Any) -> None:
    serving(FILES)
    test = page()
    assert TITLE in [one.label for one in test.expander]
    text = said(test)
    heads = [re.sub(r"<[^>]+>", "", head) for head in re.findall(r"<th scope=\"col\"[^>]*>.*?</th>", text)]
    at = heads.index("In this workspace")
    assert heads[at : at + 6] == [
        "In this workspace",
        "house",
        "claude_tool",
        "claude_agent_sdk",
        "langchain, openai_endpoint, openrouter",
        "langchain_deep_agents",
    ]
    assert row(text, "parsing") == [
        "parsing ParseTemplate. A judge turns the answer into the fields of a template. runs "
        "evaluation_mode is template_only, the default",
        "–",
        "system user, with json_schema",
        "system user, with json_schema",
        "system, with format_instructions user, with json_schema",
        "system",
    ]
    assert "does not run evaluation_mode is template_only, the default" in row(text, "rubric_metric_trait")[0]
    assert "user changes with json_schema, example_json, output_format_hint" in row(text, "rubric_metric_trait")[1]
    assert row(text, "my_task")[:2] == [
        "my_task A task of this workspace. text given",
        "system, with some of the record's fields user, which cannot be filled in without a record",
    ]
    assert "These are the 24 tasks" in words(test)
    assert "Nothing is added by manual, no_system, taskeval." in words(test)


def test_an_entry_whose_task_has_a_text_opens_its_message(serving: Any) -> None:
    serving(FILES)
    found = [(one.get("task"), one.get("adapter")) for one in links(page(), "prompts")]
    assert {("parsing", "claude_tool"), ("my_task", "house")} <= set(found)
    assert "rubric_metric_trait" not in {task for task, _ in found}


def test_a_preset_alone_says_which_texts_are_missing(serving: Any) -> None:
    serving({"preset.json": PRESET})
    test = page()
    assert "The configuration runs 1 task, parsing, and its text is not here" in words(test)
    assert "its text is not here" in row(said(test), "parsing")[0]


def asked(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    assert cli.main(["adapters", *map(str, words), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_answers_the_same_facts(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, write(FILES))
    assert answer["profile"] == "current"
    tasks = {one["name"]: one for one in answer["tasks"]}
    assert (tasks["parsing"]["runs"], tasks["parsing"]["text_here"]) == (True, True)
    assert (tasks["generation"]["runs"], tasks["generation"]["why"]) == (
        False,
        "parsing_only is true: answers are given",
    )
    assert (tasks["my_task"]["stage"], tasks["my_task"]["runs"]) == (None, None)
    entries = {(one["interface"], one["task"]): one for one in answer["entries"]}
    assert entries["claude_tool", "parsing"]["user"]["when"] == ["json_schema"]
    assert entries["claude_tool", "parsing"]["system"]["always"]
    assert entries["claude_tool", "abstention_detection"]["user"] is None
    assert ("house", "parsing") not in entries


@pytest.mark.parametrize(("profile", "tasks", "entries"), [("document", 21, 65), ("current", 24, 90)])
def test_the_command_shows_either_profile_without_a_workspace(
    capsys: pytest.CaptureFixture[str], profile: str, tasks: int, entries: int
) -> None:
    answer = asked(capsys, "--profile", profile)
    assert (len(answer["tasks"]), len(answer["entries"])) == (tasks, entries)
    assert {one["runs"] for one in answer["tasks"]} == {None}
    assert ("streaming" in answer["adapters"][0]) == (profile == "current")


def test_the_profile_of_a_workspace_may_be_asked_otherwise(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, write(FILES), "--profile", "document")
    assert answer["profile"] == "document"
    entries = {(one["interface"], one["task"]): one for one in answer["entries"]}
    assert entries["claude_tool", "parsing"]["user"] is None


def test_people_read_which_tasks_run(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["adapters", str(write(FILES))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "parsing: runs (evaluation_mode is template_only, the default)" in lines
    assert "abstention_detection: does not run (abstention_enabled is not true)" in lines
    assert "house: system message, extends langchain, wording own" in lines
