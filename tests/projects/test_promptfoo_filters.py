"""A test of promptfoo that goes to some providers only, and a prompt without a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.projects import promptfoo
from readback.prompts.assemble import assemble
from readback.records.dataset import open_dataset
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = """
prompts: [{raw: 'Reply to {{q}}', label: a}, {raw: 'Say {{q}}', label: b}]
providers:
  - {id: 'openai:chat:small-1', label: small}
  - {id: 'openai:chat:large-1', label: large}
  - openai:chat:plain-1
tests:
  - vars: {q: Why?}
  - {vars: {q: When?}, providers: %s}
"""
ALL = ["small", "large", "openai:plain-1"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[small]", ["small"]),
        ("['openai:chat:large-1']", ["large"]),
        ("['openai:plain-1']", ["openai:plain-1"]),
        ("['openai:chat:plain-1', small]", ["small", "openai:plain-1"]),
        ("['openai:*']", ALL),
        ("['l*']", ["large"]),
        ("[]", []),
        ("null", ALL),
    ],
)
def test_a_row_goes_to_the_providers_that_its_test_names(written: str, expected: Sequence[str], write: Write) -> None:
    root = write({"promptfooconfig.yaml": CONFIG % written})
    project = promptfoo.open_project(root / "promptfooconfig.yaml", root, {})
    sent = [(row.index, mode.name, provider) for row, mode, provider in promptfoo.list_combinations(project)]
    assert [provider for row, mode, provider in sent if (row, mode) == (1, "b")] == expected
    assert [provider for row, mode, provider in sent if (row, mode) == (0, "b")] == ALL


def test_what_is_not_sent_has_the_reason_and_no_messages(write: Write) -> None:
    opened = workspace.open(write({"promptfooconfig.yaml": CONFIG % "[small]"}))
    audit = engine.check(opened)
    said = [finding for finding in audit.findings if finding.code == "asm-project-not-run"]
    assert {finding.place.condition for finding in said} == {
        f"{mode} | {provider}" for mode in "ab" for provider in ALL[1:]
    }
    assert {finding.place.record for finding in said} == {"1"}
    assert "the project does not send the prompt 'a' to large for this row" in {finding.message for finding in said}
    assert opened.dataset is not None
    records = open_dataset(opened.root, opened.dataset)
    for name, messages in (("a | small", 1), ("a | large", 0)):
        assert len(assemble(opened, records.record(1), Selection(condition=name)).messages) == messages
        assert len(assemble(opened, records.record(0), Selection(condition=name)).messages) == 1


def test_an_empty_prompt_is_an_empty_message_of_the_user(write: Write) -> None:
    config = {"prompts": ["", "Reply to {{q}}"], "providers": ["echo"], "tests": [{"vars": {"q": "Why?"}}]}
    row = {
        "promptIdx": 0, "testIdx": 0, "prompt": {"raw": "", "label": ""}, "provider": {"id": "echo"},
        "vars": {"q": "Why?"}, "response": {"output": "?"}, "success": True, "score": 1, "namedScores": {},
        "gradingResult": {"pass": True, "score": 1, "reason": "ok"}, "failureReason": 0,
    }  # fmt: skip
    results = {"evalId": "e", "results": {"version": 3, "results": [row], "prompts": []}}
    opened = workspace.open(write({"promptfooconfig.yaml": config, "results.json": results}))
    names = [condition.name for condition in opened.conditions]
    assert names == ["(empty prompt) | echo", "Reply to {{q}} | echo"]
    assert opened.dataset is not None
    record = open_dataset(opened.root, opened.dataset).record(0)
    (message,) = assemble(opened, record, Selection(condition=names[0])).messages
    assert (message.role, message.text) == ("user", "")
    audit = engine.check(opened)
    assert [row.observed for row in audit.conditions] == [(1, 1), (0, 0)]
