"""Describe one side of a comparison: how it was run, by whom and how it was judged, on which records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from readback.scores.comparing.paired_items import list_members
from readback.scores.rubrics import of_condition
from readback.scores.table import NOT_APPLICABLE, SCORED, ConditionKey, RunFacts, ScoreTable

CLOSED_BOOK, WITH_DOCUMENTS = "instruction", ("rag", "hybrid", "standard")
COMPUTED = "computed"  # the judge of what a program counts
MODE = ("prompt_mode", "mode")  # factors that say it

Book = Literal["closed", "open", ""]


@dataclass(frozen=True, slots=True)
class Side:
    """Describe one condition, or all with a value of a factor, under one judge.

    Sets are empty where nothing states it. Prompts of the judge as files state them and as the workspace's files have
    them are fingerprints of different things, so they are kept apart.
    """

    modes: tuple[str, ...] = ()
    book: Book = ""  # closed, open: all of its conditions are
    judge_models: frozenset[str] = frozenset()
    judge_prompts: frozenset[str] = frozenset()
    rubrics: frozenset[str] = frozenset()  # what its prompts are called
    workspace_prompts: frozenset[str] = frozenset()
    datasets: frozenset[str] = frozenset()
    weights: frozenset[tuple[tuple[str, float], ...]] = frozenset()


@lru_cache(maxsize=1024)
def describe_side(table: ScoreTable, key: ConditionKey, judge: str) -> Side:
    """Return what is known of `key`, a condition or a value of one factor, as `judge` scored it."""
    conditions = [table.columns.conditions[code] for code in list_members(table, key)]
    modes = tuple(dict.fromkeys(find_mode(table, condition) or "" for condition in conditions))
    facts: list[RunFacts] = []
    for condition in conditions:
        facts.extend(list_facts(table, condition, judge))
    file_facts = [fact for fact in facts if not fact.by_workspace]
    rubrics = [of_condition(table, condition) for condition in conditions]
    return Side(
        modes=tuple(filter(None, modes)),
        book=_classify_modes(modes),
        judge_models=_list_models(file_facts) or _list_models(facts),
        judge_prompts=frozenset(fact.judge_prompt for fact in file_facts if fact.judge_prompt),
        rubrics=_list_rubrics(file_facts) or _list_rubrics(facts),
        workspace_prompts=frozenset(fact.judge_prompt for fact in facts if fact.by_workspace and fact.judge_prompt),
        datasets=frozenset(fact.dataset for fact in file_facts if fact.dataset),
        weights=frozenset(tuple(sorted(rubric.weights.items())) for rubric in rubrics if rubric),
    )


def find_mode(table: ScoreTable, condition: ConditionKey) -> str | None:
    """Return the mode of a condition: its own factor, else what files, then the workspace, say."""
    factors = dict(condition)
    for name in MODE:
        if factors.get(name):
            return factors[name]
    return next((fact.mode for fact in _group_facts(table).get(condition, ()) if fact.mode), None)


def list_facts(table: ScoreTable, condition: ConditionKey, judge: str) -> Iterator[RunFacts]:
    """Yield the facts of a condition that hold for the scores of `judge`; those of files first.

    A run's own files may call its only judge by another name than its rows do, and the workspace may name no more
    than the rubric.
    """
    for fact in _group_facts(table).get(condition, ()):
        names_judge = not judge or fact.judge in (None, judge) or fact.rubric == judge
        has_other_name = fact.judge not in table.columns.judges and not (fact.by_workspace and fact.judge_model)
        if names_judge or (has_other_name and _is_only_judge(table, condition, judge)):
            yield fact


def _is_only_judge(table: ScoreTable, condition: ConditionKey, judge: str) -> bool:
    return [name for name in list_judges(table, condition) if name != COMPUTED] == [judge]


def list_judges(table: ScoreTable, key: ConditionKey) -> tuple[str, ...]:
    """Return who has cells for a side, under any criterion."""
    members = set(list_members(table, key))
    codes = dict.fromkeys(judge for _, judge, condition in count_states(table) if condition in members)
    return tuple(table.columns.judges[code] for code in codes)


def find_judge(table: ScoreTable, name: str, keys: Iterable[ConditionKey]) -> str | None:
    """Return the judge that a plan means by `name`; None where there is none.

    It is called so in the scores, or it judged `keys` by a rubric or model of that name.
    """
    if name in table.columns.judges:
        return name
    facts_of = _group_facts(table)
    for key in keys:
        for code in list_members(table, key):
            for fact in facts_of.get(table.columns.conditions[code], ()):
                if name in (fact.rubric, fact.judge_model) and fact.judge in table.columns.judges:
                    return fact.judge
    return None


def count_cells(table: ScoreTable, key: ConditionKey, criterion: str, judge: str) -> tuple[int, int, int]:
    """Count the cells of a side under a criterion by a judge: all, those scored, those to which it does not apply."""
    columns = table.columns
    if judge not in columns.judges or criterion not in columns.criteria:
        return 0, 0, 0
    codes = columns.criteria.index(criterion), columns.judges.index(judge)
    counts: Counter[int] = Counter()
    for condition in list_members(table, key):
        counts.update(count_states(table).get((*codes, condition), {}))
    return sum(counts.values()), counts[SCORED], counts[NOT_APPLICABLE]


@lru_cache(maxsize=4)
def count_states(table: ScoreTable) -> Mapping[tuple[int, int, int], Mapping[int, int]]:
    """Count the cells in each state, by criterion, judge and condition (as codes)."""
    import numpy as np

    columns = table.columns
    key = np.asarray(columns.criterion, np.int64) * len(columns.judges) + np.asarray(columns.judge)
    key = (key * len(columns.conditions) + np.asarray(columns.condition)) * 4 + np.frombuffer(columns.state, np.uint8)
    size = len(columns.criteria) * len(columns.judges) * len(columns.conditions) * 4
    if size <= max(1 << 20, len(key)):
        all_counts: Any = np.bincount(key, minlength=size)
        present = np.flatnonzero(all_counts)
        counts = all_counts[present]
    else:
        present, counts = np.unique(key, return_counts=True)
    states: dict[tuple[int, int, int], dict[int, int]] = {}
    for code, count in zip(present.tolist(), counts.tolist(), strict=True):
        remainder, state = divmod(code, 4)
        remainder, condition = divmod(remainder, len(columns.conditions))
        states.setdefault((*divmod(remainder, len(columns.judges)), condition), {})[state] = count
    return states


@lru_cache(maxsize=64)
def list_item_codes(table: ScoreTable, key: ConditionKey, criterion: str, judge: str) -> Any:
    """Return the codes of the items that have a cell to which the criterion applies, ascending."""
    import numpy as np

    columns = table.columns
    is_member = np.zeros(len(columns.conditions), bool)
    is_member[list_members(table, key)] = True
    cells = is_member[np.asarray(columns.condition)]
    cells &= np.asarray(columns.criterion) == columns.criteria.index(criterion)
    cells &= np.asarray(columns.judge) == columns.judges.index(judge)
    cells &= np.frombuffer(columns.state, np.uint8) != NOT_APPLICABLE
    has_cell = np.zeros(len(columns.items), bool)
    has_cell[np.asarray(columns.item)[cells]] = True
    return np.flatnonzero(has_cell)


@lru_cache(maxsize=8)
def _group_facts(table: ScoreTable) -> Mapping[ConditionKey, tuple[RunFacts, ...]]:
    """Return the facts of each condition of the scores, which they name, or of which they give values of factors."""
    facts: dict[ConditionKey, list[RunFacts]] = {}
    by_name: dict[str, list[ConditionKey]] = {}
    for key in table.columns.conditions:
        name = dict(key).get("condition")
        if not name:
            name = key[0][1] if len(key) == 1 else ""
        by_name.setdefault(name, []).append(key)
    for fact in table.about:
        name = dict(fact.condition).get("condition", "")
        keys = by_name.get(name, []) if name else []
        if not keys:
            keys = [key for key in table.columns.conditions if set(fact.condition) <= set(key)]
        for key in keys:
            facts.setdefault(key, []).append(fact)
    return {key: tuple(listed) for key, listed in facts.items()}


def _list_models(facts: Iterable[RunFacts]) -> frozenset[str]:
    return frozenset(fact.judge_model for fact in facts if fact.judge_model)


def _list_rubrics(facts: Iterable[RunFacts]) -> frozenset[str]:
    return frozenset(fact.rubric for fact in facts if fact.rubric)


def _classify_modes(modes: tuple[str, ...]) -> Book:
    if modes and all(mode == CLOSED_BOOK for mode in modes):
        return "closed"
    if modes and all(mode in WITH_DOCUMENTS for mode in modes):
        return "open"
    return ""
