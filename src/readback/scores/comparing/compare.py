"""Which comparisons are made: the planned ones first, then each condition against a baseline, or all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from readback.scores.comparing import comparability, difference
from readback.scores.comparing.comparison import Blocked, Compared, Comparison
from readback.scores.comparing.paired_items import members
from readback.scores.comparing.sides import judge_called
from readback.scores.table import ConditionKey, Planned, ScoreTable
from readback.types import Workspace

TEXTS = ("judge", "question", "expected", "name", "group", "warning")


def list_planned(workspace: Workspace) -> tuple[Planned, ...]:
    """Every planned comparison in the order of the files; the same one said twice counts once."""
    return tuple(dict.fromkeys(_read_planned(workspace, one) for one in workspace.comparisons))


def _read_planned(workspace: Workspace, said: Mapping[str, Any]) -> Planned:
    texts: dict[str, Any] = {name: said[name] for name in TEXTS if isinstance(said.get(name), str)}
    listed = said.get("criteria")
    criteria = tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()
    forbidden = said.get("not_comparable")
    one = said.get("criterion")
    margin = said.get("margin")
    return Planned(
        a=_resolve_alias(workspace, str(said["a"])),
        b=_resolve_alias(workspace, str(said["b"])),
        criteria=(one,) if isinstance(one, str) else criteria,
        margin=float(margin) if isinstance(margin, int | float) and margin > 0 else None,
        not_comparable=tuple(map(str, forbidden)) if isinstance(forbidden, list | tuple) else (),
        **texts,
    )


def _resolve_alias(workspace: Workspace, said: str) -> str:
    """A condition's own name where an alias was written."""
    found = workspace.condition(said)
    return found.name if found else said


_Key = tuple[ConditionKey, ConditionKey, str]  # a, b and the criterion
MOST = 12  # conditions of which all pairs are compared when no baseline is chosen


@dataclass(frozen=True, slots=True)
class _Pair:
    """One comparison to make, before it is known whether it may be made."""

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
    """Every comparison that is asked for, or why it is not made.

    `baseline` is a condition (its label, its name or its place in `side`), with `by` a value of that factor; without
    one all pairs are compared where a criterion has at most 12 conditions. Planned comparisons are first and are
    Holm's family, all of them whichever criterion and judge are asked for. The others are exploratory: all pairs under
    all criteria by one judge are one family, whichever of them are asked for, so that a pair has one p everywhere.
    A reference answer, which the table sets apart, is compared only where the plan or
    `baseline` names it. Raises LookupError, with the names there are, for a name that is not there.
    """
    chosen = criteria_of(table, criterion)
    kept = [pair for one in planned for pair in _meant(table, one)]
    skipped: list[str] = []
    asked = list(_asked(table, by, baseline, chosen, skipped))
    seen = {(pair.a, pair.b, pair.criterion) for pair in kept}
    asked = [pair for pair in asked if not {(pair.a, pair.b, pair.criterion), (pair.b, pair.a, pair.criterion)} & seen]
    comparisons: list[Comparison] = []
    blocked: list[Blocked] = []
    for pair in (*kept, *asked):
        for one in _judged(table, pair, pair.judge if pair.planned else judge):
            (comparisons if isinstance(one, Comparison) else blocked).append(one)  # type: ignore[arg-type]

    def wanted(one: Comparison | Blocked) -> bool:
        return one.criterion in chosen and judge in (None, one.judge)

    return Compared(
        tuple(filter(wanted, _adjusted(table, comparisons, by, frozenset(seen)))),
        tuple(filter(wanted, blocked)),
        "; ".join(dict.fromkeys(skipped)) or None,
    )


def absent(table: ScoreTable, planned: Sequence[Planned]) -> tuple[tuple[Planned, str], ...]:
    """The planned comparisons that cannot be made for want of scores, each with the name that has none."""
    found = []
    for one in planned:
        gone = [side for side in (one.a, one.b) if side_of(table, side) is None]
        if not gone:
            gone = [name for name in one.criteria if _criterion(table, name) is None]
            gone += [one.judge] if one.judge and judge_called(table, one.judge, _sides(table, one)) is None else []
        found += [(one, name) for name in gone]
    return tuple(found)


