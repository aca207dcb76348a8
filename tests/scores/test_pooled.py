"""Several judges of one answer, the order of criteria and the reference answer: values in, values out."""

from __future__ import annotations

import math

import pytest
from score_files import Write, load

from readback.scores import criterion_kinds, pooled, reference, summary
from readback.scores import loading as scores
from readback.scores.comparing.difference import compute_difference
from readback.scores.output.answer import as_json
from readback.scores.table import ConditionKey
from readback.types import Condition, DatasetSource, ScoreSource, Workspace

HEAD = "item,condition,criterion,score,judge\n"
REPEATED = "item,condition,criterion,score,judge,replicate\n"
# q1 under a: 1 and 3 by human:1, 4 by human:2; q2: 2 by human:1 alone; q3: failed by both; b: q1 5, q2 1 by human:2
ROWS = """q1,a,quality,1,human:1,1
q1,a,quality,3,human:1,2
q1,a,quality,4,human:2,1
q2,a,quality,2,human:1,1
q2,a,quality,,human:2,1
q3,a,quality,,human:1,1
q3,a,quality,,human:2,1
q1,b,quality,3,human:1,1
q1,b,quality,5,human:2,1
q2,b,quality,1,human:2,1
q3,b,quality,4,human:1,1
"""


def key(name: str) -> ConditionKey:
    return (("condition", name),)


def test_an_item_counts_with_the_mean_of_its_judges_and_a_judge_without_a_score_in_no_mean(write: Write) -> None:
    made = pooled.pooled(load(write({"s.csv": REPEATED + ROWS})))
    assert made is not None
    a, b = summary.rows(made, criterion="quality")
    # a: q1 ((1 + 3) / 2 + 4) / 2 = 3, q2 2; b: q1 4, q2 1, q3 4
    assert (a.judge, a.n, a.mean) == (pooled.PEOPLE, 2, 2.5)
    assert (b.n, b.mean) == (3, 3.0)
    assert a.missing + a.failed == 1  # q3 is said and never 0
    assert pooled.raters(made, "quality", pooled.PEOPLE, key("a")) == pooled.Raters(2, 1, 2)
    assert next(one.rationale for one in made.scores) == "human:1: 1 · human:1: 3 · human:2: 4"


def test_a_difference_is_taken_within_each_judge(write: Write) -> None:
    made = pooled.pooled(load(write({"s.csv": REPEATED + ROWS})))
    assert made is not None
    found = compute_difference(made, key("a"), key("b"), "quality", pooled.PEOPLE)
    # q1: human:1 3 − 2, human:2 5 − 4; q2 has no judge of both sides, q3 no score under a
    assert (found.n_shared, found.difference, found.only_a, found.only_b) == (1, 1.0, 1, 2)


def test_the_interval_is_over_items_and_the_strictness_of_a_judge_falls_out(write: Write) -> None:
    rows = [
        f"q{i},{c},quality,{(i % 3) + j + (c == 'b')},human:{j}\n"
        for i in range(20) for c in "ab" for j in (1, 2, 3) if (i + j) % 4 or c == "a"
    ]  # fmt: skip
    made = pooled.pooled(load(write({"s.csv": HEAD + "".join(rows)})))
    assert made is not None
    found = compute_difference(made, key("a"), key("b"), "quality", pooled.PEOPLE)
    assert found.difference == 1.0  # although the three, who differ in strictness, did not all score b
    row = summary.rows(made, criterion="quality")[0]
    values = [(i % 3) + 2 for i in range(20)]
    mean = sum(values) / 20
    half = 2.093024 * math.sqrt(sum((v - mean) ** 2 for v in values) / 19) / math.sqrt(20)  # t(19), 97.5 %
    assert row.n == 20
    assert row.mean == pytest.approx(mean)
    assert row.interval == pytest.approx((mean - half, mean + half), abs=1e-5)


def test_people_judges_and_programs_are_not_mixed(write: Write) -> None:
    rows = "".join(
        f"q{i},a,quality,{i},{judge}\n" for i in range(3) for judge in ("human:1", "human:2", "gpt", "llama", "system")
    )
    rows += "".join(f"q{i},a,rouge_l,{i / 2},{judge}\n" for i in range(3) for judge in ("x", "y"))
    table = load(write({"s.csv": HEAD + rows}))
    assert pooled.pools(table, "quality") == (pooled.PEOPLE, pooled.JUDGES)
    assert pooled.members(table, "quality", pooled.JUDGES) == ("gpt", "llama")
    assert pooled.pools(table, "rouge_l") == ()


