"""Find comparisons that may not be made, and conditions that were scored on different records.

The planned comparisons, or, where nothing is planned, one for each criterion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from readback.scores import scales
from readback.scores.comparing import comparability
from readback.scores.comparing.compare import find_side
from readback.scores.comparing.sides import count_cells, count_states, describe_side, find_judge
from readback.scores.table import NOT_APPLICABLE, ConditionKey, Planned, ScoreTable
from readback.types import Diagnostic, Severity

MOST = 40  # kinds of conditions of which pairs are looked at


def find_refused(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield criteria on two scales in any case; other reasons once for each criterion, with how many pairs."""
    yield from _find_two_scales(table)
    if table.planned:
        obstacles = _check_planned(table)
    else:
        obstacles = _check_unplanned(table)
    severity: Severity | None = None if table.planned else "info"  # nobody meant to compare them
    first: dict[tuple[str, str], Diagnostic] = {}
    pairs: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for diagnostic in obstacles:
        if diagnostic.code == comparability.SCALE:
            continue  # reported of the criterion as a whole
        if diagnostic.code == comparability.ROWS and not table.planned:
            continue
        key = diagnostic.code, diagnostic.values["criterion"]
        first.setdefault(key, diagnostic)
        pairs.setdefault(key, set()).add((diagnostic.values["a"], diagnostic.values["b"]))
    for (code, criterion), diagnostic in first.items():
        values = {**diagnostic.values, "pairs": len(pairs[code, criterion])}
        among: dict[str, None] = {}
        for pair in sorted(pairs[code, criterion]):
            among.update(dict.fromkeys(pair))
        yield replace(diagnostic, values=values, flagged=criterion, severity=severity, among=tuple(among))


def _find_two_scales(table: ScoreTable) -> Iterator[Diagnostic]:
    columns = table.columns
    for criterion in columns.criteria:
        pair = scales.two(scales.groups(table, criterion))
        if not pair:
            continue
        a, b = pair
        label_a, label_b = (table.label(columns.conditions[group.condition]) for group in pair)
        values = {
            "criterion": criterion,
            "judge": columns.judges[a.judge] if a.judge == b.judge else "",
            "a": label_a,
            "b": label_b,
            "differs": " / ".join(dict.fromkeys(comparability.describe_range(table, group) for group in pair)),
            "part": [],
            "pairs": 1,
        }
        yield Diagnostic(comparability.SCALE, values, flagged=criterion, among=(label_a, label_b))


def _check_planned(table: ScoreTable) -> Iterator[Diagnostic]:
    for planned in table.planned:
        a, b = find_side(table, planned.a), find_side(table, planned.b)
        if a is None or b is None:
            continue
        for criterion in _list_criteria(table, planned):
            for diagnostic in _check_pair(table, a, b, criterion, planned):
                # A criterion that the plan asks for by name is reported even where it is not comparable
                if planned.criteria or diagnostic.code != comparability.NOT_COMPARABLE:
                    yield diagnostic


def _list_criteria(table: ScoreTable, planned: Planned) -> Iterable[str]:
    """Return the criteria that a plan names, or all; any name of a total means every total."""
    wanted = {comparability.strip_score_ending(name) for name in planned.criteria}
    if not wanted:
        return table.columns.criteria
    if not wanted.isdisjoint(comparability.TOTALS):
        wanted.update(comparability.TOTALS)
    return [name for name in table.columns.criteria if comparability.strip_score_ending(name) in wanted]


def _check_pair(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, planned: Planned | None = None
) -> Iterator[Diagnostic]:
    cells: dict[str, tuple[int, int]] = {}
    for judge in table.columns.judges:
        cells[judge] = (count_cells(table, a, criterion, judge)[0], count_cells(table, b, criterion, judge)[0])
    if not all(map(any, zip(*cells.values(), strict=True))):
        return  # not scored on one side at all: nothing to compare, and nothing that forbids it
    judges = [judge for judge, (cells_a, cells_b) in cells.items() if cells_a and cells_b]
    if planned is None and not judges and any(cells.get("", ())):
        return  # whoever is not named may be the same
    wanted = judges
    if planned is not None and planned.judge is not None:
        named = planned.judge and find_judge(table, planned.judge, (a, b))
        wanted = [judge for judge in judges if judge == named]
    if not judges:
        wanted = [""]
    for judge in wanted:
        yield from comparability.find_obstacles(table, a, b, criterion, judge, planned)


