"""Replies without JSON: the usual forms are read, an unknown one is not read, and that is no failure of the judge."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_files import Write, load

from readback import cli
from readback.scores import summary
from readback.scores.comparing import compare
from readback.scores.files import judge_reply
from readback.scores.files.judge_reply.plain_forms import find_plain_scores
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import scale_text


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Score: 8", 8),
        ("The answer is good. Rating: [[8]]", 8),
        ("**Score:** 8/10", 8),
        ("8", 8),
        ("**8**", 8),
        ("8.", 8),
        ("8.5/10", 8.5),
        ("I would give it an 8 out of 10.", 8),
        ("<score>8</score>", 8),
        ("Thanks.\n<rating> 8 </rating>", 8),
        ("Final verdict: 8", 8),
        ("FINAL SCORE = 8", 8),
        ("final_score: 8", 8),
        ("Overall score is 8 out of 10", 8),
        ("Rating: **8**/10", 8),
        ("### Score\n8", 8),
        ("Score: -1", -1),
        ("I think 3/4 of it is right. Score: 8", 8),
        ("Score: 8\nScore: 7", None),
        ("Score: 80%", None),
        ("8-9", None),
        ("Score: eight", None),
        ("Grade: A", None),
        ("12/11/2024", None),
        ("I cannot rate this answer.", None),
        ("Version 2 is better than version 1", None),
        ("", None),
    ],
)
def test_a_usual_form_is_read(text: str, score: float | None) -> None:
    assert find_plain_scores(text, ("score",)) == ({} if score is None else {"score": float(score)})


def test_several_criteria_are_read_by_their_names() -> None:
    text = "Relevance: 2\n**Faithfulness:** 1\nOverall: good"
    assert find_plain_scores(text, ("relevance_score", "faithfulness")) == {"relevance_score": 2, "faithfulness": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'score': 8}", {"score": 8}),
        ("Here: {'score': 8, 'why': \"it's fine\", 'ok': True, 'more': None}.",
         {"score": 8, "why": "it's fine", "ok": True, "more": None}),
        ("{score: 8}", None),
        ("{'score': __import__('os')}", None),
    ],
)  # fmt: skip
def test_a_mapping_that_python_printed_is_read(text: str, value: object) -> None:
    assert judge_reply.read(text, ("score",)).value == value


def test_ten_usual_ways_and_one_that_nobody_knows(write: Write) -> None:
    texts = [
        "Score: 8", "Rating: [[8]]", "**Score:** 8/10", "8", "an 8 out of 10", "<score>8</score>", "Final verdict: 8",
        "{'score': 8}", '```json\n{"score": 8}\n```', "FINAL SCORE = 8", "It is fine, I suppose.",
    ]  # fmt: skip
    rows = [{"item": f"q{n}", "condition": "a", "judge": "j", "reply": text} for n, text in enumerate(texts)]
    (row,) = summary.rows(load(write({"r.jsonl": rows})))
    assert (row.criterion, row.n, row.mean) == ("score", 10, 8.0)
    assert (row.failed, row.missing, row.not_read) == (0, 1, 1)


def test_a_broken_object_is_the_judges_failure_and_an_unknown_form_is_not(write: Write) -> None:
    texts = ['{"score": 8}', '{"score": 8', "No.", "<think>hm"]
    rows = [{"item": f"q{n}", "condition": "a", "judge": "j", "reply": text} for n, text in enumerate(texts)]
    (row,) = summary.rows(load(write({"r.jsonl": rows})))
    assert (row.n, row.failed, row.missing, row.not_read) == (1, 2, 1, 1)


def test_answers_that_are_numbers_are_not_taken_for_scores(write: Write) -> None:
    rows = [{"item": f"q{n}", "condition": "a", "reply": str(n)} for n in range(9)]
    assert not len(load(write({"r.jsonl": rows})).columns)


def _replies(texts: dict[str, list[str]]) -> list[dict[str, str]]:
    return [
        {"item": f"q{n}", "condition": name, "judge": "j", "reply": text}
        for name, of_it in texts.items()
        for n, text in enumerate(of_it)
    ]


def _found(table: ScoreTable) -> dict[tuple[str, str], tuple[int, float | None]]:
    return {(table.label(row.condition), row.criterion): (row.n, row.mean) for row in summary.rows(table)}


@pytest.mark.parametrize("form", ["{}/{}", "Score: {}/{}", "[[{}/{}]]", "<score>{} / {}</score>", "{} out of {}"])
def test_two_denominators_are_two_scales(write: Write, form: str) -> None:
    texts = {"a": [form.format(4, 5)] * 6, "b": [form.format(8, 10)] * 7}
    table = load(write({"r.jsonl": _replies(texts)}))
    assert _found(table) == {("a", "score (0 to 5)"): (6, 4.0), ("b", "score"): (7, 8.0)}
    assert scale_text(table.criteria["score"]) == "0 to 10"
    assert scale_text(table.criteria["score (0 to 5)"]) == "0 to 5"
    (finding,) = [one for one in table.diagnostics if one.code == "scr-scale-differs"]
    assert finding.values["differs"] == "7 written as /10, 6 written as /5"
    made = compare.compare(table, ())
    assert not made.comparisons


def test_one_denominator_states_the_scale(write: Write) -> None:
    table = load(write({"r.jsonl": _replies({"a": ["8/10", "Score: 7", "9/10", "11/10"]})}))
    (row,) = summary.rows(table)
    assert (row.n, row.mean, row.failed) == (3, 8.0, 1)
    assert scale_text(table.criteria["score"]) == "0 to 10"
    assert not [one for one in table.diagnostics if one.code == "scr-scale-differs"]


def test_few_denominators_among_bare_numbers_state_nothing(write: Write) -> None:
    table = load(write({"r.jsonl": _replies({"a": ["Score: 8", "Score: 7", "Score: 3", "2/5"]})}))
    assert "score" in table.inferred


def test_a_bare_number_among_two_scales_is_not_read(write: Write) -> None:
    table = load(write({"r.jsonl": _replies({"a": ["4/5", "8/10", "8/10", "Score: 3"]})}))
    rows = {row.criterion: row for row in summary.rows(table)}
    assert (rows["score"].n, rows["score"].not_read, rows["score (0 to 5)"].n) == (2, 1, 1)


def test_a_bare_number_beside_one_slip_is_out_of_the_usual(write: Write) -> None:
    table = load(write({"r.jsonl": _replies({"a": ["8/10"] * 30 + ["Score: 8", "4/5"]})}))
    assert _found(table)[("a", "score")] == (31, 8.0)


def test_two_files_with_two_denominators_are_two_criteria(write: Write) -> None:
    files = {"a.jsonl": _replies({"a": ["4/5", "3/5"]}), "b.jsonl": _replies({"b": ["8/10", "6/10"]})}
    table = load(write(files))
    assert _found(table) == {("a", "score"): (2, 3.5), ("b", "score (0 to 10)"): (2, 7.0)}


def _concluded(root: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[dict[str, Any]], str]:
    """Return the first line of `readback scores`, its conclusions, and the findings of `readback check`."""
    cli.main(["scores", str(root)])
    first = capsys.readouterr().out.splitlines()[0]
    cli.main(["scores", str(root), "--format", "json"])
    conclusions = json.loads(capsys.readouterr().out)["conclusions"]
    cli.main(["check", str(root)])
    return first, conclusions, capsys.readouterr().out


NOT_COMPARED = (
    "By “score”: not compared, because its scores are on different scales: "
    "{first} under “{a}” (20 scores), and {second} under “{b}” (20 scores)."
)


def test_two_denominators_are_said_first_and_are_not_compared(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"r.jsonl": _replies({"a": ["8/10", "7/10"] * 10, "b": ["4/5", "3/5"] * 10})})
    first, (said,), findings = _concluded(root, capsys)
    assert first == NOT_COMPARED.format(first="0 to 10", a="a", second="0 to 5", b="b")
    assert (said["verdict"], said["better"], said["conditions"]) == ("two scales", None, 2)
    assert "scr-scale-differs: score has scores on two scales: 20 written as /10, 20 written as /5" in findings


def test_two_files_with_two_denominators_are_named_and_not_compared(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write({"a.jsonl": _replies({"a": ["4/5", "3/5"] * 10}), "b.jsonl": _replies({"b": ["8/10", "6/10"] * 10})})
    first, (said,), findings = _concluded(root, capsys)
    assert first == NOT_COMPARED.format(first="0 to 5", a="a", second="0 to 10", b="b")
    assert said["verdict"] == "two scales"
    assert (
        "b.jsonl: warning scr-scale-differs: score has scores on two scales: 0 to 5 in a.jsonl, 0 to 10 in b.jsonl"
        in (findings)
    )


def test_two_denominators_of_the_same_conditions_are_compared_by_themselves(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["8/10", "7/10", "4/5"] * 8
    first, conclusions, _ = _concluded(write({"r.jsonl": _replies({"a": both, "b": both})}), capsys)
    assert first.startswith("By “score”: not compared as a whole, because its scores are on different scales: ")
    assert first.endswith("(16 scores); each scale is compared by itself.")
    assert [one["verdict"] for one in conclusions] == ["two scales", "constant", "constant"]


@pytest.mark.parametrize(
    "texts",
    [
        {"a": ["8/10"] * 20, "b": ["7/10"] * 20},
        {"a": ["8/10"] * 20 + ["4/5"], "b": ["7/10"] * 20},  # one slip, which its finding names
    ],
)
def test_one_scale_is_compared(texts: dict[str, list[str]], write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    first, _, _ = _concluded(write({"r.jsonl": _replies(texts)}), capsys)
    assert first.startswith("“b” or “a”? By “score”: ")


def test_two_denominators_in_one_reply_are_not_read() -> None:
    assert find_plain_scores("8/10, which is 8/5", ("score",)) == {}


@given(st.text(alphabet="score:=is of[]<>/*_`'{}\"8 \n-.,", max_size=300))
def test_no_text_raises(text: str) -> None:
    reply = judge_reply.read(text, ("score",))
    judge_reply.read_plain(text, reply, ("score",))


@pytest.mark.parametrize("part", ["score ", "[[", "8/", "<score>", "score: is of ", "'", "{'", "_8", "1 out of "])
def test_time_grows_with_the_text_alone(part: str) -> None:
    text = part * (190_000 // len(part))
    begun = time.perf_counter()
    judge_reply.read_plain(text, judge_reply.read(text, ("score",)), ("score",))
    assert time.perf_counter() - begun < 5
