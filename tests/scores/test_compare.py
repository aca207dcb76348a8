"""Comparisons of conditions: on the same items, within one judge, planned ones apart, and no more than is supported."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference
from score_files import TIDY, Write, load

from readback import cli
from readback.scores.comparing import compare, paired_items
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import Planned, ScoreTable

LIVERAG = "data/liverag-judge/factor_analysis_query_level_scores.csv"


def table(write: Write, cells: Sequence[tuple[str, str, str, Any, str]]) -> ScoreTable:
    """Cells of (item, condition, criterion, score, judge)."""
    return load(write({"s.csv": TIDY + "".join(f"{i},{c},{k},{v},{j},\n" for i, c, k, v, j in cells)}))


def two(write: Write, a: Sequence[Any], b: Sequence[Any], criterion: str = "relevance") -> Comparison:
    """The comparison of two conditions whose items are numbered; None leaves an item's row out."""
    cells = [
        (f"q{at}", name, criterion, value, "j")
        for name, values in (("a", a), ("b", b))
        for at, value in enumerate(values)
        if value is not None
    ]
    (found,) = compare.compare(table(write, cells)).comparisons
    return found


def test_only_items_scored_on_both_sides_count_and_the_others_are_told(write: Write) -> None:
    found = two(write, [0, 1, 2, None, 1, "N/A", 2], [1, 1, 1, 2, None, 2, 2])
    assert (found.n_shared, found.only_a, found.only_b) == (4, 1, 2)
    assert (found.mean_a, found.mean_b, found.difference) == (1.25, 1.25, 0.0)
    assert (found.wins, found.ties, found.losses) == (1, 2, 1)


def test_the_interval_and_p_are_those_of_the_paired_differences(write: Write) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(-1, 3, 40), rng.integers(0, 3, 40)
    found = two(write, a.tolist(), b.tolist())
    expected = reference.ttest_rel(b, a).confidence_interval()
    assert found.interval == pytest.approx((expected.low, expected.high))
    assert found.method == "t"
    draws = reference.permutation_test(
        (b - a,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert found.p == pytest.approx(draws.pvalue, abs=0.01)


def test_a_binary_criterion_is_tested_by_mcnemar(write: Write) -> None:
    a = [0] * 12 + [1] * 9
    b = [1] * 10 + [0] * 2 + [1] * 7 + [0] * 2
    found = two(write, a, b, "pass")
    assert found.p_method == "exact McNemar test"
    assert found.p == pytest.approx(reference.binomtest(10, 12).pvalue)


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ([0] * 20, [1] * 18 + [0, 2], "b is higher"),
        ([2] * 20, [1] * 18 + [0, 2], "a is higher"),
        ([0, 1] * 10, [1, 0] * 10, "not separated"),
        ([1, 2] * 10, [1, 2] * 10, "constant"),
        ([0] * 4, [2] * 4, "too few"),
    ],
)
def test_the_verdict_is_no_more_than_the_data_support(write: Write, a: list[int], b: list[int], verdict: str) -> None:
    assert two(write, a, b).verdict == verdict


def test_within_the_margin_of_the_study_a_difference_counts_as_none(write: Write) -> None:
    cells = [(f"q{i}", c, "relevance", (i + (c == "b" and i % 20 == 0)) % 3, "j") for i in range(80) for c in "ab"]
    plan = (Planned("a", "b", ("relevance",), margin=0.5),)
    (found,) = compare.compare(table(write, cells), plan).comparisons
    assert found.verdict == "equivalent"
    assert found.p_equivalent is not None
    assert found.p_equivalent < 0.05


def test_the_plan_is_one_family_and_stands_first_and_the_rest_is_exploratory(write: Write) -> None:
    cells = [(f"q{i}", c, k, (i * n + n) % 3, "j") for i in range(30) for n, c in enumerate("abc") for k in ("r", "s")]
    plan = (Planned("a", "b", ("r",)), Planned("b", "c", ("s",)), Planned("a", "nobody", ("r",)))
    made = compare.compare(table(write, cells), plan)
    assert [one.planned is not None for one in made.comparisons] == [True, True, False, False, False, False]
    assert [one.family for one in made.comparisons] == [2, 2, 4, 4, 4, 4]
    assert compare.list_absent(table(write, cells), plan) == ((plan[2], "nobody"),)


def test_comparisons_stay_within_one_judge(write: Write) -> None:
    cells = [(f"q{i}", c, "relevance", i % 3, j) for i in range(8) for c in "ab" for j in ("j", "k")]
    made = compare.compare(table(write, cells))
    assert [(one.judge, one.n_shared) for one in made.comparisons] == [("j", 8), ("k", 8)]
    assert len(compare.compare(table(write, cells), judge="k").comparisons) == 1