def _sides(table: ScoreTable, one: Planned) -> list[ConditionKey]:
    return [key for name in (one.a, one.b) if (key := side_of(table, name)) is not None]


def side_of(table: ScoreTable, name: str) -> ConditionKey | None:
    """The condition called `name` (its label, its value, or `factor=value` parts), or that value of one factor."""
    for key in table.columns.conditions:
        if name in (table.label(key), " · ".join(f"{f}={v}" for f, v in key), dict(key).get("condition")):
            return key
    parts = tuple((factor, value) for part in name.split(" · ") for factor, _, value in [part.partition("=")])
    return parts if all(value for _, value in parts) and members(table, parts) else None


def _meant(table: ScoreTable, one: Planned) -> Iterator[_Pair]:
    a, b = side_of(table, one.a), side_of(table, one.b)
    if a is None or b is None:
        return
    names = [_criterion(table, name) for name in one.criteria] if one.criteria else list(table.columns.criteria)
    for name in names:
        if name is not None and (one.criteria or _both(table, a, b, name)):
            yield _Pair(a, b, name, one, one.judge and (judge_called(table, one.judge, (a, b)) or one.judge))


def _asked(
    table: ScoreTable, by: str | None, baseline: str | None, chosen: Sequence[str], skipped: list[str]
) -> Iterator[_Pair]:
    for name in chosen:
        every = sides_of(table, by, name)
        sides = tuple(side for side in every if side not in table.apart)
        if baseline is None and len(sides) > MOST:
            skipped.append(f"{name} has {len(sides)} conditions, more than {MOST}: choose a baseline")
            continue
        if baseline is None:
            yield from (_Pair(a, b, name) for a, b in combinations(sides, 2))
            continue
        base = _baseline(table, by, baseline)
        if base in every:
            yield from (_Pair(base, side, name) for side in sides if side != base)


def _baseline(table: ScoreTable, by: str | None, name: str) -> ConditionKey:
    if by is not None:
        values = table.factors.get(by, ())
        value = name.removeprefix(f"{by}=")
        if value not in values:
            raise LookupError(f"no value of {by} is called '{name}'; there are: {'; '.join(values) or 'none'}")
        return ((by, value),)
    found = side_of(table, name)
    if found not in table.columns.conditions:
        known = "; ".join(table.label(key) for key in table.columns.conditions[:MOST])
        known += "; …" if len(table.columns.conditions) > MOST else ""
        raise LookupError(f"no condition is called '{name}'; there are: {known or 'none'}")
    return found or ()


@lru_cache(maxsize=256)
def sides_of(table: ScoreTable, by: str | None, criterion: str) -> tuple[ConditionKey, ...]:
    """The conditions, or the values of a factor, that have cells for this criterion."""
    import numpy as np

    c = table.columns
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    keys = [c.conditions[code] for code in np.unique(np.asarray(c.condition)[here]).tolist()]
    if by is None:
        return tuple(keys)
    return tuple(dict.fromkeys(((by, value),) for key in keys if (value := dict(key).get(by))))


@lru_cache(maxsize=1024)
def judges_of(table: ScoreTable, side: ConditionKey, criterion: str) -> tuple[str, ...]:
    """Who has cells for a condition and criterion."""
    import numpy as np

    c = table.columns
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.isin(np.asarray(c.condition), members(table, side))
    return tuple(c.judges[code] for code in np.unique(np.asarray(c.judge)[here]).tolist())


def _both(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str) -> bool:
    return bool(judges_of(table, a, criterion)) and bool(judges_of(table, b, criterion))


