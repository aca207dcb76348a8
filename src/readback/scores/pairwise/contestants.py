"""Find judges of one model family with what they judge, as the files state it, else as the names suggest it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from readback.scores.files.judge_names import model_of
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.workspace_condition import find_named_condition
from readback.sources.judges.judge_names import find_judge_model
from readback.types import Diagnostic, Location, Severity, Workspace


class Family(NamedTuple):
    """Name a family, who makes it, and the generation where the name says one (`2.5` of qwen2.5:0.5b)."""

    name: str
    maker: str
    generation: str | None


# A version is one or two numbers that are not the count of parameters: 3.1 in llama-3.1-405b, none in llama-70b.
_VERSION = r"(?:[-_ ]?v?(\d(?:\.\d{1,2})?)(?![\d.]*b(?![a-z])|\d))?"
_TABLE = (
    ("GPT", "OpenAI", r"(?:chat)?gpt[-_ ]?(3\.5|4o|4\.1|4\.5|4|5(?:\.\d)?|oss)(?![\d])"),
    ("OpenAI o", "OpenAI", r"o([134])(?=-(?:mini|preview|pro)|$|[ :/_])"),
    ("Qwen", "Alibaba", r"(?:qwen|qwq)" + _VERSION),
    ("Llama", "Meta", r"(?:code)?llama" + _VERSION),
    ("Mistral", "Mistral AI", r"mistral(?:[-_ ](?:small|medium|large|nemo|tiny))?" + _VERSION),
    ("Mixtral", "Mistral AI", r"mixtral" + _VERSION),
    ("Gemma", "Google", r"gemma" + _VERSION),
    ("Gemini", "Google", r"gemini" + _VERSION),
    ("Claude", "Anthropic", r"claude(?:[-_ ](?:opus|sonnet|haiku|instant))?(?:[-_ ]v?(\d(?:[.-]\d)?)(?!\d))?"),
    ("Phi", "Microsoft", r"phi[-_ ]?(\d(?:\.\d)?)(?!\d)"),
    ("DeepSeek", "DeepSeek", r"deepseek(?:[-_ ](?:llm|chat|coder))?(?:[-_ ]?([vr]?\d(?:\.\d)?)(?![\d.]*b))?"),
    ("SmolLM", "Hugging Face", r"smollm" + _VERSION),
    ("Granite", "IBM", r"granite" + _VERSION),
    ("Command", "Cohere", r"command[-_ ](r\+|r|a)(?![a-z])"),
    ("GLM", "Zhipu AI", r"(?:chat)?glm" + _VERSION),
    ("Grok", "xAI", r"grok" + _VERSION),
    ("OLMo", "Ai2", r"olmo" + _VERSION),
    ("Falcon", "TII", r"falcon" + _VERSION),
    ("Yi", "01.AI", r"yi[-_ ](\d(?:\.\d)?)(?![\d.]*b)"),
)


MODEL = ("model", "model_name", "model_label")  # factors that state a model
REPORTED, INFERRED = "stated", "inferred from names"
MOST = 5  # conditions named in one sentence


@dataclass(frozen=True, slots=True)
class Named:
    """Name a model, and whether a file states it or a label only suggests it."""

    name: str
    reported: bool


@dataclass(slots=True)
class _FamilyPairs:
    """Collect the contestants of one judge and one family."""

    judge: Named
    family: Family
    conditions: list[str] = field(default_factory=list)
    generations: dict[str, None] = field(default_factory=dict)
    same: bool = False
    reported: bool = True


def find_family_judges(workspace: Workspace, table: ScoreTable | None = None) -> tuple[Diagnostic, ...]:
    """Return one diagnostic for each judge and family: a warning for the same generation, for information otherwise.

    Who judges whom is what the scores say; without scores (`table` is None) what the workspace means to do.
    """
    pairs: dict[tuple[str, str], _FamilyPairs] = {}
    for key, judge in _list_pairs(workspace, table):
        contestant = _find_contestant_model(workspace, table, key)
        model = _find_judge_model(workspace, table, key, judge)
        for family in find_families(model.name):
            for contestant_family in find_families(contestant.name):
                if family.name != contestant_family.name:
                    continue
                pair = pairs.setdefault((judge, family.name), _FamilyPairs(model, family))
                pair.same |= family.generation is not None and family.generation == contestant_family.generation
                pair.reported &= model.reported and contestant.reported
                pair.generations[contestant_family.generation or "not stated"] = None
                pair.conditions.append(table.label(key) if table else key[0][1])
    return tuple(_build_diagnostic(judge, pair) for (judge, _), pair in pairs.items())


def list_inputs(workspace: Workspace) -> tuple[Any, ...]:
    """Return what the diagnostics of a workspace depend on, in a form that can be compared."""
    return (
        tuple((name, str(model.settings.get("model"))) for name, model in workspace.models.items()),
        tuple((name, str(find_judge_model(judge))) for name, judge in workspace.judges.items()),
        tuple(
            (condition.name, condition.model, str(condition.settings.get("judge_inference")))
            for condition in workspace.conditions
        ),
    )


def _list_pairs(workspace: Workspace, table: ScoreTable | None) -> Iterator[tuple[ConditionKey, str]]:
    """Yield each condition with each of its judges, once."""
    if table is None:
        for condition in workspace.conditions:
            if condition.judge:
                yield (("condition", condition.name),), condition.judge
        return
    import numpy as np

    columns = table.columns
    codes = np.asarray(columns.condition, np.int64) * max(len(columns.judges), 1) + np.asarray(columns.judge)
    pairs: dict[tuple[ConditionKey, str], None] = {}
    for code in np.unique(codes):
        condition_code, judge_code = divmod(code, len(columns.judges))
        pairs[columns.conditions[condition_code], columns.judges[judge_code]] = None
    for outcome in table.outcomes:
        pairs[outcome.a, outcome.judge] = None
        pairs[outcome.b, outcome.judge] = None
    yield from pairs


def _find_judge_model(workspace: Workspace, table: ScoreTable | None, key: ConditionKey, judge: str) -> Named:
    """Return the judge's model: what files say of the run, then the workspace's judge, then what it is called."""
    if table:
        facts = [fact for fact in table.about if fact.condition == key]
    else:
        facts = []
    for fact in facts:
        if fact.judge_model and fact.judge in (None, judge):
            return Named(fact.judge_model, True)
    configured = workspace.judges.get(judge)
    if configured:
        model = find_judge_model(configured)
    else:
        model = None
    if model:
        return Named(model, True)
    condition = find_named_condition(workspace, key)
    if condition is None or condition.judge != judge:
        return Named(judge, False)
    run_model = model_of(workspace, condition)
    if run_model:
        return Named(run_model, True)
    return Named(str(condition.settings.get("judge_inference") or judge), False)


def _find_contestant_model(workspace: Workspace, table: ScoreTable | None, key: ConditionKey) -> Named:
    """Return what answered: by a factor, the run's files or the workspace's model; else by the condition's name."""
    factors = dict(key)
    for name in MODEL:
        if factors.get(name):
            return Named(_get_served_model(workspace, factors[name]) or factors[name], True)
    if table:
        facts = [fact for fact in table.about if fact.condition == key]
    else:
        facts = []
    for fact in facts:
        if fact.model and not fact.by_workspace:
            return Named(fact.model, True)
    condition = find_named_condition(workspace, key)
    if condition and condition.model:
        served = _get_served_model(workspace, condition.model)
        return Named(served or condition.model, served is not None)
    return Named(" ".join(factors.values()), False)


