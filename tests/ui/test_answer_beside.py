"""What the model answered and its scores, beside the messages in the view One."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from looking import links, page, said, turned, words

Serving = Callable[[Mapping[str, Any]], Path]
CONFIG = """
dataset: {path: data.jsonl, id: id}
modes: [{mode: ask, template: "{{ question }}"}]
conditions:
  - {name: tuned, mode: ask, answers: tuned.jsonl}
  - {name: base, mode: ask}
"""
ROWS = [{"id": "a", "question": "Why?"}, {"id": "b", "question": "When?"}]
STUDY = {"readback.yml": CONFIG, "data.jsonl": ROWS, "tuned.jsonl": [{"id": "a", "response": "So."}]}
NO_ANSWER = "No answer of this condition for this record."
SCORES = "scores: [{path: scores.csv}]\n"
HEAD = "item,condition,criterion,judge,score\n"


def answer_text(markup: str) -> str:
    """The text of the answer as the browser has it, what is folded with it."""
    parts = re.findall(
        r'id="text-answer[^"]*" data-rb-start="\d+"><div class="rb-exact[^>]*>(.*?)</div>', markup, re.DOTALL
    )
    return unescape(re.sub(r"<[^>]+>", "", "".join(parts)))


def test_the_answer_and_its_scores_stand_beside_its_messages_and_lead_to_the_record_in_results() -> None:
    asked = {"workspace": "six-conditions", "record": "ellery-01"}
    test = page("prompts", **asked, condition="RAG-trained, open book")
    assert answer_text(said(test)) == "At the Gull buoy, two nautical miles west of the breakwater [1]."
    assert "relevance score 2 (−1 to 2) faithfulness score 1 (−1 to 1) In Results" in words(test)
    link = next(link for link in links(test, "results") if "item" in link)
    assert (link["item"], link["arm"]) == ("ellery-01", "RAG-trained, open book")
    there = turned(test, "results", **link)
    assert answer_text(said(there)) == "At the Gull buoy, two nautical miles west of the breakwater [1]."


def test_it_stands_after_the_findings_with_what_is_expected_below_it_before_the_size_and_the_record() -> None:
    test = page("prompts", workspace="six-conditions", record="ellery-01", condition="RAG-trained, open book")
    heads = re.findall("<h3>(.*?)</h3>", said(test))
    assert heads[1:] == ["Answer", "Expected answer", "Tokens", "The record"]
    assert "“RAG-trained, open book” sends 2 messages to rag-trained. No findings in this record." in words(test)
    assert re.search(r"The messages have \d+, the chat format around them \d+\.", words(test))


def test_what_is_expected_is_there_whatever_its_field_is_called_and_says_where_the_answer_is_equal(
    serving: Serving,
) -> None:
    rows = [
        {"id": "a", "question": "Why?", "scoring": {"target": "So."}},
        {"id": "b", "question": "When?", "gold": "é"},
    ]
    serving({**STUDY, "data.jsonl": rows})
    text = words(page("prompts", record="a", condition="tuned"))
    assert "Expected answer = the answer above, byte for byte · scoring.target " in text
    test = page("prompts", record="b", condition="tuned")
    assert "Expected answer 1 character · gold é" in words(test)
    assert 'id="text-reference"' in said(test)


def test_a_long_expectation_is_folded_as_a_long_answer_is(serving: Serving) -> None:
    text = "\n".join(f"line {number}" for number in range(1, 31))
    serving({**STUDY, "data.jsonl": [{**ROWS[0], "reference": text}]})
    markup = said(page("prompts", record="a", condition="tuned"))
    assert "<summary>… 18 more lines</summary>" in markup
    assert 'id="text-reference-rest"' in markup


def test_a_score_says_the_ends_of_its_scale(serving: Serving) -> None:
    criteria = (
        "criteria: {tone: {scale: [1, 2, 3, 4, 5]}, gap: {scale: {min: -2, max: 2}}, harm: {scale: {min: 0, max: 9}, "
        "direction: down}, kind: nominal}\n"
    )
    rows = "a,tuned,tone,Ada,4\na,tuned,gap,Ada,-1\na,tuned,harm,Ada,3\na,tuned,kind,Ada,7\n"
    serving({**STUDY, "readback.yml": CONFIG + criteria + SCORES, "scores.csv": HEAD + rows})
    said_scores = words(page("prompts", record="a", condition="tuned"))
    assert "tone score 4 of 5 gap score −1 (−2 to 2) harm score 3 of 9, lower is better kind score 7 In" in said_scores


def test_a_long_answer_is_whole_and_what_is_beyond_twelve_lines_is_folded(serving: Serving) -> None:
    text = "\n".join(f"line {number} <b>&amp;" for number in range(1, 31))
    serving({**STUDY, "tuned.jsonl": [{"id": "a", "response": text}]})
    markup = said(page("prompts", record="a", condition="tuned"))
    assert answer_text(markup) == text
    assert "<summary>… 18 more lines</summary>" in markup
    top, _, rest = markup.partition("<summary>… 18 more lines</summary>")
    assert "line 12 " in top
    assert "line 13 " in rest


def test_one_long_line_is_folded_between_two_words_and_says_how_much_is_folded(serving: Serving) -> None:
    text = "word " * 400
    serving({**STUDY, "tuned.jsonl": [{"id": "a", "response": text}]})
    markup = said(page("prompts", record="a", condition="tuned"))
    assert answer_text(markup) == text
    assert "<summary>… 1,460 more characters</summary>" in markup


def test_a_few_lines_more_are_not_folded(serving: Serving) -> None:
    serving({**STUDY, "tuned.jsonl": [{"id": "a", "response": "line\n" * 14}]})
    assert "more line" not in said(page("prompts", record="a", condition="tuned"))


def test_a_missing_answer_is_said_where_there_are_others(serving: Serving) -> None:
    serving(STUDY)
    assert NO_ANSWER not in words(page("prompts", record="a", condition="tuned"))
    assert NO_ANSWER in words(page("prompts", record="b", condition="tuned"))
    assert NO_ANSWER in words(page("prompts", record="a", condition="base"))


def test_where_nobody_answered_nothing_is_said_of_answers(serving: Serving) -> None:
    serving({**STUDY, "readback.yml": CONFIG.replace(", answers: tuned.jsonl", "")})
    test = page("prompts", record="a", condition="tuned")
    assert "Answer" not in re.findall("<h3>(.*?)</h3>", said(test))
    assert NO_ANSWER not in words(test)


def test_several_judges_are_named_and_only_the_scores_of_this_answer_are_there(serving: Serving) -> None:
    rows = "a,tuned,tone,Ada,4\na,tuned,tone,Bo,2\na,base,tone,Ada,1\nb,tuned,tone,Ada,3\n"
    serving({**STUDY, "readback.yml": CONFIG + SCORES, "scores.csv": HEAD + rows})
    assert "tone score 4 (1 to 4 given) Ada tone score 2 (1 to 4 given) Bo In Results" in words(
        page("prompts", record="a", condition="tuned")
    )


def test_many_scores_are_counted_where_they_are_not_all_there(serving: Serving) -> None:
    rows = "".join(f"a,tuned,c{number},Ada,{number % 5}\n" for number in range(20))
    serving({**STUDY, "readback.yml": CONFIG + SCORES, "scores.csv": HEAD + rows})
    text = words(page("prompts", record="a", condition="tuned"))
    assert "c11 score 1 8 more In Results" in text
    assert "c12" not in text


def test_a_score_that_a_chip_rounds_is_whole_where_it_is_pointed_at(serving: Serving) -> None:
    serving({**STUDY, "readback.yml": CONFIG + SCORES, "scores.csv": f"{HEAD}a,tuned,tone,Ada,0.123456\n"})
    assert '<li title="0.123456">tone' in said(page("prompts", record="a", condition="tuned"))


@pytest.mark.realdata
def test_the_answer_in_a_log_stands_beside_its_request(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = shared / "vectors" / "ecosystem" / "inspect_ai" / "in-graded" / "log.json"
    shutil.copy(log, tmp_path)
    monkeypatch.setenv("READBACK_WORKSPACE", str(tmp_path))
    test = page("prompts")
    assert "Answer 3 characters model_graded_qa score 0 (0 to 1 given) In Results" in words(test)
    assert len(answer_text(said(test))) == 3
