"""Prompt templates of tools that are known by what stands in them: a mode for each, and the messages of a row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.prompts.assemble import assemble
from readback.types import Record, Selection

ROW = '{"id": "1", "question": "Why?\\n", "lang": "é"}\n'


@pytest.mark.parametrize(
    ("name", "text", "tool", "messages"),
    [
        (
            "ask.jinja",
            '{% chat role="system" %}In {{ lang }}.{% endchat %}\n{% chat role="user" %}{{ question }}{% endchat %}\n',
            "banks",
            [
                {"role": "system", "content": [{"type": "text", "text": "In é."}]},
                {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
            ],
        ),
        (
            "ask.prompt",
            '---\nmodel: m\n---\n{{role "system"}}In {{lang}}.\n{{role "model"}}Ok{{role "user"}}{{question}}\n',
            "dotprompt",
            [
                {"role": "system", "content": "In é.\n"},
                {"role": "assistant", "content": "Ok"},
                {"role": "user", "content": "Why?\n"},
            ],
        ),
        (
            "ask.yaml",
            "name: ask\ntemplate_format: handlebars\ntemplate: |\n"
            '  <message role="system">In {{lang}}.</message>\n  <message role="user">{{question}}</message>\n'
            "input_variables:\n  - {name: question, is_required: true}\n",
            "semantic-kernel",
            [{"role": "system", "content": "In é."}, {"role": "user", "content": "Why?\n"}],
        ),
    ],
)
def test_a_template_of_a_tool_is_a_mode(
    write: Callable[[Any], Path], name: str, text: str, tool: str, messages: list[Any]
) -> None:
    opened = workspace.open(write({name: text, "rows.jsonl": ROW}))
    (mode,) = opened.prompts.values()
    assert mode.mode == "ask"
    assert mode.project
    assert mode.project["tool"] == tool
    built = assemble(opened, Record("1", json.loads(ROW)), Selection(mode="ask"))
    assert [message.value for message in built.messages] == messages
    owners = [segment.name for message in built.messages for segment in message.segments]
    assert "question" in owners
    assert built.diagnostics == ()
