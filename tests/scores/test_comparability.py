"""Two conditions are compared only where it means something; otherwise the reason is said, and what could be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from score_files import Write

from readback import workspace
from readback.scores import loading
from readback.scores.comparing import comparability
from readback.scores.comparing.compare import compare
from readback.scores.table import Planned, RunFacts, ScoreTable
from readback.sources import comparisons

SIX = (
    ("base_baseline_0p5b", "instruction"),
    ("rag_baseline_0p5b", "rag"),
    ("lora_science_0p5b_ft_only", "instruction"),
    ("hybrid_science_0p5b_instruction_only", "rag"),
    ("lora_science_0p5b_rag_trained_ft_only", "instruction"),
    ("hybrid_science_0p5b_rag_trained", "rag"),
)
FIVE = ("factuality", "grounding", "completeness", "communication", "overall")
ZERO = ("grounding", "instruction")
HEAD = "item,condition,mode,criterion,score,judge\n"


def six(criteria: Iterable[str] = FIVE) -> str:
    """The published study: six conditions, three of them without documents, whose grounding is always written 0."""
    rows = (
        f"t{i},{name},{mode},{k},{0.0 if (k, mode) == ZERO else ((i * 7 + n * 3) % 11) / 10},qwen3\n"
        for n, (name, mode) in enumerate(SIX)
        for k in criteria
        for i in range(24)
    )
    return HEAD + "".join(rows)


def opened(root: Path) -> ScoreTable:
    return loading.load(workspace.open(root))


def why(table: ScoreTable, a: str, b: str, criterion: str, judge: str = "qwen3") -> list[str]:
    return [
        diagnostic.code
        for diagnostic in comparability.find_obstacles(table, key(table, a), key(table, b), criterion, judge)
    ]


def key(table: ScoreTable, name: str) -> Any:
    return next(one for one in table.columns.conditions if name in dict(one).values())


def test_grounding_and_totals_are_not_compared_between_runs_with_and_without_documents(write: Write) -> None:
    table = opened(write({"six.csv": six()}))
    closed, book = "base_baseline_0p5b", "rag_baseline_0p5b"
    assert [why(table, closed, book, k) for k in FIVE] == [[], ["scr-not-comparable"], [], [], ["scr-not-comparable"]]
    (diagnostic,) = comparability.find_obstacles(table, key(table, closed), key(table, book), "grounding", "qwen3")
    assert diagnostic.values["differs"] == "mode: instruction / rag"
    assert diagnostic.values["part"] == ["factuality", "completeness", "communication"]
    assert {
        row.state for row in table.scores if row.criterion == "grounding" and "base_baseline" in str(row.condition)
    } == {"not applicable"}


def test_within_one_mode_everything_is_compared(write: Write) -> None:
    table = opened(write({"six.csv": six()}))
    assert [why(table, "rag_baseline_0p5b", "hybrid_science_0p5b_rag_trained", k) for k in FIVE] == [[]] * 5
    between = [why(table, "base_baseline_0p5b", "lora_science_0p5b_ft_only", k) for k in FIVE]
    assert between == [[], ["scr-not-comparable"], [], [], []]  # grounding applies to neither


def test_blocked_comparisons_are_listed_beside_those_that_are_made(write: Write) -> None:
    table = opened(write({"six.csv": six()}))
    found = compare(table)
    made = {(one.criterion, one.a == one.b) for one in found.comparisons}
    assert {criterion for criterion, _ in made} == set(FIVE)
    blocked = [one for one in found.blocked if one.criterion == "grounding"]
    assert len(blocked) == 15 - 3
    assert {diagnostic.code for one in blocked for diagnostic in one.why} == {"scr-not-comparable"}


@pytest.mark.parametrize(("judges", "expected"), [(("j", "k"), ["scr-judge-differs"]), (("j", "j"), [])])
def test_somebody_must_have_scored_both(write: Write, judges: tuple[str, str], expected: list[str]) -> None:
    rows = "".join(f"q{i},{c},clear,{i % 3},{j}\n" for i in range(9) for c, j in zip("ab", judges, strict=True))
    table = opened(write({"s.csv": "item,condition,criterion,score,judge\n" + rows}))
    assert why(table, "a", "b", "clear", "j") == expected


def test_the_judges_model_and_prompt_records_and_weights_must_be_the_same(write: Write) -> None:
    table = opened(write({"six.csv": six()}))
    a, b = key(table, "rag_baseline_0p5b"), key(table, "hybrid_science_0p5b_rag_trained")

    def said(one: dict[str, Any], other: dict[str, Any], criterion: str = "factuality") -> list[str]:
        about = (RunFacts(a, judge="qwen3", **one), RunFacts(b, judge="qwen3", **other))
        return [n.code for n in comparability.find_obstacles(replace(table, about=about), a, b, criterion, "qwen3")]

    assert said({"judge_model": "x"}, {"judge_model": "y"}) == ["scr-judge-differs"]
    assert said({"judge_prompt": "x"}, {"judge_prompt": "y"}) == ["scr-prompt-differs"]
    assert said({"dataset": "x"}, {"dataset": "y"}) == ["scr-rows-differ"]
    assert said({"judge_prompt": "x"}, {"judge_prompt": "y", "by_workspace": True}) == []  # prints of other things
    assert said({"judge_model": "x", "dataset": "d"}, {"judge_model": "x", "dataset": "d"}) == []
    weights = {"weights": {"factuality": 1.0}}, {"weights": {"factuality": 0.5, "grounding": 0.5}}
    assert said(*weights, criterion="overall") == ["scr-not-comparable"]
    assert said(*weights) == []


def test_each_kind_of_run_may_have_a_rubric_of_its_own_for_what_means_the_same(write: Write) -> None:
    table = opened(write({"six.csv": six((*FIVE, "clear"))}))
    a, b = key(table, "base_baseline_0p5b"), key(table, "rag_baseline_0p5b")
    about = (RunFacts(a, mode="instruction", judge_prompt="x"), RunFacts(b, mode="rag", judge_prompt="y"))
    table = replace(table, about=about)
    assert why(table, "base_baseline_0p5b", "rag_baseline_0p5b", "factuality") == []
    assert why(table, "base_baseline_0p5b", "rag_baseline_0p5b", "clear") == ["scr-prompt-differs"]


@pytest.mark.parametrize(
    ("low", "high", "apart"),
    [
        ("0.{}", "0.{}", False),
        ("0.{}", "{}", True),
        ("0.{}", "{}0", True),
        ("{}", "{}0", True),
        ("{}", "{}", False),
        ("0.{}", "{}.5", True),
        ("-0.{}", "{}", False),  # a measure with a sign, such as a similarity
        ("{}00", "{}000", False),  # counts of something
    ],
)
def test_two_scales_under_one_name_are_not_compared(write: Write, low: str, high: str, apart: bool) -> None:
    rows = "".join(f"q{i},a,clear,{low.format(i % 9 + 1)}\nq{i},b,clear,{high.format(i % 9 + 1)}\n" for i in range(18))
    table = opened(write({"s.csv": "item,condition,criterion,score\n" + rows}))
    assert why(table, "a", "b", "clear", "") == ["scr-scale-differs"] * apart


def test_two_scales_in_one_column_spoil_every_comparison_of_the_condition(write: Write) -> None:
    rows = "".join(f"q{i},a,clear,{'0.' * (i % 2)}{i % 9 + 1}\nq{i},b,clear,{i % 9 + 1}\n" for i in range(18))
    table = opened(write({"s.csv": "item,condition,criterion,score\n" + rows}))
    assert why(table, "a", "b", "clear", "") == ["scr-scale-differs"]


def test_the_usual_scale_and_another_are_told_apart(write: Write) -> None:
    rows = "".join(f"q{i},a,faithfulness,{i % 3 - 1}\nq{i},b,faithfulness,{i % 4 + 1}\n" for i in range(60))
    table = opened(write({"s.csv": "item,condition,criterion,score\n" + rows}))
    assert why(table, "a", "b", "faithfulness", "") == ["scr-scale-differs"]


def test_records_must_be_shared_but_not_all_of_them(write: Write) -> None:
    rows = "".join(f"q{i},a,clear,{i % 3}\nq{i + 20},b,clear,{i % 3}\nq{i + 10},c,clear,{i % 3}\n" for i in range(20))
    table = opened(write({"s.csv": "item,condition,criterion,score\n" + rows}))
    assert [why(table, "a", other, "clear", "") for other in "bc"] == [["scr-rows-differ"], []]


def test_what_the_study_itself_forbids_is_not_compared(write: Write) -> None:
    table = opened(write({"six.csv": six()}))
    a, b = key(table, "rag_baseline_0p5b"), key(table, "hybrid_science_0p5b_rag_trained")
    plan = Planned("a", "b", not_comparable=("grounding", "weighted_total"))
    found = {k: comparability.find_obstacles(table, a, b, k, "qwen3", plan) for k in FIVE}
    assert [k for k, diagnostics in found.items() if diagnostics] == ["grounding", "overall"]


@pytest.mark.realdata
def test_the_published_plan_forbids_totals_across_groups_but_not_within_one_mode(shared: Path) -> None:
    path = shared / "data" / "prompt-formats" / "configs" / "evaluation" / "six_condition_comparisons.yaml"
    pairs = {pair["name"]: pair for pair in comparisons.read(path, path.parent)[0].pairs}
    assert pairs["rag_vs_ft_baseline"]["not_comparable"] == ["grounding", "weighted_total"]
    assert "not_comparable" not in pairs["ft_rag_trained_vs_rag_alone"]  # asks for both by name, in one mode
    assert "not_comparable" not in pairs["ft_instruction_vs_base"]


def test_workspace_facts_are_those_of_its_conditions_and_judges(write: Write) -> None:
    judge = "prompt: '{{QUESTION}} {{ASSISTANT_RESPONSE}}'\ncriteria: [{id: clear}]\n"
    opened = workspace.open(
        write({
            "readback.yml": "conditions: [{name: a, mode: rag, judge: j}, {name: b}]\njudges: {j: {prompts: j.yaml}}\n",
            "j.yaml": judge,
        })
    )  # fmt: skip
    one, other = loading.of_workspace(opened)
    assert (one.condition, one.mode, one.judge, one.by_workspace) == ((("condition", "a"),), "rag", "j", True)
    assert one.judge_prompt == loading.prompt_of(opened.judges["j"])
    assert (other.mode, other.judge, other.judge_prompt) == (None, None, None)
