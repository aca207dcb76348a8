"""Choose which comparisons are made: the planned ones first, then each condition against a baseline, or all pairs.

Planned are those of `comparisons:` of the workspace, or of a comparisons file beside a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from readback.scores.comparing import comparability, difference
from readback.scores.comparing.comparison import Blocked, Compared, Comparison
from readback.scores.comparing.paired_items import list_members
from readback.scores.comparing.sides import find_judge
from readback.scores.table import ConditionKey, Planned, ScoreTable
from readback.types import Workspace

TEXTS = ("judge", "question", "expected", "name", "group", "warning")


def list_planned(workspace: Workspace) -> tuple[Planned, ...]:
    """Return every planned comparison in the order of the files; a repeated one counts once."""
    return tuple(dict.fromkeys(_read_planned(workspace, comparison) for comparison in workspace.comparisons))


def _read_planned(workspace: Workspace, comparison: Mapping[str, Any]) -> Planned:
    texts: dict[str, Any] = {name: comparison[name] for name in TEXTS if isinstance(comparison.get(name), str)}
    listed = comparison.get("criteria")
    if isinstance(listed, list | tuple):
        criteria = tuple(map(str, listed))
    else:
        criteria = ()
    criterion = comparison.get("criterion")
    if isinstance(criterion, str):
        criteria = (criterion,)
    forbidden = comparison.get("not_comparable")
    margin = comparison.get("margin")
    return Planned(
        a=_resolve_alias(workspace, str(comparison["a"])),
        b=_resolve_alias(workspace, str(comparison["b"])),
        criteria=criteria,
        margin=float(margin) if isinstance(margin, int | float) and margin > 0 else None,
        not_comparable=tuple(map(str, forbidden)) if isinstance(forbidden, list | tuple) else (),
        **texts,
    )


def _resolve_alias(workspace: Workspace, name: str) -> str:
    """Return a condition's own name where an alias was written."""
    condition = workspace.condition(name)
    if condition:
        return condition.name
    return name


_Key = tuple[ConditionKey, ConditionKey, str]  # a, b and the criterion
MOST = 12  # conditions of which all pairs are compared when no baseline is chosen


@dataclass(frozen=True, slots=True)
class _Pair:
    """Name one comparison to make, before it is known whether it may be made."""

    a: ConditionKey
    b: ConditionKey
    criterion: str
    planned: Planned | None = None
    judge: str | None = None  # None: every judge that scored both


@lru_cache(maxsize=32)  # pages ask the same at every rerun
def compare(
    table: ScoreTable,
    planned: tuple[Planned, ...] = (),
    *,
    by: str | None = None,
    baseline: str | None = None,
    criterion: str | None = None,
    judge: str | None = None,
) -> Compared:
    """Make every comparison that is asked for, or say why it is not made.

    `baseline` is a condition (its label, its name or its place in `side`), with `by` a value of that factor; without
    one all pairs are compared where a criterion has at most 12 conditions. Planned comparisons are first and are
    Holm's family, all of them whichever criterion and judge are asked for. The others are exploratory: all pairs under
    all criteria by one judge are one family, whichever of them are asked for, so that a pair has one p everywhere.
    A reference answer, which the table sets apart, is compared only where the plan or `baseline` names it. Raises
    LookupError, with the names there are, for a name that is not there.
    """
    criteria = list_criteria(table, criterion)
    pairs: list[_Pair] = []
    for comparison in planned:
        pairs.extend(_expand_planned(table, comparison))
    planned_keys = frozenset((pair.a, pair.b, pair.criterion) for pair in pairs)
    skipped: list[str] = []
    for pair in list(_list_unplanned(table, by, baseline, criteria, skipped)):
        keys = {(pair.a, pair.b, pair.criterion), (pair.b, pair.a, pair.criterion)}
        if not keys & planned_keys:
            pairs.append(pair)
    comparisons: list[Comparison] = []
    blocked: list[Blocked] = []
    for pair in pairs:
        for result in _compare_by_judge(table, pair, pair.judge if pair.planned else judge):
            if isinstance(result, Comparison):
                comparisons.append(result)
            else:
                blocked.append(result)

    def is_wanted(result: Comparison | Blocked) -> bool:
        return result.criterion in criteria and judge in (None, result.judge)

    return Compared(
        tuple(filter(is_wanted, _adjust_all(table, comparisons, by, planned_keys))),
        tuple(filter(is_wanted, blocked)),
        "; ".join(dict.fromkeys(skipped)) or None,
    )


