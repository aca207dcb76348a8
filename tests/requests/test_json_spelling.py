"""JSON that a tool wrote again before it logged it is a kind of its own: neither equal byte for byte nor different."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.held_requests import count_held, describe_held
from readback.checks.run import engine
from readback.cli import main
from readback.requests.first_difference import RESPELLED, find_first_difference
from readback.requests.json_spelling import is_same_json
from readback.requests.request import Request

Write = Callable[[Mapping[str, Any]], Path]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ('{"a": 1, "b": [true, null]}', '{"a":1,"b":[true,null]}', True),
        ('{"a": "é"}', '{"a": "\\u00e9"}', True),
        ('{"a": 1, "2": 3}', '{"2":3,"a":1}', True),  # JavaScript puts keys that are numbers first
        ('{"a": 1.0}', '{"a":1}', True),
        ('[\n  {"a": 1}\n]\n', '[{"a":1}]', True),
        ('{"a": 12345678901234567890}', '{"a":12345678901234567000}', False),  # JavaScript rounds it
        ('{"a": 1}', '{"a": 2}', False),
        ('{"a": 1}', '{"a": true}', False),
        ('{"a": "x y"}', '{"a": "xy"}', False),
        ("[1, 2]", "[2, 1]", False),
        ('{"a": 1, "a": 2}', '{"a": 2}', False),
        ('{"a": NaN}', '{"a":NaN}', False),
        ("1.0", "1", False),  # no object or list: text
        ("[1, 2", "[1,2", False),
        ("[" * 10_000, "[ " * 10_000, False),
        ("", "", False),
    ],
)
def test_texts_are_the_same_json_where_all_values_are_equal(a: str, b: str, same: bool) -> None:
    assert is_same_json(a, b) is same


def test_a_difference_of_content_comes_before_one_of_spelling() -> None:
    ours = [("system", '{"a": 1}'), ("user", "Why?")]
    respelled = find_first_difference(ours, Request("messages", (("system", '{"a":1}'), ("user", "Why?"))))
    assert respelled is not None
    assert (respelled.change, respelled.role) == (RESPELLED, "system")
    changed = find_first_difference(ours, Request("messages", (("system", '{"a":1}'), ("user", "When?"))))
    assert changed is not None
    assert (changed.change, changed.role) == ("replaced", "user")


TEMPLATE = '[{"role": "system", "content": "{\\"form\\": \\"{{ form }}\\"}"}, {"role": "user", "content": "{{ q }}"}]'
ROWS = [("a", "Why?"), ("b", "When?"), ("c", "Who?")]


def make_project(last: str) -> dict[str, Any]:
    """Return a project with a chat whose system text is JSON, and results in which promptfoo wrote it again."""
    results = [
        {
            "promptIdx": 0, "testIdx": number, "provider": {"id": "echo"}, "vars": {"form": form, "q": q},
            "prompt": {"label": "chat", "raw": json.dumps([
                {"role": "system", "content": json.dumps({"form": form}, separators=(",", ":"))},
                {"role": "user", "content": q if number < 2 else last},
            ], separators=(",", ":"))},
            "testCase": {"vars": {"form": form, "q": q}}, "response": {"output": "So."}, "success": True, "score": 1,
            "namedScores": {}, "gradingResult": {"pass": True, "score": 1, "reason": "ok"}, "failureReason": 0,
        }
        for number, (form, q) in enumerate(ROWS)
    ]  # fmt: skip
    tests = [{"vars": {"form": form, "q": q}} for form, q in ROWS]
    return {
        "promptfooconfig.yaml": json.dumps(
            {"prompts": [{"label": "chat", "id": "file://chat.json"}], "providers": ["echo"], "tests": tests}
        ),
        "chat.json": TEMPLATE,
        "results.json": json.dumps({"evalId": "e", "results": {"version": 3, "results": results, "prompts": []}}),
    }


@pytest.mark.parametrize(
    ("last", "counts", "sentence"),
    [
        ("Who?", (0, 3, 0), "0 of 3 logged requests equal your files, byte for byte; 3 are equal but for the spelling"),
        (
            "Whom?",
            (0, 2, 1),
            "all by text that only the request has in “chat”. 2 more are equal but for the spelling",
        ),
    ],
)
def test_they_are_counted_and_named_apart(
    last: str, counts: tuple[int, int, int], sentence: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(make_project(last))
    audit = engine.check(workspace.open(root))
    held = count_held(audit, 3)
    assert held is not None
    assert (held.equal, held.respelled, held.differing) == counts
    assert sentence in describe_held(held)
    assert audit.counts.get("fmt-json-respelled") == counts[1]
    assert audit.counts.get("fmt-assembly-differs", 0) == counts[2]
    main(["check", str(root)])
    assert sentence in capsys.readouterr().out
