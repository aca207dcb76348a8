"""Check verdicts and totals of a judge against the scores it gave and the weights of its rubric.

Source: the two rubrics of ignaciolinari/beyond-the-cutoff (MIT). Total = sum of weight times score over the criteria
that apply, divided by the sum of their weights; "pass" from a least total and least scores on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.readers.files.bounded_diagnostics import bounded
from readback.scores.rubrics import Rubric, of_condition
from readback.scores.table import NOT_APPLICABLE, SCORED, ConditionKey, PassRule, Reported, ScoreTable
from readback.scores.values.criteria import number
from readback.types import Diagnostic, Location

VERDICTS = ("judge_verdict", "verdict")
TOTALS = ("overall", "overall_score", "weighted_score", "weighted_total")
CLOSE = 1e-6  # a total this near to the least one may be on either side of it
FINEST = 6


@dataclass(frozen=True, slots=True)
class Total:
    """Hold the weighted total of one answer, and the scores it is computed from."""

    value: float
    scores: Mapping[str, float]


def compute_total(rubric: Rubric, cells: Mapping[str, tuple[float, int]]) -> Total | None:
    """Return the total over (value, state) of each criterion; None where one that applies has no value."""
    weighted = {name: cells.get(name, (0.0, -1)) for name, weight in rubric.weights.items() if weight > 0}
    scores = {name: value for name, (value, state) in weighted.items() if state == SCORED}
    if not scores or any(state not in (SCORED, NOT_APPLICABLE) for _, state in weighted.values()):
        return None
    weights = sum(rubric.weights[name] for name in scores)
    return Total(sum(rubric.weights[name] * value for name, value in scores.items()) / weights, scores)


def is_passing(rule: PassRule, total: Total) -> bool | None:
    """Return whether the rule passes; None where a rounding of the total or a score could tip it."""
    least: dict[str, float] = {}
    if rule.every is not None:
        least = dict.fromkeys(total.scores, rule.every)
    least.update(rule.least)
    gaps = [total.value - rule.total]
    gaps += [total.scores[name] - low for name, low in least.items() if name in total.scores]
    if any(gap < -CLOSE for gap in gaps):
        return False
    if gaps[0] < CLOSE:
        return None
    return True


def find_wrong_verdicts(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield every verdict and total that its row's scores do not give, and every stated total that its means do not."""
    for key in table.columns.conditions:
        rubric = of_condition(table, key)
        if rubric:
            yield from bounded(_check_rows(table, key, rubric), table.columns.files[0])
    for key in dict.fromkeys(means.condition for means in table.reported):
        rubric = of_condition(table, key)
        if rubric:
            with_rows = _list_criteria(table, key)
            of_key = [means for means in table.reported if means.condition == key and means.criterion not in with_rows]
            yield from _check_reported(of_key, rubric, table)


def _list_criteria(table: ScoreTable, key: ConditionKey) -> set[str]:
    """Return the criteria that a condition has rows of; what is stated of these is checked elsewhere."""
    import numpy as np

    columns = table.columns
    if key not in columns.conditions:
        return set()
    codes = np.asarray(columns.criterion)[np.asarray(columns.condition) == columns.conditions.index(key)]
    return {columns.criteria[code] for code in np.unique(codes).tolist()}


def _check_rows(table: ScoreTable, key: ConditionKey, rubric: Rubric) -> Iterator[Diagnostic]:
    columns = table.columns
    label = table.label(key)
    for cell, verdict, stated_totals, cells in _list_answers(table, key, rubric):
        total = compute_total(rubric, cells)
        if total is None:
            continue
        item, judge = columns.items[columns.item[cell]], columns.judges[columns.judge[cell]]
        file, line = columns.files[columns.file[cell]], columns.line[cell] or None
        location = Location(file=file, line=line, record=item, judge=judge or None)
        values: dict[str, Any] = {"item": item, "condition": label, "total": number(round(total.value, 4))}
        for name, value in stated_totals.items():
            if abs(value - total.value) > 0.5 * 10 ** -_count_decimals(value) + 1e-9:
                weights = _format_scores(rubric, total.scores)
                more = {"criterion": name, "stated": number(value), "weights": weights}
                yield Diagnostic("scr-overall-differs", {**values, **more}, location, flagged=f"{name}|{label}")
        if verdict is None or rubric.passes is None:
            continue
        expected = is_passing(rubric.passes, total)
        if expected is not None and verdict != expected:
            more = {
                "verdict": "pass" if verdict else "fail",
                "expected": "pass" if expected else "fail",
                "rule": _format_rule(rubric.passes),
                "scores": ", ".join(f"{name} {number(value)}" for name, value in total.scores.items()),
            }
            yield Diagnostic("scr-verdict-differs", {**values, **more}, location, flagged=label)


