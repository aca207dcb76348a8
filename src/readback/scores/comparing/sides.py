"""What is known of one side of a comparison: how it was run, by whom and how it was judged, on which records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from readback.scores.comparing.paired_items import members
from readback.scores.rubrics import of_condition
from readback.scores.table import NOT_APPLICABLE, SCORED, ConditionKey, RunFacts, ScoreTable

CLOSED_BOOK, WITH_DOCUMENTS = "instruction", ("rag", "hybrid", "standard")
COMPUTED = "computed"  # the judge of what a program counts
MODE = ("prompt_mode", "mode")  # factors that say it

Book = Literal["closed", "open", ""]


@dataclass(frozen=True, slots=True)
class Side:
    """One condition, or all with a value of a factor, under one judge.

    Empty sets where nothing says it. Prompts of the judge as files state them and as the workspace's files have them
    are fingerprints of different things, so they are kept apart.
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
def side(table: ScoreTable, key: ConditionKey, judge: str) -> Side:
    """What is known of `key`, a condition or a value of one factor, as `judge` scored it."""
    conditions = [table.columns.conditions[code] for code in members(table, key)]
    modes = tuple(dict.fromkeys(mode(table, condition) or "" for condition in conditions))
    facts = [one for condition in conditions for one in facts_of(table, condition, judge)]
    from_files = [one for one in facts if not one.by_workspace]
    rubrics = [of_condition(table, condition) for condition in conditions]
    return Side(
        modes=tuple(filter(None, modes)),
        book=_book(modes),
        judge_models=_models(from_files) or _models(facts),
        judge_prompts=frozenset(one.judge_prompt for one in from_files if one.judge_prompt),
        rubrics=_rubrics(from_files) or _rubrics(facts),
        workspace_prompts=frozenset(one.judge_prompt for one in facts if one.by_workspace and one.judge_prompt),
        datasets=frozenset(one.dataset for one in from_files if one.dataset),
        weights=frozenset(tuple(sorted(one.weights.items())) for one in rubrics if one),
    )


def mode(table: ScoreTable, condition: ConditionKey) -> str | None:
    """The mode of a condition: its own factor, else what files, then the workspace, say."""
    given = dict(condition)
    own = next((given[name] for name in MODE if given.get(name)), None)
    return own or next((one.mode for one in _about(table).get(condition, ()) if one.mode), None)


def facts_of(table: ScoreTable, condition: ConditionKey, judge: str) -> Iterator[RunFacts]:
    """What is said of a condition as far as it holds for what `judge` gave; files first.

    A run's own files may call its only judge by another name than its rows do, and the workspace may name no more
    than the rubric.
    """
    for one in _about(table).get(condition, ()):
        otherwise = one.judge not in table.columns.judges and not (one.by_workspace and one.judge_model)
        named = not judge or one.judge in (None, judge) or one.rubric == judge
        if named or (otherwise and _only(table, condition, judge)):
            yield one


def _only(table: ScoreTable, condition: ConditionKey, judge: str) -> bool:
    return [name for name in judges(table, condition) if name != COMPUTED] == [judge]


def judges(table: ScoreTable, key: ConditionKey) -> tuple[str, ...]:
    """Who has cells for a side, under any criterion."""
    wanted = set(members(table, key))
    found = dict.fromkeys(judge for (_, judge, condition) in states(table) if condition in wanted)
    return tuple(table.columns.judges[code] for code in found)


def judge_called(table: ScoreTable, name: str, keys: Iterable[ConditionKey]) -> str | None:
    """The judge that a plan means by `name`: so called in the scores, else the one that judged `keys` by a rubric
    of that name; None where there is none.
    """
    if name in table.columns.judges:
        return name
    conditions = [table.columns.conditions[code] for key in keys for code in members(table, key)]
    facts = (one for key in conditions for one in _about(table).get(key, ()) if name in (one.rubric, one.judge_model))
    return next((one.judge for one in facts if one.judge in table.columns.judges), None)


def counts(table: ScoreTable, key: ConditionKey, criterion: str, judge: str) -> tuple[int, int, int]:
    """The cells of a side under a criterion by a judge: all, those scored, those to which it does not apply."""
    c = table.columns
    if judge not in c.judges or criterion not in c.criteria:
        return 0, 0, 0
    at = c.criteria.index(criterion), c.judges.index(judge)
    found: Counter[int] = Counter()
    for condition in members(table, key):
        found.update(states(table).get((*at, condition), {}))
    return sum(found.values()), found[SCORED], found[NOT_APPLICABLE]


@lru_cache(maxsize=4)
def states(table: ScoreTable) -> Mapping[tuple[int, int, int], Mapping[int, int]]:
    """How many cells are in each state, by criterion, judge and condition (as codes)."""
    import numpy as np

    c = table.columns
    key = np.asarray(c.criterion, np.int64) * len(c.judges) + np.asarray(c.judge)
    key = (key * len(c.conditions) + np.asarray(c.condition)) * 4 + np.frombuffer(c.state, np.uint8)
    many = len(c.criteria) * len(c.judges) * len(c.conditions) * 4
    if many <= max(1 << 20, len(key)):
        counted: Any = np.bincount(key, minlength=many)
        there = np.flatnonzero(counted)
        counted = counted[there]
    else:
        there, counted = np.unique(key, return_counts=True)
    found: dict[tuple[int, int, int], dict[int, int]] = {}
    for at, number in zip(there.tolist(), counted.tolist(), strict=True):
        rest, state = divmod(at, 4)
        rest, condition = divmod(rest, len(c.conditions))
        found.setdefault((*divmod(rest, len(c.judges)), condition), {})[state] = number
    return found


@lru_cache(maxsize=64)
def item_codes(table: ScoreTable, key: ConditionKey, criterion: str, judge: str) -> Any:
    """The items that have a cell to which the criterion applies, ascending."""
    import numpy as np

    c = table.columns
    mine = np.zeros(len(c.conditions), bool)
    mine[members(table, key)] = True
    here = mine[np.asarray(c.condition)]
    here &= np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.asarray(c.judge) == c.judges.index(judge)
    here &= np.frombuffer(c.state, np.uint8) != NOT_APPLICABLE
    seen = np.zeros(len(c.items), bool)
    seen[np.asarray(c.item)[here]] = True
    return np.flatnonzero(seen)


@lru_cache(maxsize=8)
def _about(table: ScoreTable) -> Mapping[ConditionKey, tuple[RunFacts, ...]]:
    """What is said of each condition of the scores.

    It is said of a condition by its name, or by values of its factors.
    """
    found: dict[ConditionKey, list[RunFacts]] = {}
    by_name: dict[str, list[ConditionKey]] = {}
    for key in table.columns.conditions:
        by_name.setdefault(dict(key).get("condition") or (key[0][1] if len(key) == 1 else ""), []).append(key)
    for one in table.about:
        named = dict(one.condition).get("condition", "")
        keys = by_name.get(named, []) if named else []
        keys = keys or [key for key in table.columns.conditions if set(one.condition) <= set(key)]
        for key in keys:
            found.setdefault(key, []).append(one)
    return {key: tuple(said) for key, said in found.items()}


def _models(facts: Iterable[RunFacts]) -> frozenset[str]:
    return frozenset(one.judge_model for one in facts if one.judge_model)


def _rubrics(facts: Iterable[RunFacts]) -> frozenset[str]:
    return frozenset(one.rubric for one in facts if one.rubric)


def _book(modes: tuple[str, ...]) -> Book:
    if modes and all(one == CLOSED_BOOK for one in modes):
        return "closed"
    return "open" if modes and all(one in WITH_DOCUMENTS for one in modes) else ""