def list_absent(table: ScoreTable, planned: Sequence[Planned]) -> tuple[tuple[Planned, str], ...]:
    """Return the planned comparisons that cannot be made for want of scores, each with the name that has none."""
    absent: list[tuple[Planned, str]] = []
    for comparison in planned:
        names = [side for side in (comparison.a, comparison.b) if find_side(table, side) is None]
        if not names:
            names = [name for name in comparison.criteria if _find_criterion(table, name) is None]
            sides = (find_side(table, name) for name in (comparison.a, comparison.b))
            keys = [key for key in sides if key is not None]
            if comparison.judge and find_judge(table, comparison.judge, keys) is None:
                names.append(comparison.judge)
        absent.extend((comparison, name) for name in names)
    return tuple(absent)


def find_side(table: ScoreTable, name: str) -> ConditionKey | None:
    """Return the condition called `name` (its label, its value, or `factor=value` parts), or that value of a factor."""
    for key in table.columns.conditions:
        joined = " · ".join(f"{factor}={value}" for factor, value in key)
        if name in (table.label(key), joined, dict(key).get("condition")):
            return key
    split = [part.partition("=") for part in name.split(" · ")]
    parts = tuple((factor, value) for factor, _, value in split)
    if all(value for _, value in parts) and list_members(table, parts):
        return parts
    return None


def _expand_planned(table: ScoreTable, planned: Planned) -> Iterator[_Pair]:
    a, b = find_side(table, planned.a), find_side(table, planned.b)
    if a is None or b is None:
        return
    judge = planned.judge
    if judge:
        judge = find_judge(table, judge, (a, b)) or judge
    if planned.criteria:
        criteria = [_find_criterion(table, name) for name in planned.criteria]
    else:
        criteria = [name for name in table.columns.criteria if _is_scored_on_both(table, a, b, name)]
    for name in criteria:
        if name is not None:
            yield _Pair(a, b, name, planned, judge)


def _list_unplanned(
    table: ScoreTable, by: str | None, baseline: str | None, criteria: Sequence[str], skipped: list[str]
) -> Iterator[_Pair]:
    """Yield each condition against the baseline, or all pairs; say in `skipped` which criteria have too many."""
    for name in criteria:
        all_sides = list_sides(table, by, name)
        sides = tuple(side for side in all_sides if side not in table.apart)
        if baseline is None and len(sides) > MOST:
            skipped.append(f"{name} has {len(sides)} conditions, more than {MOST}: choose a baseline")
            continue
        if baseline is None:
            yield from (_Pair(a, b, name) for a, b in combinations(sides, 2))
            continue
        base = _find_baseline(table, by, baseline)
        if base in all_sides:
            yield from (_Pair(base, side, name) for side in sides if side != base)


def _find_baseline(table: ScoreTable, by: str | None, name: str) -> ConditionKey:
    if by is not None:
        values = table.factors.get(by, ())
        value = name.removeprefix(f"{by}=")
        if value not in values:
            raise LookupError(f"no value of {by} is called '{name}'; there are: {'; '.join(values) or 'none'}")
        return ((by, value),)
    side = find_side(table, name)
    if side not in table.columns.conditions:
        labels = "; ".join(table.label(key) for key in table.columns.conditions[:MOST])
        if len(table.columns.conditions) > MOST:
            labels += "; …"
        raise LookupError(f"no condition is called '{name}'; there are: {labels or 'none'}")
    return side or ()


@lru_cache(maxsize=256)
def list_sides(table: ScoreTable, by: str | None, criterion: str) -> tuple[ConditionKey, ...]:
    """Return the conditions, or the values of a factor, that have cells for this criterion."""
    import numpy as np

    columns = table.columns
    of_criterion = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    codes = np.unique(np.asarray(columns.condition)[of_criterion]).tolist()
    keys = [columns.conditions[code] for code in codes]
    if by is None:
        return tuple(keys)
    values = dict.fromkeys(dict(key).get(by) for key in keys)
    return tuple(((by, value),) for value in values if value)


@lru_cache(maxsize=1024)
def list_judges(table: ScoreTable, side: ConditionKey, criterion: str) -> tuple[str, ...]:
    """Return who has cells for a condition and criterion."""
    import numpy as np

    columns = table.columns
    cells = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    cells &= np.isin(np.asarray(columns.condition), list_members(table, side))
    return tuple(columns.judges[code] for code in np.unique(np.asarray(columns.judge)[cells]).tolist())


def _is_scored_on_both(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str) -> bool:
    return bool(list_judges(table, a, criterion)) and bool(list_judges(table, b, criterion))


