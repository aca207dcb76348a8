"""A record is called by the first words of its question, not by a system message that all records share."""

from __future__ import annotations

from typing import Any

import pytest

from readback.records.first_words import find_first_words
from readback.types import Record

OPENAI = [{"role": "system", "content": "Be brief now."}, {"role": "user", "content": "How long\nis it?"}]
SHAREGPT = [{"from": "system", "value": "Be brief now."}, {"from": "human", "value": "How long\nis it?"}]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"input": OPENAI, "ideal": "x"}, "How long is it?"),
        ({"turns": OPENAI}, "How long is it?"),
        ({"conversations": SHAREGPT}, "How long is it?"),
        ({"turns": OPENAI[:1]}, "Be brief now."),
        ({"notes": ["one text", {"role": ["odd"], "content": "another text"}]}, "one text"),
    ],
)
def test_the_question_comes_before_a_system_message(fields: dict[str, Any], words: str) -> None:
    assert find_first_words(Record("1", fields), {}) == words