def _check_unplanned(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield obstacles to pairs of conditions that differ in their facts; one of each kind stands for the others."""
    columns = table.columns
    for criterion in columns.criteria:
        kinds: dict[object, ConditionKey] = {}
        for key in columns.conditions:
            judged: list[object] = []
            for judge in columns.judges:
                cells, _, inapplicable = count_cells(table, key, criterion, judge)
                if cells:
                    judged.append((judge, cells == inapplicable, describe_side(table, key, judge)))
            if judged:
                kinds.setdefault(tuple(judged), key)
        for a, b in combinations(list(kinds.values())[:MOST], 2):
            yield from _check_pair(table, a, b, criterion)


LEFT_OUT = 0.05  # share of the records of two conditions that only one has
LARGEST = 20_000_000  # cells of conditions × items


def find_different_rows(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield the pair that shares the fewest records, once for each criterion: a planned one, if any is planned."""
    columns = table.columns
    for criterion in columns.criteria:
        pairs: list[_SharedRows] = []
        for judge in columns.judges:
            pair = _find_least_shared(table, criterion, judge)
            if pair:
                pairs.append(pair)
        if not pairs:
            continue
        least = min(pairs, key=lambda pair: pair.shared / (pair.n_a + pair.n_b - pair.shared))
        label_a, label_b = table.label(least.a), table.label(least.b)
        values = {
            "criterion": criterion,
            "judge": least.judge,
            "a": label_a,
            "b": label_b,
            "part": [],
            "pairs": 1,
            "differs": f"n {least.n_a} / {least.n_b}, {least.shared} shared",
        }
        if least.shared or not table.planned:  # a planned pair that shares nothing is refused, and reported so there
            severity: Severity | None = "info" if least.shared else None
            among = (label_a, label_b)
            yield Diagnostic(comparability.ROWS, values, flagged=criterion, severity=severity, among=among)


class _SharedRows(NamedTuple):
    """Count the items of two conditions before one judge, and those that both have."""

    a: ConditionKey
    b: ConditionKey
    judge: str
    shared: int
    n_a: int
    n_b: int


def _find_least_shared(table: ScoreTable, criterion: str, judge: str) -> _SharedRows | None:
    import numpy as np

    columns = table.columns
    code, judge_code = columns.criteria.index(criterion), columns.judges.index(judge)
    conditions = [condition for name, by, condition in count_states(table) if (name, by) == (code, judge_code)]
    if len(conditions) < 2 or len(columns.conditions) * len(columns.items) > LARGEST:
        return None
    keys = [columns.conditions[condition] for condition in conditions]
    present = np.zeros((len(columns.conditions), len(columns.items)), np.float32)
    cells = (np.asarray(columns.criterion) == code) & (np.asarray(columns.judge) == judge_code)
    cells &= np.frombuffer(columns.state, np.uint8) != NOT_APPLICABLE
    present[np.asarray(columns.condition)[cells], np.asarray(columns.item)[cells]] = 1
    present = present[conditions]
    sizes = present.sum(1)
    shared = present @ present.T
    union = sizes[:, None] + sizes[None, :] - shared
    wanted = _mark_wanted(table, keys) & (sizes[:, None] > 0) & (sizes[None, :] > 0)
    ratio = np.where(wanted, shared / np.maximum(union, 1), 1.0)
    row, column = divmod(int(ratio.argmin()), len(keys))
    if ratio[row, column] >= 1 - LEFT_OUT:
        return None
    return _SharedRows(keys[row], keys[column], judge, int(shared[row, column]), int(sizes[row]), int(sizes[column]))


def _mark_wanted(table: ScoreTable, keys: list[ConditionKey]) -> Any:
    """Return which pairs are looked at: the planned ones, else all."""
    import numpy as np

    if not table.planned:
        return ~np.eye(len(keys), dtype=bool)
    row_of = {key: row for row, key in enumerate(keys)}
    wanted = np.zeros((len(keys), len(keys)), bool)
    for planned in table.planned:
        a, b = find_side(table, planned.a), find_side(table, planned.b)
        if a in row_of and b in row_of and a != b:
            wanted[row_of[a], row_of[b]] = True
    return wanted
