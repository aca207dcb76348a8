"""Verdicts and totals of a judge held against the scores it gave and the weights of its rubric.

Source: the two rubrics of ignaciolinari/beyond-the-cutoff (MIT). Total = sum of weight times score over the criteria
that apply, divided by the sum of their weights; "pass" from a least total and least scores on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.readers.bounded_diagnostics import bounded
from readback.scores.criteria import number
from readback.scores.rubrics import Rubric, of_condition
from readback.scores.table import NOT_APPLICABLE, SCORED, ConditionKey, PassRule, Reported, ScoreTable
from readback.types import Diagnostic, Location

VERDICTS = ("judge_verdict", "verdict")
TOTALS = ("overall", "overall_score", "weighted_score", "weighted_total")
CLOSE = 1e-6  # a total this near to the least one may be on either side of it
FINEST = 6


@dataclass(frozen=True, slots=True)
class Total:
    """The weighted total of one answer, and the scores it is made of."""

    value: float
    scores: Mapping[str, float]


def total(rubric: Rubric, cells: Mapping[str, tuple[float, int]]) -> Total | None:
    """The total over (value, state) of each criterion; None where one that applies has no value."""
    there = {name: cells.get(name, (0.0, -1)) for name, weight in rubric.weights.items() if weight > 0}
    scores = {name: value for name, (value, state) in there.items() if state == SCORED}
    if not scores or any(state not in (SCORED, NOT_APPLICABLE) for _, state in there.values()):
        return None
    weights = sum(rubric.weights[name] for name in scores)
    return Total(sum(rubric.weights[name] * value for name, value in scores.items()) / weights, scores)


def passes(rule: PassRule, found: Total) -> bool | None:
    """Whether the rule passes; None where a rounding of the total or a score could tip it."""
    least = {**({} if rule.every is None else dict.fromkeys(found.scores, rule.every)), **rule.least}
    gaps = [found.value - rule.total]
    gaps += [found.scores[name] - low for name, low in least.items() if name in found.scores]
    if any(gap < -CLOSE for gap in gaps):
        return False
    return None if gaps[0] < CLOSE else True


def diagnostics(table: ScoreTable) -> Iterator[Diagnostic]:
    """Every verdict and total that its row's scores do not give, and every stated total that its means do not."""
    for key in table.columns.conditions:
        if rubric := of_condition(table, key):
            yield from bounded(_rows(table, key, rubric), table.columns.files[0])
    for key in dict.fromkeys(one.condition for one in table.reported):
        if rubric := of_condition(table, key):
            rows = _criteria_of(table, key)
            of_it = [one for one in table.reported if one.condition == key and one.criterion not in rows]
            yield from _reported(of_it, rubric, table)


def _criteria_of(table: ScoreTable, key: ConditionKey) -> set[str]:
    """What a condition has rows of: these are what counts, and what is stated is held against them elsewhere."""
    import numpy as np

    c = table.columns
    if key not in c.conditions:
        return set()
    codes = np.asarray(c.criterion)[np.asarray(c.condition) == c.conditions.index(key)]
    return {c.criteria[code] for code in np.unique(codes).tolist()}


def _rows(table: ScoreTable, key: ConditionKey, rubric: Rubric) -> Iterator[Diagnostic]:
    c = table.columns
    for at, verdict, reported, cells in _answers(table, key, rubric):
        found = total(rubric, cells)
        if found is None:
            continue
        item, judge = c.items[c.item[at]], c.judges[c.judge[at]]
        place = Location(file=c.files[c.file[at]], line=c.line[at] or None, record=item, judge=judge or None)
        values: dict[str, Any] = {"item": item, "condition": table.label(key), "total": number(round(found.value, 4))}
        for name, value in reported.items():
            if abs(value - found.value) > 0.5 * 10 ** -_decimals(value) + 1e-9:
                more = {"criterion": name, "stated": number(value), "weights": _said(rubric, found.scores)}
                yield Diagnostic(
                    "scr-overall-differs", {**values, **more}, place, flagged=f"{name}|{values['condition']}"
                )
        is_so = passes(rubric.passes, found) if rubric.passes else None
        if verdict is not None and is_so is not None and verdict != is_so and rubric.passes:
            more = {
                "verdict": "pass" if verdict else "fail",
                "expected": "pass" if is_so else "fail",
                "rule": _rule(rubric.passes),
                "scores": ", ".join(f"{name} {number(value)}" for name, value in found.scores.items()),
            }
            yield Diagnostic("scr-verdict-differs", {**values, **more}, place, flagged=str(values["condition"]))


