"""Citations on Messages: shown where somebody asks for them, in prompts, references and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from looking import page, said, words
from streamlit.testing.v1 import AppTest

from readback.citations import bounded
from readback.sandbox import Limits
from readback.ui.common.draw.text import cited
from readback.ui.prompts.one import cited_numbers

Serving = Callable[[Mapping[str, Any]], Path]
CONFIG = """
dataset: {path: data.jsonl, id: id}
modes: [{mode: sum, system: "You are brief.", template: "{{ prompt }}"}]
conditions: [{name: tuned, mode: sum, answers: answers.jsonl}]
"""
PROMPT = (
    "Analyze the following legal document excerpt.\n\nDocument Excerpt:\nSee Smith v. Jones, 123 F.3d 456 (2020).\n\n"
    "Citations found: Smith v. Jones, 123 F.3d 456\n\nSummary:"
)
ROW = {"id": "a", "prompt": PROMPT, "expected_response": "Dismissed (Smith v. Jones, 123 F.3d 456 (2019))."}
SAID = {"task_id": "a", "response": "Dismissed (Smith v. Jones, 132 F.3d 456), and so Brown v. White, 789 F.2d 123."}
LEGAL = {"readback.yml": CONFIG, "data.jsonl": [ROW, {"id": "b", "prompt": "Why?"}], "answers.jsonl": [SAID]}
SIX = {"workspace": "six-conditions-mistakes", "condition": "RAG-trained, open book"}


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    cited._find_citations.clear()
    yield
    cited._find_citations.clear()


def marks(test: AppTest) -> list[tuple[str, str]]:
    """Look and words of each stretch that is marked as a citation."""
    found = re.findall(r'<mark class="rb-find rb-(cite\S*)" title="([^"]*)"', said(test))
    return [(look, unescape(title)) for look, title in found]


def opened(**more: str) -> AppTest:
    return page("prompts", record="a", condition="tuned", citations="1", **more)


def test_reference_and_answer_stand_below_the_messages(serving: Serving) -> None:
    serving(LEGAL)
    test = page("prompts", record="a", condition="tuned")
    assert "Reference (expected_response)" in said(test)
    assert "Answer of tuned" in said(test)
    assert marks(test) == []


def test_each_citation_is_marked_with_its_kind_and_what_its_source_says(serving: Serving) -> None:
    serving(LEGAL)
    found = marks(opened())
    assert ("cite", "Case with its reporter: 123 f.3d 456") in found  # in the prompt: the source itself
    assert dict(found).keys() == {"cite", "cite-hm", "cite-no"}
    titles = " | ".join(title for _, title in found)
    assert "Supported by the excerpt, with another year: Smith v. Jones, 123 F.3d 456 (2020)" in titles
    assert "Altered: the excerpt has Smith v. Jones, 123 F.3d 456 (2020)" in titles
    assert "789 f.2d 123. Not found in the excerpt" in titles


def test_what_is_said_on_pointing_is_said_on_focus_too(serving: Serving) -> None:
    serving(LEGAL)
    assert 'data-from="Case with its reporter: 123 f.3d 456. ' in said(opened())


def test_the_numbers_stand_under_their_own_names(serving: Serving) -> None:
    serving(LEGAL)
    text = words(opened())
    assert "Legal citations Reference (expected_response) Answer of tuned found 1 2 supported 1 0" in text
    assert "hallucination rate 0.000 1.000" in text
    assert "reporters-db" in text


def test_marks_are_held_against_the_number_of_contexts() -> None:
    test = page("prompts", record="ellery-01", citations="1", **SIX)
    assert ("cite-ok", "Context 1 of 4") in marks(test)
    text = words(test)
    assert all(name in text for name in ("context_coverage", "answer_coverage", "grounded_fraction"))
    assert "precision 1.000" in text


def test_nothing_cited_is_said_and_is_no_number(serving: Serving) -> None:
    row = {"id": "a", "prompt": "Why?", "expected_response": "So.", "rag": {"contexts": ["one", "two"]}}
    serving({**LEGAL, "data.jsonl": [row], "answers.jsonl": [{"task_id": "a", "response": "So [3]."}]})
    test = opened()
    assert ("cite-no", "There is no context 3: the record has 2") in marks(test)
    assert "nothing cited" in words(test)


def test_the_switch_is_hidden_where_nothing_is_cited(serving: Serving) -> None:
    serving(LEGAL)
    assert "citations" in {one.key for one in page("prompts", record="a").toggle}
    assert "citations" not in {one.key for one in page("prompts", record="b").toggle}


def test_the_switch_marks_citations_and_is_in_the_address(serving: Serving) -> None:
    serving(LEGAL)
    test = page("prompts", record="a", condition="tuned")
    test.toggle(key="citations").set_value(True).run()
    assert test.query_params["citations"] == "1"
    assert marks(test)


def test_nothing_is_searched_on_a_page_that_does_not_show_it(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    serving(LEGAL)
    monkeypatch.setattr(cited, "find_in_child", lambda *_, **__: pytest.fail("searched"))
    page("prompts", record="a", condition="tuned")
    page("overview")


def test_a_text_is_searched_once_for_everybody(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    serving(LEGAL)
    searched: list[str] = []

    def find(texts: list[str], **more: Any) -> bounded.SearchResult:
        searched.extend(texts)
        return bounded.find_in_child(texts, **more)

    monkeypatch.setattr(cited, "find_in_child", find)
    opened()
    opened()
    assert searched
    assert len(searched) == len(set(searched))


def test_the_source_programs_patterns_are_shown_where_the_workspace_asks(serving: Serving) -> None:
    serving({**LEGAL, "readback.yml": f"{CONFIG}options: {{citation_patterns: upstream}}\n"})
    test = opened()
    assert {title.partition(":")[0] for _, title in marks(test)} == {"Found by the source program's patterns"}
    assert "found 2 4 supported 2 1 precision 1.000 0.250" in words(test)
    assert "six patterns of the source program" in words(test)


def test_a_training_row_shows_its_citations_too(serving: Serving) -> None:
    serving({"train.jsonl": [{"prompt": PROMPT, "completion": "Dismissed, 789 F.2d 123 (2019)."}]})
    test = page("prompts", citations="1")
    assert [look for look, _ in marks(test)] == ["cite", "cite", "cite-no"]
    assert "hallucination rate 1.000" in words(test)


def test_without_an_excerpt_nothing_is_called_supported_or_missing(serving: Serving) -> None:
    prompt = "Analyze the following legal document excerpt...\n\nSummary:"
    serving({"train.jsonl": [{"prompt": prompt, "completion": "Dismissed, 789 F.2d 123 (2019)."}]})
    test = page("prompts", citations="1")
    assert [title for _, title in marks(test)] == [
        "Reporter without a name: 789 f.2d 123. Not checkable: the prompt has no excerpt"
    ]
    assert "found 1 supported not checkable" in words(test)


def test_a_text_that_costs_too_much_is_said_and_the_page_stands(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "LIMITS", Limits(seconds=1.0, total=1.0, output=16 << 20))
    row = {**ROW, "expected_response": "1 U.S. 1 [" * 40_000}
    serving({**LEGAL, "data.jsonl": [row]})
    test = opened()
    assert "were not searched" in words(test)
    assert "Answer of tuned" in words(test)


def test_the_coverage_stored_with_a_record_is_told_apart() -> None:
    fields = {"metadata": {"citation_enforcement": {"verification": {"coverage": {"1": 0.5, "2": 1.0, "x": None}}}}}
    assert cited_numbers.stored(fields) == 0.75
    assert cited_numbers.stored({"metadata": {"citation_enforcement": []}}) is None