def _judged(table: ScoreTable, pair: _Pair, judge: str | None) -> Iterator[Comparison | Blocked]:
    """The comparison by each judge that scored both; one that is blocked where none did."""
    of_a, of_b = (judges_of(table, side, pair.criterion) for side in (pair.a, pair.b))
    wanted = [name for name in of_a if name in of_b and judge in (None, name)]
    for name in wanted or ([""] if judge is None or judge in (*of_a, *of_b) else []):
        why = comparability.against(table, pair.a, pair.b, pair.criterion, name, pair.planned)
        if why:
            yield Blocked(pair.a, pair.b, pair.criterion, name, why, pair.planned)
        elif wanted:
            made = difference.compute_difference(table, pair.a, pair.b, pair.criterion, name, pair.planned)
            yield made


def _adjusted(
    table: ScoreTable, comparisons: Sequence[Comparison], by: str | None, meant: frozenset[_Key]
) -> Iterator[Comparison]:
    """Each comparison with Holm's p over its family: the plan, or all unplanned ones of its judge."""
    from readback.stats import multiple_tests

    plan = [one for one in comparisons if one.planned and one.p is not None]
    of_plan = dict(zip(map(id, plan), multiple_tests.holm([one.p or 0.0 for one in plan]), strict=True))
    for one in comparisons:
        if one.p is None:
            yield difference.judged(one)
            continue
        if one.planned:
            adjusted, family = of_plan[id(one)], len(plan)
        else:
            adjusted, family = _in_family(table, one, by, meant)
        yield difference.judged(replace(one, p_adjusted=adjusted, family=family))


def _in_family(table: ScoreTable, one: Comparison, by: str | None, meant: frozenset[_Key]) -> tuple[float, int]:
    """Return the p of an unplanned comparison, adjusted for all that its judge allows, and how many these are."""
    known, many = _family(table, by, one.judge, meant)
    for key in ((one.a, one.b, one.criterion), (one.b, one.a, one.criterion)):
        if key in known:
            return known[key], many
    return min(1.0, (one.p or 0.0) * max(many, 1)), many  # a pair among too many conditions: Bonferroni's


@lru_cache(maxsize=32)
def _family(table: ScoreTable, by: str | None, judge: str, meant: frozenset[_Key]) -> tuple[Mapping[_Key, float], int]:
    """Return Holm's p of every unplanned pair under every criterion by one judge, and how many there are.

    Pairs of a criterion with more than 12 conditions are counted and not computed.
    """
    from readback.stats import multiple_tests

    p: dict[_Key, float] = {}
    others = 0
    for name in table.columns.criteria:
        sides = [
            side
            for side in sides_of(table, by, name)
            if side not in table.apart and judge in judges_of(table, side, name)
        ]
        if len(sides) > MOST:
            others += len(sides) * (len(sides) - 1) // 2
            continue
        for a, b in combinations(sides, 2):
            if (a, b, name) in meant or (b, a, name) in meant or comparability.against(table, a, b, name, judge):
                continue
            alone = difference.p_of_pair(table, a, b, name, judge)
            if alone is not None:
                p[a, b, name] = alone
    # those that are not computed may have any p: they stand behind all others, which is the careful side
    adjusted = multiple_tests.holm([*p.values(), *[1.0] * others])
    return dict(zip(p, adjusted, strict=False)), len(p) + others


def criteria_of(table: ScoreTable, name: str | None) -> tuple[str, ...]:
    if name is None:
        return table.columns.criteria
    found = tuple(one for one in table.columns.criteria if name in (one, one.removesuffix("_score")))
    if not found:
        raise LookupError(f"no criterion is called '{name}'; there are: {', '.join(table.columns.criteria) or 'none'}")
    return found


def _criterion(table: ScoreTable, name: str) -> str | None:
    """A planned criterion as the files call it; a total is the only total they have, whatever it is called."""
    names = table.columns.criteria
    totals = [one for one in names if comparability.is_total(one) and comparability.bare(one) != comparability.VERDICT]
    total = totals[0] if len(totals) == 1 and comparability.bare(name) in comparability.TOTALS else None
    return next((one for one in names if name in (one, one.removesuffix("_score"))), total)
