"""What one condition's messages have beside another's, as a phrase: values in, values out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.compare.condition_change import describe_condition_change
from readback.project_files import EXAMPLES

Write = Callable[[Mapping[str, Any]], Path]
MODES = [
    {"mode": "plain", "system": "Be brief.", "template": "Question: {{ q }}"},
    {"mode": "long", "system": "Be brief.", "template": "Question: {{ q }}\nCite the sources. Never guess."},
    {"mode": "spaced", "system": "Be brief.", "template": "Question:  {{ q }}"},
    {"mode": "broken", "template": "{% for %}"},
]


@pytest.mark.parametrize(
    ("a", "b", "change"),
    [
        ("plain", "long", "adds 2 sentences after the q in the user message"),
        ("long", "plain", "drops 2 sentences after the q in the user message"),
        ("plain", "plain", ""),
        ("plain", "spaced", ""),  # in blanks alone
        ("plain", "broken", "has no messages: they could not be built"),
        ("plain", "nobody", ""),
    ],
)
def test_a_change_is_a_sentence_without_its_subject(write: Write, a: str, b: str, change: str) -> None:
    conditions = [{"name": mode["mode"], "mode": mode["mode"]} for mode in MODES]
    settings = {"dataset": "d.jsonl", "modes": MODES, "conditions": conditions}
    opened = workspace.open(write({"readback.yml": settings, "d.jsonl": [{"id": "1", "q": "Why?"}]}))
    assert describe_condition_change(opened, a, b) == change


def test_the_change_of_the_demo_names_what_comes_with_the_context() -> None:
    opened = workspace.open(EXAMPLES / "six-conditions")
    change = describe_condition_change(opened, "instruction-only, closed book", "instruction-only, open book")
    assert change == "adds the context and 3 sentences after the question in the user message"
