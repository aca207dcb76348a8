"""Prompts of other tools on the page Prompts: what each sends is to be read, also where it is no message."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, words

ROWS = '{"id": "1", "q": "Why so?"}\n'
PLACE = {"type": "placeholder", "name": "history"}
STORED = {"name": "n", "version": 1, "labels": [], "prompt": [PLACE, {"role": "user", "content": "Q {{q}} {{no}}"}]}
PROGRAM = {"predict": {"demos": [], "signature": {"instructions": "Answer briefly.", "fields": []}}}
PIPELINE = """\
components:
  ask:
    type: haystack.components.builders.chat_prompt_builder.ChatPromptBuilder
    init_parameters: {template: '{% message role="user" %}Q {{q}}{% endmessage %}'}
"""


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({"p.yml": PIPELINE}, ["Q Why so?"]),
        ({"p.json": json.dumps(STORED)}, ["Q Why so? {{no}}", "history", "no value for no"]),
        ({"p.json": json.dumps(PROGRAM)}, ["are not assembled", "own words"]),
    ],
)
def test_a_prompt_is_shown(
    serving: Callable[[Mapping[str, Any]], Path], files: Mapping[str, str], read: list[str]
) -> None:
    serving({**files, "rows.jsonl": ROWS})
    test = page("prompts")
    assert not test.exception
    text = words(test)
    for each in read:
        assert each in text, text


def test_open_does_not_claim_that_every_variable_has_a_field(
    serving: Callable[[Mapping[str, Any]], Path],
) -> None:
    serving({"p.json": json.dumps(STORED), "rows.jsonl": ROWS})
    assert "A record that lacks a value has a finding." in words(page("open"))
