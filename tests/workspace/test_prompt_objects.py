"""Prompts that other tools keep as objects in JSON or YAML are known by their content and open as modes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.prompts.assemble import assemble
from readback.types import Record, Selection

Write = Callable[[Any], Path]
ROW = {"id": "1", "q": "a"}
ASK = {"role": "user", "content": "{{q}}"}
PIPELINE = "components:\n  ask:\n    type: haystack.components.builders.prompt_builder.PromptBuilder\n"
PIPELINE += "    init_parameters: {template: '{{q}}'}\nconnections: []\n"


@pytest.mark.parametrize(
    ("name", "content", "detail", "roles", "text"),
    [
        ("p.yml", PIPELINE, "a pipeline of Haystack", ["prompt"], "a"),
        (
            "p.json",
            json.dumps({"name": "n", "version": 1, "labels": [], "type": "chat", "prompt": [ASK]}),
            "a prompt of Langfuse",
            ["user"],
            "a",
        ),
        ("p.yaml", "name: n\nversion: 1\nconfig: {}\nprompt: 'Q {{q}}'\n", "a prompt of Langfuse", ["prompt"], "Q a"),
        ("p.json", json.dumps({"name": "n", "version": 1, "template": [ASK]}), "a prompt of MLflow", ["user"], "a"),
        ("p.yaml", "name: n\nversion: '1'\ntemplate: 'Q {{q}}'\n", "a prompt of MLflow", ["prompt"], "Q a"),
        (
            "p.json",
            json.dumps({"template_vars": ["q"], "template_var_mappings": None, "template": "{q}"}),
            "a prompt of LlamaIndex",
            ["user"],
            "a",
        ),
    ],
)
def test_it_is_a_mode(write: Write, name: str, content: str, detail: str, roles: list[str], text: str) -> None:
    opened = workspace.open(write({name: content, "rows.jsonl": json.dumps(ROW) + "\n"}))
    assert [(each.used, each.detail) for each in opened.recognised if each.path == name] == [(True, detail)]
    assert list(opened.prompts) == ["p"]
    assert opened.dataset
    assert opened.dataset.path == "rows.jsonl"
    built = assemble(opened, Record("1", ROW), Selection(mode="p"))
    assert [message.role for message in built.messages] == roles
    assert built.messages[-1].text == text
    assert ("q", "a") in [(each.name, each.text) for each in built.messages[-1].segments]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deployment.yaml", "apiVersion: v1\nname: n\nspec:\n  template: {a: b}\n"),
        ("package.json", json.dumps({"name": "n", "version": "1.0.0", "type": "module"})),
        ("chart.yaml", "name: n\nversion: 1\ntemplate: {a: b}\n"),
        ("page.json", json.dumps({"name": "n", "version": 1, "prompt": {"a": 1}, "labels": []})),
    ],
)
def test_other_objects_are_no_prompts(write: Write, name: str, content: str) -> None:
    opened = workspace.open(write({name: content, "rows.jsonl": json.dumps(ROW) + "\n"}))
    assert [each.path for each in opened.recognised if each.what == "prompt of another tool"] == []


def test_a_place_for_messages_stays_in_the_list_as_it_is(write: Write) -> None:
    place = {"type": "placeholder", "name": "h"}
    prompt = {"name": "n", "version": 1, "type": "chat", "labels": [], "prompt": [place, ASK]}
    opened = workspace.open(write({"p.json": json.dumps(prompt)}))
    built = assemble(opened, Record("1", ROW), Selection(mode="p"))
    assert [message.value for message in built.messages] == [
        {"type": "placeholder", "name": "h"},
        {"role": "user", "content": "a"},
    ]


@pytest.mark.parametrize("alone", [True, False])
def test_a_program_of_dspy_shows_its_parts_and_says_why_it_is_not_assembled(write: Write, alone: bool) -> None:
    fields = [{"prefix": "Question:", "description": "${question}"}]
    predictor = {"demos": [{"question": "é"}], "signature": {"instructions": "Answer.", "fields": fields}, "lm": None}
    program = predictor if alone else {"first": predictor, "second": predictor, "metadata": {}}
    opened = workspace.open(write({"program.json": json.dumps(program), "rows.jsonl": json.dumps(ROW) + "\n"}))
    assert list(opened.prompts) == (["program"] if alone else ["program · first", "program · second"])
    mode = next(iter(opened.prompts))
    assert opened.prompts[mode].template.startswith("Answer.\n\nQuestion: ${question}\n\n[example 1 of 1]")
    built = assemble(opened, Record("1", ROW), Selection(mode=mode))
    assert built.messages == ()
    (finding,) = built.diagnostics
    assert (finding.code, finding.values["mode"]) == ("asm-library-wording", mode)
    assert "own words" in finding.values["reason"]


def test_a_list_of_stored_prompts_is_a_mode_for_each(write: Write) -> None:
    stored = {"name": "ask", "version": 1, "labels": [], "prompt": "Q {{q}}"}
    listed = [stored, {**stored, "version": 2, "prompt": [ASK]}, {**stored, "name": "bad", "type": "chat"}]
    opened = workspace.open(write({"all.json": json.dumps(listed), "rows.jsonl": json.dumps(ROW) + "\n"}))
    assert set(opened.prompts) == {"all · ask v1", "all · ask v2", "all · bad"}
    assert opened.dataset
    assert opened.dataset.path == "rows.jsonl"
    built = assemble(opened, Record("1", ROW), Selection(mode="all · ask v2"))
    assert [(message.role, message.text) for message in built.messages] == [("user", "a")]
    (refused,) = [each for each in opened.diagnostics if each.code == "dat-project-refused"]
    assert "'bad': its prompt is missing" in refused.values["reason"]
