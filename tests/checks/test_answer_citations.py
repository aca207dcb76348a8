"""Answers' citations held against the contexts that were sent, by built-in formats and by templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from readback import workspace
from readback.checks.run import engine

Write = Callable[[Mapping[str, Any]], Path]
DOCS = ["The basin is nine metres deep.", "The keeper opens the lock."]
PLAIN = "{% for d in docs %}{{ d }}\n{% endfor %}{{ q }}"
LABELLED = "{% for d in docs %}[{{ loop.index }}] {{ d }}\n{% endfor %}{{ q }}"
SECOND = "{% for d in docs[1:] %}[{{ loop.index + 1 }}] {{ d }}\n{% endfor %}{{ q }}"
FIRST = "{{ docs[0] }}\n{{ q }}"
NONE = "{{ q }}"


def cited(write: Write, template: str, *replies: str) -> list[tuple[str, int | None, list[str], int]]:
    rows = [{"id": f"q{n}", "q": f"Which one, number {n}?", "docs": DOCS} for n in range(len(replies))]
    answers = [{"id": f"q{n}", "response": text} for n, text in enumerate(replies)]
    config = {
        "dataset": "rows.jsonl",
        "modes": [{"mode": "m", "template": template}],
        "conditions": [{"name": "c", "mode": "m", "answers": "answers.jsonl"}],
    }
    root = write({"readback.yml": yaml.safe_dump(config), "rows.jsonl": rows, "answers.jsonl": answers})
    audit = engine.check(workspace.open(root))
    found = [one for one in audit.findings if one.code == "fmt-answer-cites-missing"]
    assert all(one.severity == "warning" and one.place.file == "answers.jsonl" for one in found)
    return [(one.place.record or "", one.place.line, one.values["cited"], one.values["contexts"]) for one in found]


@pytest.mark.parametrize(
    ("template", "reply", "expected"),
    [
        (PLAIN, "Nine [1] and the keeper [2].", None),
        (PLAIN, "Nine [3].", (["[3]"], 2)),
        (LABELLED, "Nine [1], so [7] and [9].", (["[7]", "[9]"], 2)),
        (LABELLED, "Nine[7].", (["[7]"], 2)),
        (LABELLED, "It is rows[7], `x[9]`, see [5](https://example.org).", None),
        (SECOND, "The keeper [2].", None),
        (SECOND, "Nine [1].", (["[1]"], 1)),
        (FIRST, "Nine [2].", (["[2]"], 1)),
        (NONE, "Nine [1].", (["[1]"], 0)),
        (NONE, "Nine.", None),
    ],
)
def test_a_citation_of_what_was_not_sent_is_named(
    write: Write, template: str, reply: str, expected: tuple[list[str], int] | None
) -> None:
    found = cited(write, template, "No citation.", reply)
    assert found == ([] if expected is None else [("q1", 2, *expected)])
