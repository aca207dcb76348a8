"""The messages of the shared promptfoo projects are those that promptfoo sent: row, prompt and provider, to a byte."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from readback.projects import promptfoo

LEAST = 0.95  # of all lines, as the issue asks


def list_expected(folder: Path) -> dict[str, list[dict[str, Any]]]:
    cases: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "expected.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        cases[row["case"]].append(row)
    return cases


def list_rendered(folder: Path, environment: dict[str, str]) -> Counter[tuple[Any, ...]]:
    project = promptfoo.read_project(folder / "promptfooconfig.yaml", folder, environment)
    if project.refused:
        return Counter([("refused",)])
    rendered: Counter[tuple[Any, ...]] = Counter()
    for row, mode, provider in promptfoo.list_combinations(project):
        answer = promptfoo.render_messages(mode.settings, row.settings, row.fields)
        if answer.applies:
            messages = "error" if answer.messages is None else json.dumps(answer.messages, sort_keys=True)
            rendered[row.index, f"{mode.settings['recorded']} | {provider}", messages] += 1
        for message, segments in zip(answer.messages or (), answer.segments, strict=True):
            if isinstance(message.get("content"), str):
                assert "".join(segment.text for segment in segments) == message["content"]
    return rendered


def make_key(line: dict[str, Any]) -> tuple[Any, ...]:
    if line.get("refused"):
        return ("refused",)
    messages = line.get("messages")
    return (line["row"], line["condition"], "error" if messages is None else json.dumps(messages, sort_keys=True))


@pytest.mark.realdata
def test_the_shared_projects_give_the_messages_that_were_sent(shared: Path) -> None:
    folder = shared / "vectors" / "ecosystem" / "promptfoo"
    right, lines, wrong = 0, 0, []
    for case, expected in list_expected(folder).items():
        wanted = Counter(map(make_key, expected))
        rendered = list_rendered(folder / case, expected[0].get("env", {}))
        right += (wanted & rendered).total()
        lines += wanted.total()
        wrong += [case] if wanted != rendered else []
    assert right >= LEAST * lines, wrong
    assert wrong == []
