"""Which contexts of a record are inside what is sent."""

from __future__ import annotations

import re

from looking import page, said

from readback.checks.facts.contexts import ContextPlace, locate_contexts
from readback.types import NOWHERE, Segment

SIX = {"workspace": "six-conditions-mistakes", "record": "ellery-07"}


def sent(text: str, name: str = "question") -> list[list[Segment]]:
    return [[Segment(text, "variable", name, NOWHERE)]]


def test_contexts_are_told_by_the_characters_in_the_text() -> None:
    fields = {"rag": {"contexts": ["[1] one", None, "two"]}}
    assert locate_contexts(fields, sent("Context:\n[1] one\n"), whole=True) == (
        ContextPlace(1, "there", 0, 9, 16),
        ContextPlace(3, "absent"),
    )


def test_contexts_that_are_objects_are_looked_for_by_their_text() -> None:
    fields = {"documents": [{"title": "T", "text": "one tide"}, {"title": "T", "text": "two tides"}]}
    assert [place.state for place in locate_contexts(fields, sent("one tide"), whole=False)] == ["there", "unknown"]


def test_nobody_can_tell_what_a_template_has_written_in_another_form() -> None:
    fields = {"contexts": ["one", "two"]}
    assert [place.state for place in locate_contexts(fields, sent("ONE", "contexts[0]"), whole=False)] == [
        "unknown",
        "unknown",
    ]
    assert [place.state for place in locate_contexts(fields, sent("Why?"), whole=False)] == ["absent", "absent"]


def test_a_record_without_contexts_has_no_strip() -> None:
    assert locate_contexts({"question": "Why?", "contexts": []}, sent("Why?"), whole=True) == ()


def test_the_strip_links_each_context_that_is_in_the_text_to_its_place() -> None:
    drawn = said(page("prompts", **SIX, condition="base, open book"))
    assert drawn.count('data-rb-to="context-') == 2
    assert 'id="context-2"' in drawn
    signs = re.findall(r"<b>(\d)</b> <span>\w+</span> <em>(.*?)</em>", drawn)
    assert signs == [("1", "✓ sent"), ("2", "✓ sent"), ("3", "✗ not sent"), ("4", "✗ not sent")]
    assert "2 of 4 are in the text" in drawn


def test_the_finding_that_a_link_asks_for_is_outlined_where_it_has_no_span() -> None:
    drawn = said(page("prompts", **SIX, condition="base, open book", finding="0f3dab2c7152d588"))
    assert 'rb-here" id="f-0f3dab2c7152d588" aria-current="true"' in drawn


def test_a_way_past_the_controls_comes_first() -> None:
    drawn = said(page("prompts", **SIX))
    assert drawn.index("rb-skip") < drawn.index("rb-exact")


def test_beside_the_stored_prompt_its_own_characters_are_counted() -> None:
    test = page("prompts", **SIX, condition="RAG-trained, closed book", layer="stored")
    head = re.findall(r">([0-9,]+) characters", said(test))[0]
    assert head == "437"
    assert said(test).count(f"{head} characters") >= 2