Answer = tuple[int, bool | None, dict[str, float], dict[str, tuple[float, int]]]


def _answers(table: ScoreTable, key: ConditionKey, rubric: Rubric) -> Iterator[Answer]:
    """Each judged answer: the number of a cell of it, its verdict, its stated totals and its scores."""
    import numpy as np

    c = table.columns
    told = {code: name for code, name in enumerate(c.criteria) if name in (*VERDICTS, *TOTALS)}
    parts = {code: name for code, name in enumerate(c.criteria) if _plain(name, rubric) in rubric.weights}
    condition = np.asarray(c.condition) == c.conditions.index(key)
    criterion = np.asarray(c.criterion)
    if not (condition & np.isin(criterion, list(told))).any():
        return
    groups: dict[tuple[int, int, int], list[int]] = {}
    for at in np.flatnonzero(condition & np.isin(criterion, [*told, *parts])).tolist():
        groups.setdefault((c.item[at], c.judge[at], c.run[at]), []).append(at)
    for cells in groups.values():
        verdict: bool | None = None
        reported: dict[str, float] = {}
        scores: dict[str, tuple[float, int]] = {}
        at = cells[0]
        for cell in cells:
            name, value, state = c.criteria[c.criterion[cell]], c.value[cell], c.state[cell]
            if c.criterion[cell] in parts:
                scores[_plain(name, rubric)] = (value, state)
            elif state == SCORED:
                at = cell
                if name in VERDICTS:
                    verdict = bool(value)
                else:
                    reported[name] = value
        if verdict is not None or reported:
            yield at, verdict, reported, scores


def _reported(reported: Sequence[Reported], rubric: Rubric, table: ScoreTable) -> Iterator[Diagnostic]:
    """Totals among stated means, each against the means beside it in the same place."""
    for one in reported:
        if one.criterion not in TOTALS or one.state != SCORED:
            continue
        beside = {
            _plain(other.criterion, rubric): (other.mean, other.state) for other in reported if other.place == one.place
        }
        found = total(rubric, beside)
        if found and abs(one.mean - found.value) > 0.5 * 10**-one.decimals + _spread(reported, one) + 1e-9:
            label = table.label(one.condition)
            values = {
                "item": "the means", "condition": label, "total": number(round(found.value, 4)),
                "criterion": one.criterion, "stated": number(one.mean), "weights": _said(rubric, found.scores),
            }  # fmt: skip
            yield Diagnostic("scr-overall-differs", values, one.place, flagged=f"{one.criterion}|{label}|means")


def _spread(reported: Sequence[Reported], one: Reported) -> float:
    """How far the rounding of the means beside a total can move it."""
    return max(0.5 * 10.0**-other.decimals for other in reported if other.place == one.place)


def _plain(name: str, rubric: Rubric) -> str:
    """A criterion by the name the rubric has for it."""
    return name if name in rubric.weights else name.removesuffix("_score")


def _said(rubric: Rubric, scores: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number(rubric.weights[name])} × {number(value)}" for name, value in scores.items())


def _rule(rule: PassRule) -> str:
    parts = [f"a total of at least {number(rule.total)}"]
    parts += [f"every score at least {number(rule.every)}"] if rule.every is not None else []
    parts += [f"{name} at least {number(low)}" for name, low in rule.least.items()]
    return " and ".join(parts)


def _decimals(value: float) -> int:
    """How exactly a judge wrote a number; a whole one may be the end of the scale, rounded to a tenth."""
    return min(max(len(f"{value:.10f}".rstrip("0").partition(".")[2]), 1), FINEST)
