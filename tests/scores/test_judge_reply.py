"""A judge's reply is read by a ladder whose first success wins, and nothing that cannot be read is ever 0."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from hypothesis import given
from hypothesis import strategies as st
from in_time import spent

from readback.scores.files import judge_reply
from readback.scores.files.judge_reply import RAG, read
from readback.types import Criterion

RELEVANCE = Criterion("relevance_score", "ordinal", (-1.0, 0.0, 1.0, 2.0), -1.0, 2.0)
FAITHFULNESS = Criterion("faithfulness_score", "ordinal", (-1.0, 0.0, 1.0), -1.0, 1.0)
BOTH = {"relevance_score": RELEVANCE, "faithfulness_score": FAITHFULNESS}


def said(relevance: Any, faithfulness: Any = 1) -> str:
    return json.dumps({"evaluation_notes": "so", "relevance_score": relevance, "faithfulness_score": faithfulness})


ONE, TWO = said(1), said(2)
TICKS = "```"


@pytest.mark.parametrize(
    ("text", "step", "relevance"),
    [
        (ONE, "whole", 1),
        (f"  {ONE}\n", "whole", 1),
        (f"<think>{TWO}</think>\n{ONE}", "whole", 1),
        (f"{TWO}</think>{ONE}", "whole", 1),
        (f"<think>a</think>{TWO}<think>b</think>{ONE}", "whole", 1),
        (f"<think>{ONE}", None, None),
        (f"{ONE} <think>{TWO}", "whole", 1),
        (f"Here:\n{TICKS}json\n{ONE}\n{TICKS}\nDone.", "fence json", 1),
        (f"{TICKS}json {ONE} {TICKS}", "fence json", 1),
        (f"{TICKS}JSON\n{TWO}\n{TICKS}\nbetter:\n{TICKS}json\n{ONE}{TICKS}", "fence json", 1),
        (f"{TICKS}json\n{ONE}\n{TICKS}\n{TICKS}\n{TWO}\n{TICKS}", "fence json", 1),
        (f"{TICKS}\n{ONE}\n{TICKS}", "fence", 1),
        (f"{TICKS}python\nx\n{TICKS}\n{TICKS}text\n{ONE}\n{TICKS}", "fence", 1),
        (f"{TICKS}json\n{{bad}}\n{TICKS}\n{TICKS}\n{ONE}\n{TICKS}", "fence", 1),
        (f"It is {ONE}.", "braces", 1),
        (f"{TWO} or rather {ONE}", "braces", 1),
        (f"the set {{a, b}} and {ONE} and {{}}", "braces", 1),
        (f'{{he said "so}} {ONE}', "braces", 1),
        ('{"evaluation_notes": "a } and { in a text", "relevance_score": 1} so', "braces", 1),
        (f'{{"result": {ONE}}}', "braces", 1),
        (f'{{"result": {ONE}, "cut": "he', "braces", 1),
        (f"[{ONE}]", "braces", 1),
        ('{"error": "none"}', "whole", None),
        ('"relevance_score": 1', None, None),
        ("", None, None),
        ("Relevance: 2", None, None),
        ('{"relevance_score": 1, "relevance_score": 2}', None, None),
        ('{"relevance_score": NaN}', None, None),
        ('{"relevance_score": 1e999}', None, None),
        ('{"relevance_score": 1,}', None, None),
        (f'{{"relevance_score": Infinity}} {ONE}', "braces", 1),
    ],
)
def test_the_first_step_that_succeeds_is_the_one_that_counts(text: str, step: str | None, relevance: Any) -> None:
    reply = read(text, RAG)
    assert (reply.step, (reply.value or {}).get("relevance_score")) == (step, relevance)
    if reply.span and step != "whole":
        assert text[slice(*reply.span)].startswith("{")


def test_what_was_dropped_and_what_was_read_have_their_places() -> None:
    text = f"<think>{TWO}</think> well: {ONE} <think> and"
    reply = read(text, RAG)
    assert [text[slice(*span)] for span in reply.thought] == [f"<think>{TWO}</think>", "<think> and"]
    assert reply.span
    assert text[slice(*reply.span)] == ONE


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (f"{ONE} {TWO}", [ONE]),
        (f"{ONE} {ONE}", []),
        (f"{TICKS}json\n{ONE}\n{TICKS} or {TWO}", [TWO]),
        (f"{TWO} {{}} {{unreadable}} {ONE}", [TWO]),
        (f'{{"other": 1}} {ONE}', []),
        (f"<think>{TWO}</think>{ONE}", []),
    ],
)
def test_two_objects_that_differ_are_ambiguous(text: str, others: list[str]) -> None:
    reply = read(text, RAG)
    assert [text[slice(*span)] for span in reply.others] == others
    assert reply.ambiguous == bool(others)
    assert [diagnostic.code for diagnostic in reply.diagnostics] == ["jdg-reply-ambiguous"] * bool(others)


@pytest.mark.parametrize(
    ("text", "kind", "relevance"),
    [
        (f"{TICKS}json\n{ONE}\n{TICKS}\n{TICKS}json\n{TWO}\n{TICKS}", "rag", 1),
        (f"so {ONE} so", "rag", 1),
        (f"<think>{{}}</think>{ONE}", "rag", None),
        (f"{ONE} {TWO}", "rag", None),
        (f"{TICKS}json\n{{bad}}\n{TICKS} {ONE}", "rag", None),
        (ONE, "rubric", 1),
        (f"{TICKS}json\n{ONE}\n{TICKS}", "rubric", 1),
        (f"<think>{{}}</think>{ONE}", "rubric", None),
        (f"{ONE} {TWO}", "rubric", None),
        ("", "rubric", None),
    ],
)
def test_the_source_programs_read_less(text: str, kind: Any, relevance: Any) -> None:
    assert (read(text, RAG, upstream=kind).value or {}).get("relevance_score") == relevance


@pytest.mark.parametrize(
    ("written", "value", "state", "code"),
    [
        (2, 2.0, "scored", None),
        (1.0, 1.0, "scored", None),
        (-1, -1.0, "scored", None),
        (0, 0.0, "scored", None),
        ("2", 2.0, "scored", "jdg-score-text"),
        (" -1 ", -1.0, "scored", "jdg-score-text"),
        (None, None, "missing", None),
        (True, None, "failed", "jdg-out-of-range"),
        ([2], None, "failed", "jdg-out-of-range"),
        ({"score": 2}, None, "failed", "jdg-out-of-range"),
        ("good", None, "failed", "jdg-out-of-range"),
        ("", None, "failed", "jdg-out-of-range"),
        (3, None, "failed", "jdg-out-of-range"),
        (1.5, None, "failed", "jdg-out-of-range"),
        ("9", None, "failed", "jdg-out-of-range"),
        (10**400, None, "failed", "jdg-out-of-range"),
    ],
)
def test_one_bad_criterion_does_not_void_the_others(written: Any, value: Any, state: str, code: str | None) -> None:
    marks = judge_reply.scores(read(said(written), RAG), BOTH)
    mark = marks["relevance_score"]
    assert (None if math.isnan(mark.value) else mark.value, mark.state) == (value, state)
    assert (mark.diagnostic.code if mark.diagnostic else None) == code
    assert marks["faithfulness_score"][:2] == (1.0, "scored")


def test_a_missing_key_is_missing_and_an_unreadable_reply_a_failure() -> None:
    assert {m.state for m in judge_reply.scores(read('{"evaluation_notes": "x"}', RAG), BOTH).values()} == {"missing"}
    failed = judge_reply.scores(read('{"relevance_score": 1, "relevance_score": 2}', RAG), BOTH)
    assert {m.state for m in failed.values()} == {"failed"}
    assert "twice" in failed["relevance_score"].why


def test_the_scores_of_a_rubric_stand_one_level_down() -> None:
    criteria = {"factuality": Criterion("factuality", "numeric", low=0.0, high=1.0)}
    reply = read('So: {"scores": {"factuality": 0.5}, "verdict": "fail"}', judge_reply.RUBRIC)
    assert judge_reply.scores(reply, criteria)["factuality"].value == 0.5


def test_without_keys_any_object_will_do() -> None:
    assert read('so {"a": 1}', ()).value == {"a": 1}


PIECES = st.lists(
    st.sampled_from(
        [ONE, TWO, "{", "}", '"', "[", "]", ",", ":", "\\", TICKS, "json\n", "\n", "<think>", "</think>", '{"a":', "1"]
    )
)


@given(PIECES.map("".join) | st.text())
def test_any_text_is_read_or_not_but_never_breaks(text: str) -> None:
    for upstream in (None, "rag", "rubric"):
        reply = read(text, RAG, upstream=upstream)
        assert (reply.value is None) == (reply.step is None) == (reply.span is None)
        judge_reply.scores(reply, BOTH)


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers() | st.booleans()), st.text(alphabet="ab }]\n"))
def test_an_object_is_found_whatever_stands_around_it(before: str, value: dict[str, Any], after: str) -> None:
    before = before.replace("{", "").replace("<", "")
    reply = read(f"{before}{json.dumps({**value, 'relevance_score': 1})}{after}", RAG)
    assert reply.value == {**value, "relevance_score": 1}


K = 1_000_000 if LONG else 250_000  # time that grows with the square is minutes in either


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * (K // 5),
        '{"' * (K // 2),
        "{" * (K // 2),
        '{"a":' * (K // 5) + "1" + "}" * (K // 5),
        '{"a":' + "[" * K,
        f"{TICKS}json\n" * (K // 10),
        f"{TICKS}json\n{ONE}\n{TICKS}\n" * (K // 100),
        '{"relevance_score":1}\n' * (K // 25),
        '{"b":{"a":1},"x"' * (K // 17),
        '{"a":"' + "x{" * (K // 2) + '"}',
        '{"a":' + "1" * K + "}",
    ],
    ids=range(11),
)
def test_a_megabyte_takes_no_longer_than_its_length_allows(text: str) -> None:
    began = spent()
    read(text, RAG)
    assert spent() - began < 5


@pytest.mark.realdata
def test_real_replies_are_read_as_they_were_counted(shared: Path) -> None:
    lines = (shared / "data" / "judge-outputs" / "judge_outputs.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    steps = Counter(("free" in row["judge"], read(row["content"], RAG).step) for row in rows)
    assert steps == {
        (True, None): 56,
        (True, "fence json"): 1,
        (True, "braces"): 1,
        (False, "whole"): 28,
        (False, None): 1,
    }
