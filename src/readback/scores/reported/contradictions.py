"""Find where files contradict themselves: stated means and rates against rows, verdicts and totals against scores.

A difference is explained by a habit of the program that wrote the mean. The beyond-the-cutoff evaluation program counts
true as 1 and false as 0, drops numbers written as text, takes values off the scale as they are, divides the passes by
all rows, and lets one NaN spoil a mean; the judge of GRAG-LiveRAG writes its failures as 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from readback.quantity import quantity
from readback.scores.files.cells import NOT_A_NUMBER, SAYS, WRITTEN
from readback.scores.reported import unreachable_rates, verdicts
from readback.scores.reported.counted_failures import CountedFailures, find_counted_failures
from readback.scores.reported.matching_rows import (
    LeftOut,
    agrees,
    find_cells,
    find_left_out,
    get_share,
    get_tolerance,
    match_rows,
)
from readback.scores.table import FAILED, MISSING, SCORED, Reported, ScoreTable
from readback.scores.values.criteria import load_shipped_criteria, look_up, number, scale_text
from readback.types import Diagnostic
from readback.words import t

if TYPE_CHECKING:
    from readback.scores.summary_row import Row


OFF_SCALE = "not on the scale: "
TRUTHS = {f"{NOT_A_NUMBER}true": 1.0, f"{NOT_A_NUMBER}false": 0.0}
UNEXPLAINED = "nothing in the rows explains the difference"
ALL = "all of its rows, those without a value as 0"


@dataclass(slots=True)
class _Cells:
    """Hold the cells of one condition, criterion and judge: what counts, and what another program counts as well."""

    values: list[float] = field(default_factory=list)
    texts: list[float] = field(default_factory=list)  # those of `values` that are written as text
    truths: list[float] = field(default_factory=list)
    off: list[float] = field(default_factory=list)
    unscored: int = 0  # failed or missing cells with a row
    spoiled: int = 0  # cells that say NaN


def explain_difference(table: ScoreTable, row: Row, means: Reported) -> str:
    """Return what explains the difference, as the end of a sentence."""
    cells = _collect_cells(table, row)
    if means.state == FAILED:
        if cells.spoiled:
            return f"{cells.spoiled} of its rows hold NaN, which spoils the mean of the program"
        return UNEXPLAINED
    for description, values in _list_readings(cells):
        if values and abs(math.fsum(values) / len(values) - get_share(means)) <= get_tolerance(means):
            return f"the stated one comes out when a program counts {description}"
    return UNEXPLAINED


def get_scored_values(table: ScoreTable, row: Row) -> Sequence[float]:
    """Return the scored values of one row's cells."""
    return _collect_cells(table, row).values


def _list_readings(cells: _Cells) -> Iterator[tuple[str, list[float]]]:
    """Yield how another program may count these cells, in words, and the values that it then has."""
    readings: list[tuple[str, list[float]]] = []
    if cells.truths:
        words = f"true as 1 and false as 0 ({quantity(len(cells.truths), 'row')})"
        readings.append((words, cells.values + cells.truths))
    if cells.off:
        readings.append((f"values off the scale ({quantity(len(cells.off), 'row')})", cells.values + cells.off))
    if cells.texts:
        words = f"no number that is written as text ({quantity(len(cells.texts), 'row')})"
        readings.append((words, _remove(cells.values, cells.texts)))
    yield from readings
    if len(readings) > 1:
        all_words = ", ".join(words for words, _ in readings)
        yield all_words, _remove(cells.values, cells.texts) + cells.truths + cells.off
    if cells.unscored or cells.truths or cells.off:
        yield ALL, cells.values + [0.0] * (cells.unscored + len(cells.truths) + len(cells.off))


def _collect_cells(table: ScoreTable, row: Row) -> _Cells:
    columns = table.columns
    cells = _Cells()
    for cell in find_cells(table, row).tolist():
        reason = columns.whys.get(cell, "")
        if columns.state[cell] == SCORED:
            cells.values.append(columns.value[cell])
            if reason == WRITTEN:
                cells.texts.append(columns.value[cell])
        elif reason in TRUTHS:
            cells.truths.append(TRUTHS[reason])
        elif reason.startswith(OFF_SCALE):
            cells.off.append(float(reason.removeprefix(OFF_SCALE)))
        elif columns.state[cell] in (FAILED, MISSING):
            cells.unscored += 1
            cells.spoiled += reason.lower() == f"{SAYS}nan"
    return cells


def _remove(values: Sequence[float], removed: Sequence[float]) -> list[float]:
    remaining = list(values)
    for value in removed:
        remaining.remove(value)
    return remaining


CODE = "scr-summary-differs"
LEAVES_OUT = "scr-summary-leaves-failures"
COUNTS = "scr-summary-counts-failures"
MEAN, RATE = "mean", "rate"


def find_contradictions(table: ScoreTable, rows: Sequence[Row]) -> Iterator[Diagnostic]:
    """Yield every contradiction; `rows` are those of every condition."""
    left_out = [mean for mean in find_left_out(table, rows) if mean.states_whole]
    counted = list(find_counted_failures(table, rows))
    explained = [mean.reported for mean in left_out] + [mean.reported for mean in counted]
    yield from _find_differences(table, rows, explained)
    yield from (_describe_left_out(table, mean) for mean in left_out)
    yield from (_describe_counted(table, mean) for mean in counted)
    yield from _check_own_counts(table)
    yield from unreachable_rates.find_unreachable(table, explained)
    yield from verdicts.find_wrong_verdicts(table)


