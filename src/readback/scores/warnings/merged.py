"""Rows of two conditions under one name: different prompts were sent, or different judges are behind one name."""

from __future__ import annotations

from collections.abc import Iterator

from readback.scores.table import NONE, ConditionKey, RunFacts, ScoreTable
from readback.scores.warnings.named import listed
from readback.types import Diagnostic, Location

CODE = "scr-condition-merged"


def diagnostics(table: ScoreTable) -> Iterator[Diagnostic]:
    """One diagnostic for the prompts, and one for each thing that files of one condition say differently."""
    found = [(table.label(key), count) for key, count in _prompts(table)]
    if found:
        yield _diagnostic([name for name, _ in found], "prompt_fingerprint", max(count for _, count in found))
    for what in ("judge_model", "judge_prompt", "model"):
        said: dict[tuple[ConditionKey, str | None], set[str]] = {}
        for one in table.about:
            if not one.by_workspace and (value := getattr(one, what)):
                said.setdefault((one.condition, _judge(one, what)), set()).add(value)
        both = {key: values for (key, _), values in said.items() if len(values) > 1}
        if both:
            yield _diagnostic([table.label(key) for key in both], what, max(map(len, both.values())))


def _judge(one: RunFacts, what: str) -> str | None:
    return (one.rubric or one.judge) if what.startswith("judge") else None


def _diagnostic(names: list[str], what: str, count: int) -> Diagnostic:
    place = Location(condition=names[0] if len(names) == 1 else None)
    values = {"condition": listed(names), "what": what, "count": count, "conditions": len(names)}
    return Diagnostic(CODE, values, place, flagged=what, among=tuple(names))


def _prompts(table: ScoreTable) -> Iterator[tuple[ConditionKey, int]]:
    """The conditions with more prompts than they should have, and how many.

    A fingerprint of a whole prompt is one for each item; one of a template is the same for all. An item with two, or
    two templates that several items each were sent, means that two conditions share a name.
    """
    import numpy as np

    c = table.columns
    if not c.prompts:
        return
    condition, item, prompt = (np.asarray(column, np.int64) for column in (c.condition, c.item, c.prompt))
    known = prompt != NONE
    sent = np.unique(np.stack([condition[known], item[known], prompt[known]]), axis=1)
    for code in np.unique(sent[0]).tolist():
        items, prompts = sent[1:, sent[0] == code]
        many, kinds = len(np.unique(items)), len(np.unique(prompts))
        if len(items) > many or (kinds > 1 and kinds * 2 <= many + 1):
            yield c.conditions[code], kinds
