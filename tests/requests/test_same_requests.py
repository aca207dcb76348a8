"""Two logs of the same requests count once, in whatever order they hold them; an id that stands twice is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.scores.loading import load

Write = Callable[[Mapping[str, Any]], Path]


def make_traces(numbers: Sequence[int], grades: Mapping[int, float] | None = None) -> str:
    """Return traces of MLflow, one for each number, each with a grade where there is one for it."""
    lines = []
    for number in numbers:
        messages = [{"role": "user", "content": f"Why {number}?"}]
        assessments = [
            {"assessment_name": "fit", "feedback": {"value": value}}
            for value in ([grades[number]] if grades and number in grades else [])
        ]
        attributes = {
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.spanInputs": json.dumps({"messages": messages}),
            "mlflow.spanOutputs": json.dumps("So."),
        }
        info = {"trace_id": f"tr-{number}", "state": "OK", "trace_metadata": {}, "assessments": assessments}
        lines.append(json.dumps({"info": info, "data": {"spans": [{"name": "chat", "attributes": attributes}]}}))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("first", "second", "conditions", "scores"),
    [
        (make_traces([1, 2, 3], {1: 1, 2: 0}), make_traces([3, 1, 2], {2: 0, 1: 1}), 1, ["a.jsonl"]),
        (make_traces([1, 2, 3], {1: 1}), make_traces([3, 1, 2], {2: 0.5}), 1, ["b.jsonl", "a.jsonl"]),
        (make_traces([1, 2, 3]), make_traces([3, 1, 2], {2: 0.5}), 1, ["b.jsonl"]),
        (make_traces([1, 2, 3]), make_traces([3, 1, 4]), 2, []),
        (make_traces([1, 2]), make_traces([2, 2]), 2, []),
    ],
)
def test_two_logs_of_the_same_requests_count_once(
    first: str, second: str, conditions: int, scores: Sequence[str], write: Write
) -> None:
    opened = workspace.open(write({"a.jsonl": first, "b.jsonl": second}))
    assert len(opened.conditions) == conditions
    assert [source.path for source in opened.scores] == scores


@pytest.mark.realdata
def test_a_table_of_mlflow_beside_its_traces_counts_once(shared: Path) -> None:
    opened = workspace.open(shared / "vectors/ecosystem/eval-tables/mlflow-eval")
    assert len(opened.conditions) == 1
    table = load(opened)
    assert len(table.columns) == 12  # four grades of three traces
    assert not [one for one in table.diagnostics if one.code == "scr-duplicate-cell"]


BODY = {"model": "m", "messages": [{"role": "user", "content": "Why?"}]}
TWICE = {
    "OpenAI": [{"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": BODY} for name in "aba"],
    "Anthropic": [{"custom_id": name, "params": {**BODY, "max_tokens": 5}} for name in "aba"],
    "Gemini": [{"key": name, "request": {"contents": [{"parts": [{"text": "Why?"}]}]}} for name in "aba"],
    "OpenAI, replies": [
        {"custom_id": name, "error": None,
         "response": {"status_code": 200, "body": {"choices": [{"message": {"role": "assistant", "content": "So."}}]}}}
        for name in "aba"
    ],
}  # fmt: skip


@pytest.mark.parametrize("provider", TWICE)
def test_an_id_that_stands_twice_is_named_as_what_it_is(provider: str, write: Write) -> None:
    rows = "".join(json.dumps(row) + "\n" for row in TWICE[provider])
    audit = engine.check(workspace.open(write({"batch.jsonl": rows})))
    (one,) = [finding for finding in audit.findings if finding.code == "dat-log-repeated-id"]
    key = "key" if provider == "Gemini" else "custom_id"
    assert one.message.startswith(f"the {key} 'a' is already that of the row in line 1; both rows are read")
    assert one.place.line == 3
    assert one.fix == f"give each row a {key} of its own"
    assert not [each for each in audit.findings if "cannot be read" in each.message or "used twice" in each.message]