def _get_served_model(workspace: Workspace, name: str) -> str | None:
    model = workspace.models.get(name)
    if model:
        served = model.settings.get("model")
    else:
        served = None
    if isinstance(served, str):
        return served
    return None


def _build_diagnostic(judge: str, pair: _FamilyPairs) -> Diagnostic:
    generations = list(pair.generations)
    generation = pair.family.generation or "not stated"
    if pair.same:
        relation = f"the same generation ({generation})"
    elif "not stated" not in (generation, *generations):
        relation = f"the same maker, another generation ({generation} and {', '.join(generations)})"
    else:
        relation = "their generations are not all stated"
    conditions = pair.conditions[:MOST]
    if len(pair.conditions) > MOST:
        conditions.append(f"{len(pair.conditions) - MOST} more")
    values = {
        "judge": judge,
        "model": pair.judge.name,
        "conditions": conditions,
        "family": f"{pair.family.name} by {pair.family.maker}",
        "relation": relation,
        "how": REPORTED if pair.reported else INFERRED,
    }
    location = Location(judge=judge or None)
    severity: Severity | None = None if pair.same else "info"
    return Diagnostic("scr-judge-is-contestant", values, location, f"{judge}|{pair.family.name}", severity)


# Which family of models a name belongs to, by a small table of our own.


def find_families(name: str) -> tuple[Family, ...]:
    """Return every family that a name mentions; several where a model was made from another one."""
    families: list[Family] = []
    for family, maker, pattern in _compile_patterns():
        match = pattern.search(name.lower())
        if match:
            versions = (version.replace("-", ".") for version in match.groups() if version)
            families.append(Family(family, maker, next(versions, None)))
    return tuple(families)


@cache
def _compile_patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((family, maker, re.compile(rf"(?<![a-z0-9]){pattern}")) for family, maker, pattern in _TABLE)
