"""Where a name without a value would stand: found by assembling once more, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from looking import page, said

from readback import workspace
from readback.html import exact
from readback.prompts import assemble
from readback.prompts.gaps import find_gaps
from readback.types import Record, Segment, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]


@pytest.fixture
def opened(write: Write) -> Callable[[str, str], Workspace]:
    def make(template: str, syntax: str = "jinja") -> Workspace:
        modes = [{"mode": "m", "template": template, "syntax": syntax}]
        return workspace.open(write({"readback.yml": {"modes": modes, "dataset": "d.jsonl"}, "d.jsonl": [{"id": "a"}]}))

    return make


@pytest.mark.parametrize(
    ("template", "fields", "gaps"),
    [
        ("Q: {{ q }}\nC: {{ c }}!", {"q": "Why?"}, [(11, "c", "missing")]),
        ("Q: {{ q }}{{ c }}!", {"q": "", "c": None}, [(3, "q", "empty")]),  # Jinja prints None
        ("{{ q }}{{ q }}", {"q": ""}, [(0, "q", "empty"), (0, "q", "empty")]),
        ("{% if c %}Context: {{ c }}{% endif %}{{ q }}.", {"q": "", "c": ""}, [(0, "q", "empty")]),  # c would say more
        ("{{ q | length }} {{ q }}", {"q": ""}, []),  # another text as soon as there is a value
        ("{{ q }}", {"q": "Why?"}, []),
        ("{{ a.b }}.", {"a": {"b": ""}}, [(0, "a.b", "empty")]),
        ("{{ q }}\ue000", {"q": ""}, []),  # the sign is in the text already
    ],
)
def test_a_value_that_is_not_there_has_a_place(
    opened: Callable[[str], Workspace], template: str, fields: Mapping[str, Any], gaps: list[tuple[int, str, str]]
) -> None:
    found, record = opened(template), Record("a", fields)
    made = assemble.assemble(found, record, Selection(mode="m"))
    (mine,) = find_gaps(found, record, made)
    assert [(gap.position, gap.name, gap.state) for gap in mine] == gaps


@given(st.lists(st.text(max_size=6), max_size=4), st.data())
def test_the_text_stays_the_text_with_signs_in_it(texts: list[str], data: st.DataObject) -> None:
    whole = sum(map(len, texts))
    places = sorted(data.draw(st.lists(st.integers(0, whole), max_size=4)))
    segments = [Segment(text, "variable", "q") for text in texts]
    drawn = exact.html(segments, gaps=[exact.Gap(at, "q: empty") for at in places])
    assert drawn.count('class="rb-gap"') == len(places)
    sign = '<span class="rb-gap" role="img" aria-label="q: empty" data-gap="q: empty"></span>'
    assert drawn.replace(sign, "").count("rb-gap") == 0


def test_the_page_marks_it(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    serving(
        {"p.jinja": "Q: {{ question }}\nNote: {{ note }}", "d.jsonl": [{"id": "a", "question": "Why?", "note": ""}]}
    )
    shown = said(page("prompts"))
    assert 'data-gap="note: empty"' in shown
    assert "question: empty" not in shown
