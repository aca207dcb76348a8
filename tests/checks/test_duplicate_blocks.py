"""Blocks that one message holds find_repetitions: what is nobody's intention, and what is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.checks.rules import asm_duplicate_block
from readback.checks.rules.asm_duplicate_block import find_repetitions
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
NOTE = "Leave a field empty where the text does not say what belongs there."
MORE = "Write every quantity with its unit, and every date as year, month and day."


def check(files: Mapping[str, Any], write: Write) -> list[Finding]:
    audit = engine.check(workspace.open(write(files)), engine.CheckOptions(select=["asm-duplicate-block"]))
    assert audit.faults == ()
    return list(audit.findings)


def task(system: str, user: str, fields: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    said = {"dataset": "data.jsonl", "tasks": {"parsing": {"system": system, "user": user}}, **keys}
    text = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in said.items())
    return {"readback.yml": text, "data.jsonl": [{"id": "1", **fields}]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{NOTE}\n\nWhy?\n\n{NOTE}", [NOTE]),
        (f"{NOTE}\n\n{NOTE.upper()}\n", [NOTE.upper()[:-1]]),
        (f"{NOTE}\n\n{MORE}\n\nWhy?\n\n{NOTE}\n\n{MORE}", [f"{NOTE}\n\n{MORE}"]),
        (f"{NOTE}\n\n{MORE}\n\n{NOTE}\n\n{MORE}\n\n{NOTE}", [f"{NOTE}\n\n{MORE}", NOTE]),
        (f"Read. {NOTE} {NOTE} Why?", [NOTE]),
        ("Be brief.\n\nWhy?\n\nBe brief.", []),
        (f"Answer A or B.\n{NOTE}\nWhy?\n\nAnswer A or B.\n{NOTE}\nHow?", []),
        (f"{NOTE}\n\n{NOTE[:-7]} here.", []),
        ("", []),
    ],
)
def test_a_paragraph_that_stands_twice_is_found_once_for_each_time_more(text: str, found: list[str]) -> None:
    hits = [text[slice(*one.again)] for one in find_repetitions(text)]
    assert [" ".join(hit.split()).rstrip(".") for hit in hits] == [" ".join(one.split()).rstrip(".") for one in found]


@given(st.lists(st.lists(st.sampled_from(("aaaaaa", "bbbbbbb", "cccccc", "\0", NOTE, MORE)), max_size=14), max_size=6))
def test_what_is_not_looked_through_holds_nothing_twice(parts: list[list[str]]) -> None:
    text = "\n\n".join(" ".join(part) for part in parts)
    found = list(find_repetitions(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asm_duplicate_block, "_may_repeat", lambda words: True)
        assert list(find_repetitions(text)) == found


def test_both_places_and_what_wrote_them_are_said(write: Write) -> None:
    files = task("Extract.", f"{NOTE}\n\n{{{{ a }}}}", {"a": "So."}, adapters=["house.yml"])
    files["house.yml"] = f'tasks: {{parsing: {{user: "{NOTE}"}}}}\n'
    (hit,) = check(files, write)
    assert (hit.severity, hit.place.adapter, hit.place.role) == ("warning", "house", "user")
    assert (hit.values["first"], hit.values["first_by"], hit.values["again_by"]) == (
        f"0–{len(NOTE) - 1}",
        "task",
        "adapter house",
    )
    assert (hit.place.start, hit.place.end) == (len(NOTE) + 7, 2 * len(NOTE) + 6)


@pytest.mark.parametrize(
    ("user", "fields", "found"),
    [
        ("{{ a }}\n\nAgain:\n\n{{ a }}", {"a": NOTE}, 0),
        (f"{NOTE}\n\n{{{{ a }}}}", {"a": NOTE}, 1),
        ("{% for c in contexts %}{{ c }}\n\n{% endfor %}", {"contexts": [NOTE, NOTE]}, 0),
        (f"{NOTE}\n\n{{% for c in contexts %}}{{{{ c }}}}\n\n{{% endfor %}}", {"contexts": [NOTE]}, 0),
        (f"{{% for c in items %}}{{{{ c }}}}\n\n{NOTE}\n\n{{% endfor %}}", {"items": ["one", "two"]}, 0),
        ("{{ rag.prompt }}", {"rag": {"prompt": f"{NOTE}\n\n{NOTE}\n\nQuestion: Why?\nAnswer:", "contexts": []}}, 1),
        (
            "{{ rag.prompt }}",
            {"rag": {"prompt": f"Context:\n{NOTE}\n\n{NOTE}\n\nQuestion: Why?", "contexts": [NOTE]}},
            0,
        ),
    ],
)
def test_data_that_comes_twice_and_the_words_of_a_loop_are_left_alone(
    user: str, fields: dict[str, Any], found: int, write: Write
) -> None:
    assert len(check(task("Extract.", user, fields), write)) == found


def test_an_instruction_given_by_the_adapter_too_is_found_in_the_system_message(write: Write) -> None:
    files = task("Extract.", "{{ a }}", {"a": "So."}, adapters=["house.yml"], instructions={"parsing": NOTE})
    files["house.yml"] = f'tasks: {{parsing: {{system: "{NOTE}"}}}}\n'
    (hit,) = check(files, write)
    assert (hit.place.role, hit.values["first_by"], hit.values["again_by"]) == (
        "system",
        "adapter house",
        "instruction parsing",
    )