Answer = tuple[int, bool | None, dict[str, float], dict[str, tuple[float, int]]]


def _list_answers(table: ScoreTable, key: ConditionKey, rubric: Rubric) -> Iterator[Answer]:
    """Yield each judged answer: the number of a cell of it, its verdict, its stated totals and its scores."""
    import numpy as np

    columns = table.columns
    stated = {code: name for code, name in enumerate(columns.criteria) if name in (*VERDICTS, *TOTALS)}
    parts = {code: name for code, name in enumerate(columns.criteria) if _match_name(name, rubric) in rubric.weights}
    condition = np.asarray(columns.condition) == columns.conditions.index(key)
    criterion = np.asarray(columns.criterion)
    if not (condition & np.isin(criterion, list(stated))).any():
        return
    groups: dict[tuple[int, int, int], list[int]] = {}
    for first_cell in np.flatnonzero(condition & np.isin(criterion, [*stated, *parts])).tolist():
        groups.setdefault((columns.item[first_cell], columns.judge[first_cell], columns.run[first_cell]), []).append(
            first_cell
        )
    for cells in groups.values():
        verdict: bool | None = None
        reported: dict[str, float] = {}
        scores: dict[str, tuple[float, int]] = {}
        first_cell = cells[0]
        for cell in cells:
            name, value, state = columns.criteria[columns.criterion[cell]], columns.value[cell], columns.state[cell]
            if columns.criterion[cell] in parts:
                scores[_match_name(name, rubric)] = (value, state)
            elif state == SCORED:
                first_cell = cell
                if name in VERDICTS:
                    verdict = bool(value)
                else:
                    reported[name] = value
        if verdict is not None or reported:
            yield first_cell, verdict, reported, scores


def _check_reported(reported: Sequence[Reported], rubric: Rubric, table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield totals among stated means that differ from the means in the same place."""
    for stated in reported:
        if stated.criterion not in TOTALS or stated.state != SCORED:
            continue
        same_place = [means for means in reported if means.place == stated.place]
        cells = {_match_name(means.criterion, rubric): (means.mean, means.state) for means in same_place}
        total = compute_total(rubric, cells)
        if total is None:
            continue
        if abs(stated.mean - total.value) > 0.5 * 10**-stated.decimals + _get_rounding(reported, stated) + 1e-9:
            label = table.label(stated.condition)
            values = {
                "item": "the means",
                "condition": label,
                "total": number(round(total.value, 4)),
                "criterion": stated.criterion,
                "stated": number(stated.mean),
                "weights": _format_scores(rubric, total.scores),
            }
            yield Diagnostic("scr-overall-differs", values, stated.place, flagged=f"{stated.criterion}|{label}|means")


def _get_rounding(reported: Sequence[Reported], stated: Reported) -> float:
    """Return how far the rounding of the means in the same place can move a total."""
    return max(0.5 * 10.0**-means.decimals for means in reported if means.place == stated.place)


def _match_name(name: str, rubric: Rubric) -> str:
    """Return a criterion by the name the rubric has for it."""
    if name in rubric.weights:
        return name
    return name.removesuffix("_score")


def _format_scores(rubric: Rubric, scores: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number(rubric.weights[name])} × {number(value)}" for name, value in scores.items())


def _format_rule(rule: PassRule) -> str:
    parts = [f"a total of at least {number(rule.total)}"]
    if rule.every is not None:
        parts.append(f"every score at least {number(rule.every)}")
    parts += [f"{name} at least {number(low)}" for name, low in rule.least.items()]
    return " and ".join(parts)


def _count_decimals(value: float) -> int:
    """Return how exactly a judge wrote a number; a whole one may be the end of the scale, rounded to a tenth."""
    return min(max(len(f"{value:.10f}".rstrip("0").partition(".")[2]), 1), FINEST)