def test_beyond_twelve_conditions_a_baseline_is_asked_for(write: Write) -> None:
    cells = [(f"q{i}", f"c{c:02}", "relevance", (i + c) % 3, "j") for i in range(6) for c in range(13)]
    found = table(write, cells)
    assert compare.compare(found).comparisons == ()
    assert "choose a baseline" in (compare.compare(found).skipped or "")
    chosen = compare.compare(found, baseline="c03")
    assert {one.a for one in chosen.comparisons} == {(("condition", "c03"),)}
    assert len(chosen.comparisons) == 12
    with pytest.raises(LookupError, match="there are: c00; c01"):
        compare.compare(found, baseline="c99")


def test_replicates_count_an_item_once_with_their_mean(write: Write) -> None:
    rows = "".join(f"q{i},{c},relevance,{r + (c == 'b')},{r}\n" for i in range(9) for c in "ab" for r in (0, 1))
    found = load(write({"s.csv": "item,condition,criterion,score,replicate\n" + rows}))
    (made,) = compare.compare(found).comparisons
    assert (made.n_shared, made.mean_a, made.mean_b) == (9, 0.5, 1.5)


@settings(max_examples=some(30), deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([-1, 0, 1, 2, ""])] * 2), min_size=1, max_size=25))
def test_both_directions_mirror_each_other_and_counts_reconcile(write: Write, pairs: list[tuple[Any, Any]]) -> None:
    cells = [(f"q{i}", c, "relevance", v, "j") for i, pair in enumerate(pairs) for c, v in zip("ab", pair, strict=True)]
    found = table(write, cells)
    forth, back = (
        paired_items.pair_items(found, ((("condition", x),)), ((("condition", y),)), "relevance", "j")
        for x, y in ("ab", "ba")
    )
    assert forth.items == back.items
    assert forth.a.tolist() == back.b.tolist()
    scored = [sum(pair[side] != "" for pair in pairs) for side in (0, 1)]
    assert [len(forth.items) + forth.only_a, len(forth.items) + forth.only_b] == scored
    for one in compare.compare(found).comparisons:
        assert one.wins + one.ties + one.losses == one.n_shared
        numbers = (one.difference, one.p, one.detectable, *(one.interval or ()))
        assert all(number is None or math.isfinite(number) for number in numbers)


@pytest.mark.realdata
def test_the_advanced_prompt_costs_relevance_and_gains_faithfulness_paired_by_question(shared: Path) -> None:
    made = compare.compare(load(shared / "data/liverag-judge", Path(LIVERAG).name), by="rag_prompt_level",
                           baseline="naive")  # fmt: skip
    cells: dict[Any, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    with (shared / LIVERAG).open(newline="") as rows:
        for row in csv.DictReader(rows):
            rest = tuple(v for k, v in row.items() if k not in ("qid", "rag_prompt_level") and not k.endswith("_score"))
            for name in ("relevance_score", "faithfulness_score"):
                cells[name, row["qid"]][rest].append(
                    float(row[name]) * (1 if row["rag_prompt_level"] != "naive" else -1)
                )
    for found, sign in zip(made.comparisons, (-1, 1), strict=True):
        by_question = [
            np.mean([sum(pair) for pair in rests.values() if len(pair) == 2])
            for (name, _), rests in cells.items()
            if name == found.criterion
        ]
        expected = reference.ttest_1samp(by_question, 0)
        assert found.n_shared == 100
        assert found.difference == pytest.approx(np.mean(by_question))
        assert found.interval == pytest.approx(tuple(expected.confidence_interval()))
        assert found.interval[0] * found.interval[1] > 0
        assert math.copysign(1, found.difference or 0) == sign


def test_the_command_says_the_same_in_words_and_in_json(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    cells = "".join(f"q{i},{c},relevance,{(i + n) % 3},j,\n" for i in range(30) for n, c in enumerate(("shut", "open")))
    plan = "comparisons: [{a: shut, b: open, criterion: relevance, question: Does it help?, expected: open wins}]\n"
    root = write({"readback.yml": f"scores: [s.csv]\n{plan}", "s.csv": TIDY + cells})
    assert cli.main(["scores", str(root), "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (one["a"], one["b"]) == ({"condition": "shut"}, {"condition": "open"})
    assert (one["n_shared"], one["wins"], one["losses"], one["ties"]) == (30, 20, 10, 0)
    assert (one["planned"], one["expected"]) == (True, "open wins")
    cli.main(["scores", str(root)])
    said = capsys.readouterr().out
    first = (
        "Does it help? No clear difference. On 30 shared questions “open” and “shut” have the same mean (95 % interval"
    )
    assert said.startswith("“open” or “shut”? By “relevance”: no clear difference.\n")
    assert f"\n\n{first}" in said
    assert "expected: open wins; found: no clear difference\n" in said
    assert "exploratory" not in said
