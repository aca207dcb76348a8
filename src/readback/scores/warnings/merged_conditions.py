"""Find rows of two conditions under one name: different prompts were sent, or several judges share one name."""

from __future__ import annotations

from collections.abc import Iterator

from readback.scores.table import NONE, ConditionKey, RunFacts, ScoreTable
from readback.scores.warnings.named import join_names
from readback.types import Diagnostic, Location

CODE = "scr-condition-merged"


def find_merged(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield one diagnostic for the prompts, and one for each fact that files of one condition state differently."""
    prompts = [(table.label(key), count) for key, count in _count_prompts(table)]
    if prompts:
        yield _build_diagnostic([name for name, _ in prompts], "prompt_fingerprint", max(n for _, n in prompts))
    for what in ("judge_model", "judge_prompt", "model"):
        stated: dict[tuple[ConditionKey, str | None], set[str]] = {}
        for fact in table.about:
            value = getattr(fact, what)
            if value and not fact.by_workspace:
                stated.setdefault((fact.condition, _get_judge(fact, what)), set()).add(value)
        differing = {key: values for (key, _), values in stated.items() if len(values) > 1}
        if differing:
            yield _build_diagnostic([table.label(key) for key in differing], what, max(map(len, differing.values())))


def _get_judge(fact: RunFacts, what: str) -> str | None:
    if what.startswith("judge"):
        return fact.rubric or fact.judge
    return None


def _build_diagnostic(names: list[str], what: str, count: int) -> Diagnostic:
    place = Location(condition=names[0] if len(names) == 1 else None)
    values = {"condition": join_names(names), "what": what, "count": count, "conditions": len(names)}
    return Diagnostic(CODE, values, place, flagged=what, among=tuple(names))


def _count_prompts(table: ScoreTable) -> Iterator[tuple[ConditionKey, int]]:
    """Yield the conditions with more prompts than they should have, and how many.

    A fingerprint of a whole prompt is one for each item; one of a template is the same for all. An item with two, or
    two templates that several items each were sent, means that two conditions share a name.
    """
    import numpy as np

    columns = table.columns
    if not columns.prompts:
        return
    condition, item, prompt = (
        np.asarray(column, np.int64) for column in (columns.condition, columns.item, columns.prompt)
    )
    stated = prompt != NONE
    sent = np.unique(np.stack([condition[stated], item[stated], prompt[stated]]), axis=1)
    for code in np.unique(sent[0]).tolist():
        items, prompts = sent[1:, sent[0] == code]
        item_count, kinds = len(np.unique(items)), len(np.unique(prompts))
        if len(items) > item_count or (kinds > 1 and kinds * 2 <= item_count + 1):
            yield columns.conditions[code], kinds