def _compare_by_judge(table: ScoreTable, pair: _Pair, judge: str | None) -> Iterator[Comparison | Blocked]:
    """Yield the comparison by each judge that scored both; one that is blocked where none did."""
    judges_a, judges_b = (list_judges(table, side, pair.criterion) for side in (pair.a, pair.b))
    shared = [name for name in judges_a if name in judges_b and judge in (None, name)]
    names = shared
    if not shared and (judge is None or judge in (*judges_a, *judges_b)):
        names = [""]
    for name in names:
        obstacles = comparability.find_obstacles(table, pair.a, pair.b, pair.criterion, name, pair.planned)
        if obstacles:
            yield Blocked(pair.a, pair.b, pair.criterion, name, obstacles, pair.planned)
        elif shared:
            yield difference.compute_difference(table, pair.a, pair.b, pair.criterion, name, pair.planned)


def _adjust_all(
    table: ScoreTable, comparisons: Sequence[Comparison], by: str | None, planned_keys: frozenset[_Key]
) -> Iterator[Comparison]:
    """Yield each comparison with Holm's p over its family: the plan, or all unplanned ones of its judge."""
    from readback.stats import multiple_tests

    planned = [comparison for comparison in comparisons if comparison.planned and comparison.p is not None]
    planned_p = multiple_tests.holm([comparison.p or 0.0 for comparison in planned])
    adjusted_by_id = dict(zip(map(id, planned), planned_p, strict=True))
    for comparison in comparisons:
        if comparison.p is None:
            yield difference.decide(comparison)
            continue
        if comparison.planned:
            adjusted, family = adjusted_by_id[id(comparison)], len(planned)
        else:
            adjusted, family = _adjust_in_family(table, comparison, by, planned_keys)
        yield difference.decide(replace(comparison, p_adjusted=adjusted, family=family))


def _adjust_in_family(
    table: ScoreTable, comparison: Comparison, by: str | None, planned_keys: frozenset[_Key]
) -> tuple[float, int]:
    """Return the p of an unplanned comparison, adjusted for all that its judge allows, and how many these are."""
    adjusted, size = _adjust_family(table, by, comparison.judge, planned_keys)
    a, b, criterion = comparison.a, comparison.b, comparison.criterion
    for key in ((a, b, criterion), (b, a, criterion)):
        if key in adjusted:
            return adjusted[key], size
    return min(1.0, (comparison.p or 0.0) * max(size, 1)), size  # a pair among too many conditions: Bonferroni's


@lru_cache(maxsize=32)
def _adjust_family(
    table: ScoreTable, by: str | None, judge: str, planned_keys: frozenset[_Key]
) -> tuple[Mapping[_Key, float], int]:
    """Return Holm's p of every unplanned pair under every criterion by one judge, and how many there are.

    Pairs of a criterion with more than 12 conditions are counted and not computed.
    """
    from readback.stats import multiple_tests

    p: dict[_Key, float] = {}
    uncomputed = 0
    for name in table.columns.criteria:
        sides = [side for side in list_sides(table, by, name) if side not in table.apart]
        sides = [side for side in sides if judge in list_judges(table, side, name)]
        if len(sides) > MOST:
            uncomputed += len(sides) * (len(sides) - 1) // 2
            continue
        for a, b in combinations(sides, 2):
            if (a, b, name) in planned_keys or (b, a, name) in planned_keys:
                continue
            if comparability.find_obstacles(table, a, b, name, judge):
                continue
            pair_p = difference.compute_pair_p(table, a, b, name, judge)
            if pair_p is not None:
                p[a, b, name] = pair_p
    # those that are not computed may have any p: they stand behind all others, which is the careful side
    adjusted = multiple_tests.holm([*p.values(), *[1.0] * uncomputed])
    return dict(zip(p, adjusted, strict=False)), len(p) + uncomputed


def list_criteria(table: ScoreTable, name: str | None) -> tuple[str, ...]:
    """Return the criteria called `name`, with or without `_score`, or all of them. Raises LookupError."""
    if name is None:
        return table.columns.criteria
    criteria = tuple(
        criterion for criterion in table.columns.criteria if name in (criterion, criterion.removesuffix("_score"))
    )
    if not criteria:
        raise LookupError(f"no criterion is called '{name}'; there are: {', '.join(table.columns.criteria) or 'none'}")
    return criteria


def _find_criterion(table: ScoreTable, name: str) -> str | None:
    """Return a planned criterion as the files call it; a total is the only total they have, whatever it is called."""
    criteria = table.columns.criteria
    for criterion in criteria:
        if name in (criterion, criterion.removesuffix("_score")):
            return criterion
    if comparability.strip_score_ending(name) not in comparability.TOTALS:
        return None
    totals = [
        criterion
        for criterion in criteria
        if comparability.is_total(criterion) and comparability.strip_score_ending(criterion) != comparability.VERDICT
    ]
    if len(totals) == 1:
        return totals[0]
    return None
