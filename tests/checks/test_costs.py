"""Findings x scores: the same condition with and without a finding, and the same records when the prompt changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats as reference

from readback import workspace
from readback.checks import costs
from readback.checks.costs import Costs
from readback.checks.run import engine
from readback.records.dataset import open_dataset
from readback.scores import loading

SYSTEM = "You are a careful assistant that reads the manual before it answers anything."
LEAKING = 8  # of 20 records


def made(root: Path, criterion: str = "relevance") -> Costs:
    opened = workspace.open(root)
    data = open_dataset(opened.root, opened.dataset)
    return costs.costs(opened, data, engine.check(opened), loading.load(opened), criterion, "j")


@pytest.fixture
def study(write) -> Path:  # type: ignore[no-untyped-def]
    """Twenty records, eight of which carry the system text in the question; these are scored lower in `plain`."""
    records = [{"id": f"r{i}", "question": (SYSTEM + " " if i < LEAKING else "") + f"What is {i}?"} for i in range(20)]
    rows = [
        f"r{i},{c},relevance,{0 if i < LEAKING and c == 'plain' and i % 4 else 1 + i % 2},j"
        for i in range(20)
        for c in ("plain", "other")
    ]
    files = {
        "readback.yml": (
            "dataset: {path: data.jsonl, id: id}\n"
            f"modes: [{{mode: m, system: '{SYSTEM}', template: 'Question: {{{{ question }}}}'}},"
            " {mode: n, template: 'Question: {{ id }}'}]\n"
            "conditions: [{name: plain, mode: m}, {name: other, mode: n}]\nscores: [scores.csv]\n"
        ),
        "data.jsonl": records,
        "scores.csv": "item,condition,criterion,score,judge\n" + "\n".join(rows) + "\n",
    }
    root: Path = write(files)
    return root


def test_records_with_a_finding_stand_beside_those_without_in_the_same_condition(study: Path) -> None:
    found = {(one.code, dict(one.condition)["condition"]): one for one in made(study).within}
    one = found["fmt-system-text-in-user", "plain"]
    assert (one.n_with, one.n_without) == (LEAKING, 20 - LEAKING)
    values = [0 if i < LEAKING and i % 4 else 1 + i % 2 for i in range(20)]
    expected = reference.ttest_ind(values[:LEAKING], values[LEAKING:], equal_var=False)
    assert one.difference == pytest.approx(sum(values[:LEAKING]) / 8 - sum(values[LEAKING:]) / 12)
    assert one.interval == pytest.approx(tuple(expected.confidence_interval()))
    assert one.p == pytest.approx(expected.pvalue)
    assert one.p_adjusted is not None
    assert one.p_adjusted >= (one.p or 0)


def test_a_changed_prompt_is_compared_on_the_records_whose_finding_comes_with_it(study: Path) -> None:
    found = [one for one in made(study).changes if one.code == "fmt-system-text-in-user"]
    (one,) = [one for one in found if dict(one.b)["condition"] == "plain"]
    assert one.n == LEAKING
    assert one.difference < 0


def test_scored_items_that_are_no_records_are_counted(study: Path) -> None:
    with (study / "scores.csv").open("a") as more:
        more.write("elsewhere,plain,relevance,1,j\n")
    assert made(study).unknown == 1
