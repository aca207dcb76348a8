"""Is a judge of one model family with what it judges? As the files state it, else as the names suggest it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from readback.scores.judge_names import model_of
from readback.scores.table import ConditionKey, ScoreTable
from readback.sources.judge_names import judge_model
from readback.types import Diagnostic, Location, Workspace


class Family(NamedTuple):
    """A family, who makes it, and the generation where the name says one (`2.5` of qwen2.5:0.5b)."""

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
    """A model by the name it is known by, and whether a file states it or a label only suggests it."""

    name: str
    reported: bool


@dataclass(slots=True)
class _Met:
    """One judge and one family: the contestants of it."""

    judge: Named
    own: Family
    conditions: list[str] = field(default_factory=list)
    generations: dict[str, None] = field(default_factory=dict)
    same: bool = False
    reported: bool = True


def diagnostics(workspace: Workspace, table: ScoreTable | None = None) -> tuple[Diagnostic, ...]:
    """One diagnostic for each judge and family: a warning for the same generation, for information otherwise.

    Who judges whom is what the scores say; without scores (`table` is None) what the workspace means to do.
    """
    met: dict[tuple[str, str], _Met] = {}
    for key, judge in _pairs(workspace, table):
        contestant = _contestant(workspace, table, key)
        model = _judge(workspace, table, key, judge)
        for own in families(model.name):
            for other in families(contestant.name):
                if own.name == other.name:
                    one = met.setdefault((judge, own.name), _Met(model, own))
                    one.same |= own.generation is not None and own.generation == other.generation
                    one.reported &= model.reported and contestant.reported
                    one.generations[other.generation or "not stated"] = None
                    one.conditions.append(table.label(key) if table else key[0][1])
    return tuple(_diagnostic(judge, one) for (judge, _), one in met.items())


def said(workspace: Workspace) -> tuple[Any, ...]:
    """What of a workspace the diagnostics depend on, in a form that can be compared."""
    return (
        tuple((name, str(model.settings.get("model"))) for name, model in workspace.models.items()),
        tuple((name, str(judge_model(judge))) for name, judge in workspace.judges.items()),
        tuple((one.name, one.model, str(one.settings.get("judge_inference"))) for one in workspace.conditions),
    )


def _pairs(workspace: Workspace, table: ScoreTable | None) -> Iterator[tuple[ConditionKey, str]]:
    """Each condition with each of its judges, once."""
    if table is None:
        yield from (((("condition", one.name),), one.judge) for one in workspace.conditions if one.judge)
        return
    import numpy as np

    c = table.columns
    codes = np.asarray(c.condition, np.int64) * max(len(c.judges), 1) + np.asarray(c.judge)
    found = {(c.conditions[a], c.judges[b]): None for a, b in (divmod(one, len(c.judges)) for one in np.unique(codes))}
    for outcome in table.outcomes:
        found |= {(outcome.a, outcome.judge): None, (outcome.b, outcome.judge): None}
    yield from found


def _judge(workspace: Workspace, table: ScoreTable | None, key: ConditionKey, judge: str) -> Named:
    """The judge's model: what files say of the run, then the workspace's judge, then what it is called."""
    facts = [one for one in table.about if one.condition == key] if table else []
    for one in facts:
        if one.judge_model and one.judge in (None, judge):
            return Named(one.judge_model, True)
    known = workspace.judges.get(judge)
    if known and (reported := judge_model(known)):
        return Named(reported, True)
    condition = workspace.condition(dict(key).get("condition", ""))
    if condition and condition.judge == judge and (run := model_of(workspace, condition)):
        return Named(run, True)
    inference = condition.settings.get("judge_inference") if condition and condition.judge == judge else None
    return Named(str(inference or judge), False)


def _contestant(workspace: Workspace, table: ScoreTable | None, key: ConditionKey) -> Named:
    """What answered: as a factor, the run's files or the workspace's model say; else as the condition is called."""
    given = dict(key)
    if factor := next((given[name] for name in MODEL if given.get(name)), None):
        return Named(_served(workspace, factor) or factor, True)
    facts = [one for one in table.about if one.condition == key and one.model] if table else []
    if file := next((one.model for one in facts if not one.by_workspace and one.model), None):
        return Named(file, True)
    condition = workspace.condition(given.get("condition", ""))
    if condition and condition.model:
        served = _served(workspace, condition.model)
        return Named(served or condition.model, served is not None)
    return Named(" ".join(given.values()), False)


def _served(workspace: Workspace, name: str) -> str | None:
    model = workspace.models.get(name)
    served = model.settings.get("model") if model else None
    return served if isinstance(served, str) else None


def _diagnostic(judge: str, one: _Met) -> Diagnostic:
    generations = list(one.generations)
    own = one.own.generation or "not stated"
    relation = (
        f"the same generation ({own})"
        if one.same
        else f"the same maker, another generation ({own} and {', '.join(generations)})"
        if "not stated" not in (own, *generations)
        else "their generations are not all stated"
    )
    more = [f"{len(one.conditions) - MOST} more"] if len(one.conditions) > MOST else []
    values = {
        "judge": judge,
        "model": one.judge.name,
        "conditions": [*one.conditions[:MOST], *more],
        "family": f"{one.own.name} by {one.own.maker}",
        "relation": relation,
        "how": REPORTED if one.reported else INFERRED,
    }
    place = Location(judge=judge or None)
    return Diagnostic("scr-judge-is-contestant", values, place, f"{judge}|{one.own.name}", None if one.same else "info")


# Which family of models a name belongs to, by a small table of our own.


def families(name: str) -> tuple[Family, ...]:
    """Every family that a name speaks of; several where a model was made from another one."""
    lowered = name.lower()
    return tuple(
        Family(family, maker, next((version.replace("-", ".") for version in found.groups() if version), None))
        for family, maker, pattern in _patterns()
        if (found := pattern.search(lowered))
    )


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((family, maker, re.compile(rf"(?<![a-z0-9]){pattern}")) for family, maker, pattern in _TABLE)
