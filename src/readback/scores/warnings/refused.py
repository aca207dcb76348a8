"""Comparisons that may not be made: the planned ones, or, where nothing is planned, one for each criterion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from readback.scores import scales
from readback.scores.comparing import comparability as guard
from readback.scores.comparing.compare import find_side
from readback.scores.comparing.sides import count_cells, describe_side, find_judge
from readback.scores.table import ConditionKey, Planned, ScoreTable
from readback.types import Diagnostic, Severity

MOST = 40  # kinds of conditions of which pairs are looked at


def diagnostics(table: ScoreTable) -> Iterator[Diagnostic]:
    """A criterion on two scales in any case; other reasons once for each criterion and judge, with how many pairs."""
    yield from _two_scales(table)
    found = _planned(table) if table.planned else _unplanned(table)
    severity: Severity | None = None if table.planned else "info"  # nobody meant to compare them
    first: dict[tuple[str, str], Diagnostic] = {}
    pairs: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for diagnostic in found:
        if diagnostic.code in (guard.SCALE, guard.ROWS) and not (table.planned and diagnostic.code == guard.ROWS):
            continue  # said of the criterion as a whole
        about = diagnostic.code, diagnostic.values["criterion"]
        first.setdefault(about, diagnostic)
        pairs.setdefault(about, set()).add((diagnostic.values["a"], diagnostic.values["b"]))
    for (code, criterion), diagnostic in first.items():
        values = {**diagnostic.values, "pairs": len(pairs[code, criterion])}
        among = tuple(dict.fromkeys(side for pair in sorted(pairs[code, criterion]) for side in pair))
        yield replace(diagnostic, values=values, flagged=criterion, severity=severity, among=among)


def _two_scales(table: ScoreTable) -> Iterator[Diagnostic]:
    c = table.columns
    for criterion in c.criteria:
        if found := scales.two(scales.groups(table, criterion)):
            one, other = found
            values = {
                "criterion": criterion, "judge": c.judges[one.judge] if one.judge == other.judge else "",
                "a": table.label(c.conditions[one.condition]), "b": table.label(c.conditions[other.condition]),
                "differs": " / ".join(dict.fromkeys(guard.describe_range(table, group) for group in found)),
                "part": [], "pairs": 1,
            }  # fmt: skip
            yield Diagnostic(
                guard.SCALE,
                values,
                flagged=criterion,
                among=tuple(table.label(c.conditions[group.condition]) for group in found),
            )


def _planned(table: ScoreTable) -> Iterator[Diagnostic]:
    for one in table.planned:
        a, b = find_side(table, one.a), find_side(table, one.b)
        if a is not None and b is not None:
            for criterion in _criteria(table, one):
                for diagnostic in _asked(table, a, b, criterion, one):
                    if one.criteria or diagnostic.code != guard.NOT_COMPARABLE:  # the plan asks for this one by name
                        yield diagnostic


def _criteria(table: ScoreTable, one: Planned) -> Iterable[str]:
    wanted = {guard.strip_score_ending(name) for name in one.criteria}
    total = not wanted.isdisjoint(guard.TOTALS)
    return [
        name
        for name in table.columns.criteria
        if not wanted
        or guard.strip_score_ending(name) in wanted
        or (total and guard.strip_score_ending(name) in guard.TOTALS)
    ]


def _asked(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, one: Planned | None = None
) -> Iterator[Diagnostic]:
    cells = {judge: [count_cells(table, key, criterion, judge)[0] for key in (a, b)] for judge in table.columns.judges}
    if not all(map(any, zip(*cells.values(), strict=True))):
        return  # not scored on one side at all: nothing to compare, and nothing that forbids it
    judges = [judge for judge, (of_a, of_b) in cells.items() if of_a and of_b]
    if one is None and not judges and any(cells.get("", ())):
        return  # whoever is not named may be the same
    named = one.judge and find_judge(table, one.judge, (a, b)) if one else None
    wanted = [judge for judge in judges if one is None or one.judge is None or judge == named]
    for judge in wanted or ([] if judges else [""]):
        yield from guard.find_obstacles(table, a, b, criterion, judge, one)


def _unplanned(table: ScoreTable) -> Iterator[Diagnostic]:
    """Pairs of conditions that differ in what is known of them; one of each kind stands for the others."""
    c = table.columns
    for criterion in c.criteria:
        kinds: dict[object, ConditionKey] = {}
        for key in c.conditions:
            known = [(judge, count_cells(table, key, criterion, judge)) for judge in c.judges]
            there = [
                (judge, cells[0] == cells[2], describe_side(table, key, judge)) for judge, cells in known if cells[0]
            ]
            if there:
                kinds.setdefault(tuple(there), key)
        for a, b in combinations(list(kinds.values())[:MOST], 2):
            yield from _asked(table, a, b, criterion)
