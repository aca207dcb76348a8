"""Of the messages of every tool it is known which characters are a value of the record, and which the template."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import readback
from readback.workspace.tools.tool_prompts import READERS

Write = Callable[[Mapping[str, Any]], Path]
CHAT = '{% chat role="user" %}Say {{ q }} now{% endchat %}'
FILES: Mapping[str, tuple[str, Any]] = {
    "langchain": ("p.yaml", '_type: prompt\ntemplate: "Say {q} now"\ninput_variables: [q]\n'),
    "prompty-0.1": ("p.prompty", "---\nmodel: {api: chat}\n---\nuser:\nSay {{q}} now\n"),
    "prompty-2": ("p.prompty", "---\nmodel: {id: m}\ninputs:\n  q: {kind: string}\n---\nuser:\nSay {{q}} now\n"),
    "promptflow": ("p.jinja2", "# user:\nSay {{q}} now\n"),
    "banks": ("p.jinja", CHAT),
    "llamaindex": ("p.jinja", CHAT),
    "dotprompt": ("p.prompt", '---\nmodel: m\n---\n{{role "user"}}Say {{q}} now'),
    "haystack": ("p.yaml", json.dumps({"components": {"p": {
        "type": "haystack.components.builders.prompt_builder.PromptBuilder",
        "init_parameters": {"template": "Say {{ q }} now"}}}, "connections": []})),
    "langfuse": ("p.json", json.dumps({"name": "p", "version": 1, "type": "text", "labels": [],
                                       "prompt": "Say {{q}} now"})),
    "mlflow-prompts": ("p.json", json.dumps({"name": "p", "version": 1, "template": "Say {{q}} now"})),
    "semantic-kernel": ("p.yaml", "name: p\ntemplate_format: semantic-kernel\ntemplate: Say {{$q}} now\n"
                                  "input_variables: [{name: q}]\n"),
}  # fmt: skip
WITHOUT_MESSAGES = {"dspy", "prompty"}  # shown and not assembled; the loader is named by its version


def test_the_table_has_every_tool() -> None:
    assert set(FILES) | WITHOUT_MESSAGES == set(READERS)


@pytest.mark.parametrize("tool", FILES)
def test_a_value_is_told_from_the_template(write: Write, tool: str) -> None:
    name, text = FILES[tool]
    folder = write({name: text, "d.jsonl": [{"id": "1", "q": "Why?"}]})
    study = readback.open(folder, tool=tool)
    (mode,) = study.modes
    (message,) = study.assemble(mode=mode, record="1").messages
    assert [(each.text, each.name) for each in message.segments if each.origin == "variable"] == [("Why?", "q")]
    assert "".join(each.text for each in message.segments if each.origin == "template") == "Say  now"


def test_a_tool_that_does_not_exist_is_named_in_the_error(write: Write) -> None:
    folder = write({"p.txt": "Say {q}", "d.jsonl": [{"id": "1", "q": "Why?"}]})
    with pytest.raises(ValueError, match=r"no tool 'nope'; there are .*llamaindex"):
        readback.open(folder, tool="nope")
