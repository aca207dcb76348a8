"""Where files contradict themselves: stated means and rates against rows, verdicts and totals against scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from readback.scores.criteria import known, look_up, number, scale_text
from readback.scores.reported import reachable, verdicts
from readback.scores.reported.beside_rows import agrees, beside, share, tolerance
from readback.scores.reported.explained import UNEXPLAINED, because, scored
from readback.scores.reported.failures_left_out import LeftOut, find_left_out
from readback.scores.table import FAILED, SCORED, Reported, ScoreTable
from readback.types import Diagnostic

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

CODE = "scr-summary-differs"
LEAVES_OUT = "scr-summary-leaves-failures"
MEAN, RATE = "mean", "rate"


def diagnostics(table: ScoreTable, found: Sequence[Row]) -> Iterator[Diagnostic]:
    """Every contradiction; `found` are the rows of every condition."""
    left_out = [one for one in find_left_out(table, found) if one.states_whole]
    explained = [one.reported for one in left_out]
    yield from _differs(table, found, explained)
    yield from (_leaves(table, one) for one in left_out)
    yield from _own_counts(table)
    yield from reachable.diagnostics(table, explained)
    yield from verdicts.diagnostics(table)


def _leaves(table: ScoreTable, one: LeftOut) -> Diagnostic:
    """A mean that is stated over more rows than it is of."""
    label = table.label(one.row.condition)
    values = {
        "condition": label,
        "criterion": one.reported.criterion,
        "stated": one.stated,
        "stated_n": one.whole,
        "n": one.row.n,
        "what": _kind(one.reported),
        "sentence": one.sentence,
    }
    key = _key(label, one.reported.criterion, MEAN)
    return Diagnostic(LEAVES_OUT, values, one.reported.place, flagged=key, among=(label,))


def _differs(table: ScoreTable, found: Sequence[Row], left_out: Sequence[Reported]) -> Iterator[Diagnostic]:
    """Means, counts and spreads that a file states and its rows do not give; those of `left_out` are not among them."""
    for means, row in beside(table, found):
        if row is None or row.mean is None or means in left_out:
            continue
        if not agrees(means, row):
            computed = number(round(row.mean * (means.whole or 1), 6))
            reported = "NaN" if means.state == FAILED else number(means.mean)
            yield _diagnostic(table, means, _kind(means), reported, computed, row.n, because(table, row, means))
            continue
        for what, said, is_so in _spread(table, means, row):
            if abs(said - is_so) > tolerance(means):
                yield _diagnostic(table, means, what, number(said), number(round(is_so, 6)), row.n, UNEXPLAINED)


def _spread(table: ScoreTable, means: Reported, row: Row) -> Iterator[tuple[str, float, float]]:
    """What is stated of the spread, and what it is. Standard deviations are those of a sample."""
    reported = (means.sd, means.low, means.high)
    if row.mean is None or means.whole is not None or all(one is None for one in reported):
        return
    values = scored(table, row)
    if means.sd is not None and len(values) > 1:
        sd = math.sqrt(math.fsum((value - row.mean) ** 2 for value in values) / (len(values) - 1))
        yield "standard deviation", means.sd, sd
    if means.low is not None and means.high is not None and values:
        yield "lowest value", means.low, min(values)
        yield "highest value", means.high, max(values)


def _own_counts(table: ScoreTable) -> Iterator[Diagnostic]:
    """Rates beside counts that give another rate; one that no count gives is said to be unreachable instead."""
    for one in table.reported:
        if one.whole is None or one.count is None or not one.n or one.state != SCORED or not reachable.reachable(one):
            continue
        if abs(one.count / one.n - share(one)) > tolerance(one):
            of_it = number(round(one.count / one.n * one.whole, 6))
            because = f"the file itself counts {one.count} of {one.n}"
            yield _diagnostic(table, one, "rate beside its own counts", number(one.mean), of_it, one.n, because)


def _diagnostic(
    table: ScoreTable, one: Reported, what: str, reported: str, computed: str, n: int, because: str
) -> Diagnostic:
    label = table.label(one.condition)
    values: dict[str, Any] = {
        "condition": label, "criterion": one.criterion, "what": what, "stated": reported, "computed": computed,
        "n": n, "stated_n": "–" if one.n is None else one.n, "because": because,
    }  # fmt: skip
    return Diagnostic(CODE, values, one.place, flagged=_key(label, one.criterion, what), among=(label,))


def _kind(one: Reported) -> str:
    return RATE if one.whole else MEAN


def _key(label: str, criterion: str, what: str) -> str:
    """What a finding is called by: that it is the mean or rate goes without saying."""
    return "|".join((label, criterion) if what in (MEAN, RATE) else (label, criterion, what))


def scales(reported: Sequence[Reported], resolved: Collection[str]) -> Iterator[Diagnostic]:
    """Stated means that cannot be on the scale their criterion usually has: on 0 to 10, say.

    `settled` are the criteria whose scale is told already, by their rows or by the workspace.
    """
    told = set(resolved)
    for one in reported:
        usual = look_up(one.criterion, known())
        if one.state != SCORED or one.whole is not None or usual is None or usual.low is None or usual.high is None:
            continue
        if not told & {one.criterion, usual.name} and not usual.low <= one.mean <= usual.high:
            told.add(one.criterion)
            suggested = f"unknown, with a mean of {number(one.mean)}"
            values = {"criterion": one.criterion, "scale": suggested, "usual": scale_text(usual)}
            yield Diagnostic("scr-scale-unknown", values, one.place, flagged=one.criterion, severity="info")