def _describe_left_out(table: ScoreTable, left_out: LeftOut) -> Diagnostic:
    """Return the diagnostic of a mean that is stated over more rows than it is computed from."""
    return _describe_statement(LEAVES_OUT, table, left_out, {"stated_n": left_out.whole})


def _describe_counted(table: ScoreTable, counted: CountedFailures) -> Diagnostic:
    """Return the diagnostic of a mean in which rows that failed count as 0."""
    stated_n = "–" if counted.reported.n is None else counted.reported.n
    values = {"stated_n": stated_n, "failed": len(counted.stored), "without": counted.without}
    return _describe_statement(COUNTS, table, counted, values)


def _describe_statement(
    code: str, table: ScoreTable, statement: LeftOut | CountedFailures, further: Mapping[str, Any]
) -> Diagnostic:
    """Return the diagnostic of a stated mean; `further` are the values that its rule alone has."""
    label, means = table.label(statement.row.condition), statement.reported
    values = {
        "condition": label,
        "criterion": means.criterion,
        "stated": statement.stated,
        "n": statement.row.n,
        "what": _get_kind(means),
        "sentence": statement.sentence,
        **further,
    }
    return Diagnostic(code, values, means.place, flagged=_build_key(label, means.criterion, MEAN), among=(label,))


def _find_differences(table: ScoreTable, rows: Sequence[Row], explained: Sequence[Reported]) -> Iterator[Diagnostic]:
    """Yield means, counts and spreads that a file states and its rows do not give, except for those `explained`."""
    for means, row in match_rows(table, rows):
        if row is None or row.mean is None or means in explained:
            continue
        if not agrees(means, row):
            computed = number(round(row.mean * (means.whole or 1), 6))
            if means.state == FAILED:
                stated = "NaN"
            else:
                stated = number(means.mean)
            reason = explain_difference(table, row, means)
            yield _build_diagnostic(table, means, _get_kind(means), stated, computed, row.n, reason)
            continue
        for what, stated_value, value in _compare_spread(table, means, row):
            if abs(stated_value - value) > get_tolerance(means):
                computed = number(round(value, 6))
                yield _build_diagnostic(table, means, what, number(stated_value), computed, row.n, UNEXPLAINED)


def _compare_spread(table: ScoreTable, means: Reported, row: Row) -> Iterator[tuple[str, float, float]]:
    """Yield what is stated of the spread, and what it is. Standard deviations are those of a sample."""
    if row.mean is None or means.whole is not None:
        return
    if means.sd is None and means.low is None and means.high is None:
        return
    values = get_scored_values(table, row)
    if means.sd is not None and len(values) > 1:
        sd = math.sqrt(math.fsum((value - row.mean) ** 2 for value in values) / (len(values) - 1))
        yield "standard deviation", means.sd, sd
    if means.low is not None and means.high is not None and values:
        yield "lowest value", means.low, min(values)
        yield "highest value", means.high, max(values)


def _check_own_counts(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield rates beside counts that give another rate; one that no count gives is called unreachable instead."""
    for stated in table.reported:
        if stated.whole is None or stated.count is None or not stated.n or stated.state != SCORED:
            continue
        if not unreachable_rates.is_reachable(stated):
            continue
        share = stated.count / stated.n
        if abs(share - get_share(stated)) > get_tolerance(stated):
            computed = number(round(share * stated.whole, 6))
            reason = f"the file itself counts {stated.count} of {stated.n}"
            what = "rate beside its own counts"
            yield _build_diagnostic(table, stated, what, number(stated.mean), computed, stated.n, reason)


def _build_diagnostic(
    table: ScoreTable, means: Reported, what: str, stated: str, computed: str, n: int, reason: str
) -> Diagnostic:
    label = table.label(means.condition)
    values: dict[str, Any] = {
        "condition": label,
        "criterion": means.criterion,
        "what": what,
        "stated": stated,
        "computed": computed,
        "n": n,
        "stated_n": "–" if means.n is None else means.n,
        "because": reason,
    }
    return Diagnostic(CODE, values, means.place, flagged=_build_key(label, means.criterion, what), among=(label,))


def _get_kind(means: Reported) -> str:
    if means.whole:
        return RATE
    return MEAN


def _build_key(label: str, criterion: str, what: str) -> str:
    """Return the key of a finding, which names what differs unless that is the mean or rate."""
    return "|".join((label, criterion) if what in (MEAN, RATE) else (label, criterion, what))


def find_off_scale_means(reported: Sequence[Reported], resolved: Collection[str]) -> Iterator[Diagnostic]:
    """Yield stated means that cannot be on the scale their criterion usually has: on 0 to 10, say.

    `resolved` are the criteria whose scale is known already, from their rows or from the workspace.
    """
    settled = set(resolved)
    for means in reported:
        usual = look_up(means.criterion, load_shipped_criteria())
        if means.state != SCORED or means.whole is not None:
            continue
        if usual is None or usual.low is None or usual.high is None:
            continue
        if not settled & {means.criterion, usual.name} and not usual.low <= means.mean <= usual.high:
            settled.add(means.criterion)
            suggested = f"unknown, with a mean of {number(means.mean)}"
            scale = t("scores.usual_scale", scale=suggested, usual=scale_text(usual))
            values = {"criterion": means.criterion, "scale": scale}
            yield Diagnostic("scr-scale-unknown", values, means.place, flagged=means.criterion, severity="info")