def test_judges_of_other_answers_are_no_pool_and_those_of_one_side_only_are_compared_with_nobody(write: Write) -> None:
    apart = "q1,a,quality,1,j1\nq2,a,quality,2,j2\n"
    assert pooled.pooled(load(write({"s.csv": HEAD + apart}))) is None
    sides = "".join(f"q{i},{c},quality,{i},{c}{j}\n" for i in range(6) for c in "ab" for j in (1, 2))
    table = load(write({"s.csv": HEAD + sides}))
    found = as_json(table, tell=lambda diagnostic: diagnostic.code)["pooled"]
    assert found["comparisons"] == []
    assert found["blocked"][0]["codes"] == ["scr-judge-differs"]


def test_the_answer_has_the_pool_its_agreement_and_nothing_of_it_for_one_judge(write: Write) -> None:
    rows = "".join(f"q{i},{c},quality,{(i + j) % 3},j{j}\n" for i in range(8) for c in "ab" for j in (1, 2))
    table = load(write({"s.csv": HEAD + rows}))
    found = as_json(table, tell=lambda diagnostic: diagnostic.code)
    row = found["pooled"]["rows"][0]
    assert (row["pool"], row["judge"], row["judges"], row["judges_fewest"], row["judges_most"]) == (
        "judges",
        None,
        2,
        2,
        2,
    )
    assert found["pooled"]["comparisons"][0]["pool"] == "judges"
    assert found["pooled"]["agreement"][0]["units"] == 16
    assert {one["judge"] for one in found["rows"]} == {"j1", "j2"}
    assert as_json(table, judge="j1", tell=lambda diagnostic: diagnostic.code)["pooled"] is None


@pytest.mark.parametrize(
    ("name", "metric"),
    [("RougeL", True), ("rouge-1", True), ("Bert-KPrec", True), ("BERTScore", True), ("bleu_score", True), ("f1", True),
     ("exact_match", True), ("chrF", True), ("relevance", False), ("emotion", False), ("format", False),
     ("completeness", False), ("mapping", False)],
)  # fmt: skip
def test_automatic_metrics_are_known_by_their_names(name: str, metric: bool) -> None:
    assert criterion_kinds.is_metric(name) is metric


def test_criteria_are_in_the_order_declared_else_people_judges_metrics(write: Write) -> None:
    given = (("RougeL", "system"), ("style", "gpt"), ("tone", "gpt"), ("quality", "human:1"), ("clarity", "human:1"))
    rows = "".join(f"q{i},a,{name},{i % 2},{judge}\n" for i in range(3) for name, judge in given)
    table = load(write({"s.csv": HEAD + rows}))
    assert criterion_kinds.ordered(table) == ("quality", "clarity", "style", "tone", "RougeL")
    assert criterion_kinds.ordered(table, ("tone", "RougeL"))[:3] == ("tone", "RougeL", "quality")
    assert criterion_kinds.ordered(table, (), "RougeL", {"style"})[:2] == ("RougeL", "style")


@pytest.mark.parametrize(
    ("name", "score", "apart"), [("reference", 1, True), ("gold", 0.9999, True), ("gold", 0.98, False), ("a", 1, False)]
)
def test_a_reference_is_known_by_its_name_and_a_metric_of_one(
    write: Write, name: str, score: float, apart: bool
) -> None:
    rows = "".join(
        f"q{i},{c},RougeL,{v},system\nq{i},{c},quality,{i % 3},j\n"
        for i in range(6) for c, v in ((name, score), ("b", 0.3), ("c", 0.2))
    )  # fmt: skip
    table = load(write({"s.csv": HEAD + rows}))
    assert dict(table.apart) == ({key(name): reference.Reference("metric", 6, "RougeL")} if apart else {})
    found = as_json(table, criterion="quality", tell=lambda diagnostic: diagnostic.code)
    assert len(found["rows"]) == 3
    assert len(found["comparisons"]) == (1 if apart else 3)
    assert found["omnibus"] == [] or not apart


@pytest.mark.parametrize(("last", "apart"), [("answer 5", True), ("another", False)])
def test_a_reference_is_known_by_answers_that_equal_the_datasets(write: Write, last: str, apart: bool) -> None:
    data = "".join(f'{{"id": "q{i}", "reference_answer": "answer {i}"}}\n' for i in range(6))
    said = "".join(f'{{"id": "q{i}", "response": "{last if i == 5 else f"answer {i}"}"}}\n' for i in range(6))
    rows = "".join(f"q{i},{c},quality,{i % 3},j\n" for i in range(6) for c in ("copied", "b"))
    root = write({"data.jsonl": data, "copied.jsonl": said, "s.csv": HEAD + rows})
    table = scores.load(Workspace(
        root=root, name="x", scores=(ScoreSource("s.csv"),), dataset=DatasetSource("data.jsonl"),
        conditions=(Condition("copied", answers="copied.jsonl"), Condition("b")),
    ))  # fmt: skip
    assert dict(table.apart) == ({key("copied"): reference.Reference("answers", 6)} if apart else {})
