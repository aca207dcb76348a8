"""What is exported as a batch comes back by its `custom_id`: as answers of a condition, as scores of a judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace as workspaces
from readback.cli import main
from readback.records.answers import open_answers
from readback.records.batch_replies import read_reply

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
LONG = "a condition whose name is far too long for the custom_id of a batch of requests"
YML = """dataset: {{path: d.jsonl, id: id}}
modes: [{{mode: ask, template: '{{{{ question }}}}'}}]
models: {{m: {{}}}}
conditions:
  - {{name: {name}, mode: ask, model: m{answers}}}
"""
ROWS = [{"id": f"net-{at}", "question": f"Who mends net {at}?"} for at in range(4)]


def exported(capsys: Output, folder: Path) -> list[str]:
    assert main(["export", str(folder), "--as", "openai-batch"]) == 0
    return [json.loads(line)["custom_id"] for line in capsys.readouterr().out.splitlines()]


def reply(name: str, text: str | None) -> dict[str, Any]:
    if text is None:
        return {"id": "b", "custom_id": name, "response": None, "error": {"code": "batch_expired"}}
    body = {"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
    return {"id": "b", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


@pytest.mark.parametrize("name", ["short", LONG])
def test_replies_come_back_as_answers_in_any_order(write: Write, capsys: Output, name: str) -> None:
    folder = write({"readback.yml": YML.format(name=name, answers=""), "d.jsonl": ROWS})
    names = exported(capsys, folder)
    assert all(len(each) <= 64 and "net-0"[:3] in each for each in names)
    replies = [reply(each, f"Answer {at}.") for at, each in enumerate(names)]
    replies[2] = reply(names[2], None)
    opened = workspaces.open(
        write({"readback.yml": YML.format(name=name, answers=", answers: out.jsonl"), "out.jsonl": replies[::-1]})
    )
    answers = open_answers(opened, opened.conditions[0])
    texts = [answer.text if (answer := answers.get(row["id"])) else None for row in ROWS]
    assert texts == ["Answer 0.", "Answer 1.", None, "Answer 3."]
    assert [answer.record for answer in answers] == ["net-3", "net-2", "net-1", "net-0"]
    assert answers.get("net-9") is None


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "Yes."}]}}}, "Yes."),
        ({"result": {"type": "errored", "error": {}}}, None),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, None),
        ({"response": {"status_code": 200, "body": {"choices": [{"text": "Plain."}]}}}, "Plain."),
    ],
)
def test_a_reply_is_read_in_both_layouts(fields: dict[str, Any], text: str | None) -> None:
    assert read_reply(fields) == text
