"""The same pair under the other criteria: two conditions, or two values of one factor over all conditions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.scores import conclusion, loading
from readback.scores.comparing import compare

ITEMS = 12


def build_table(factors: str, conditions: list[str]) -> str:
    """Return rows of which the last factor's value b is better in relevance and worse in faithfulness."""
    rows = [f"item,{factors},relevance,faithfulness"]
    for condition in conditions:
        better = condition.endswith("b")
        rows += [f"q{n},{condition},{2 if better else n % 2},{-1 if better else n % 2}" for n in range(ITEMS)]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("factors", "conditions", "by"),
    [
        ("condition", ["a", "b"], None),
        ("reranker,rag_prompt_level", ["x,a", "x,b", "y,a", "y,b"], "rag_prompt_level"),
    ],
)
def test_a_pair_in_view_is_compared_under_the_other_criterion_too(
    write: Callable[[dict[str, Any]], Path], factors: str, conditions: list[str], by: str | None
) -> None:
    opened = workspace.open(write({"s.csv": build_table(factors, conditions)}))
    table = loading.load(opened)
    (pair,) = compare.compare(table, by=by, criterion="relevance").comparisons
    (other,) = conclusion.other_criteria(table, opened, pair.a, pair.b, "relevance", pair.judge)
    assert (other.criterion, other.a, other.b, other.n_shared) == ("faithfulness", pair.a, pair.b, ITEMS)
    assert {pair.verdict, other.verdict} == {"a is higher", "b is higher"}
    (same,) = compare.compare(table, by=by, criterion="faithfulness").comparisons
    assert other.p_adjusted == same.p_adjusted
