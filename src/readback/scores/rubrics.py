"""The weights and the pass rule that a condition was judged by: of the rubric in the workspace, else as published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.scores.table import ConditionKey, PassRule, RunFacts, ScoreTable
from readback.types import Judge, Workspace

# What a rubric says in its prompt: `verdict = "pass" when overall score ≥ 0.65 and all scores ≥ 0.4`.
AT_LEAST = r"\s*(?:≥|>=|(?:is\s+)?at\s+least)\s*(\d*\.?\d+)"
RULE = re.compile(
    rf"overall(?:\s+score)?{AT_LEAST}\s+and\s+(?:(all|every|each)(?:\s+\w+)?|(\w+)){AT_LEAST}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Rubric:
    """The weights of the total by criterion, and when the verdict is "pass", where that is known."""

    weights: Mapping[str, float]
    passes: PassRule | None = None


# The two rubrics of ignaciolinari/beyond-the-cutoff (MIT), as its specification states them.
PUBLISHED = {
    "scientific_default_rag": Rubric(
        {"factuality": 0.4, "grounding": 0.3, "completeness": 0.2, "communication": 0.1}, PassRule(0.65, every=0.4)
    ),
    "scientific_default_instruction": Rubric(
        {"factuality": 0.5, "grounding": 0.0, "completeness": 0.3, "communication": 0.2},
        PassRule(0.65, {"factuality": 0.4}),
    ),
}


def of_condition(table: ScoreTable, key: ConditionKey) -> Rubric | None:
    """Return the rubric of a condition, by what is known of how it was judged."""
    name = dict(key).get("condition")
    about = [
        facts for facts in table.about if facts.condition == key or (name and (("condition", name),) == facts.condition)
    ]
    reported = next((Rubric(facts.weights, facts.passes) for facts in about if any(facts.weights.values())), None)
    named = (name for facts in about for name in (facts.rubric, facts.judge) if name)
    return reported or next((PUBLISHED[facts] for facts in named if facts in PUBLISHED), None)


def of_judge(judge: Judge) -> Rubric:
    """Return the weights a rubric has in its keys, and the pass rule it has in its prompt."""
    raw_weights: Any = judge.settings.get("weights")
    if isinstance(raw_weights, Mapping):
        weights = {str(name): float(weight) for name, weight in raw_weights.items()}
    else:
        weights = {}
    return Rubric(weights, _rule(judge.user, weights))


def _rule(prompt: str, weights: Mapping[str, float]) -> PassRule | None:
    match = RULE.search(prompt)
    if match is None or not weights:
        return None
    overall, every, name, least = match.groups()
    if every:
        return PassRule(float(overall), every=float(least))
    if name.lower() in weights:
        return PassRule(float(overall), {name.lower(): float(least)})
    return None


def facts(workspace: Workspace) -> Iterator[RunFacts]:
    """Return the rubric of each condition whose judge states weights."""
    for condition in workspace.conditions:
        if condition.judge:
            judge = workspace.judges.get(condition.judge)
        else:
            judge = None
        if judge and (rubric := of_judge(judge)).weights:
            yield RunFacts(
                (("condition", condition.name),), weights=rubric.weights, passes=rubric.passes, place=judge.place
            )


def ungrounded(workspace: Workspace) -> frozenset[str]:
    """Conditions whose rubric gives grounding no weight: what its judge writes there does not apply."""
    return frozenset(
        condition.name
        for condition in workspace.conditions
        if condition.judge
        and condition.judge in workspace.judges
        and of_judge(workspace.judges[condition.judge]).weights.get("grounding") == 0
    )
