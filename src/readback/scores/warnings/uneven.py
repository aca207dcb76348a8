"""Scores that are missing more often under one condition than under another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from readback.scores.table import ScoreTable
from readback.scores.warnings.named import by_criterion
from readback.stats.fisher import fisher
from readback.types import Diagnostic, Location

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

APART = 0.05  # of shares: less is of no weight, even where chance does not explain it
CHANCE = 0.05
LEAST = 2  # more lost on one side: one row may always be missing


def diagnostics(table: ScoreTable, found: Sequence[Row]) -> Iterator[Diagnostic]:
    """The two conditions that differ most, once for each criterion."""
    for criterion, rows in by_criterion(row for row in found if row.all).items():
        judges = list(dict.fromkeys(row.judge for row in rows))
        uneven = [pair for judge in judges if (pair := _uneven([row for row in rows if row.judge == judge]))]
        if not uneven:
            continue
        worst, best, lost, every = max(uneven, key=lambda pair: pair[2][0] / pair[3][0] - pair[2][1] / pair[3][1])
        values = {
            "criterion": criterion, "judge": worst.judge, "judges": len(uneven),
            "more": table.label(worst.condition), "more_lost": lost[0], "more_all": every[0],
            "less": table.label(best.condition), "less_lost": lost[1], "less_all": every[1],
        }  # fmt: skip
        among = (table.label(worst.condition), table.label(best.condition))
        place = Location(judge=worst.judge or None)
        yield Diagnostic("scr-missing-uneven", values, place, flagged=criterion, among=among)


def _uneven(rows: Sequence[Row]) -> tuple[Row, Row, tuple[int, int], tuple[int, int]] | None:
    """The rows with the largest and the smallest share, the lost and all of both; None where chance explains it."""
    counted = [(row, row.failed + row.missing, row.all) for row in rows]
    if len(counted) < 2:
        return None
    worst, best = (pick(counted, key=lambda one: one[1] / one[2]) for pick in (max, min))
    gap = worst[1] / worst[2] - best[1] / best[2]
    if gap <= APART or worst[1] - best[1] < LEAST:
        return None
    # the two are the extremes of many: as many comparisons were made as there are others
    if fisher(worst[1], worst[2], best[1], best[2]) * (len(counted) - 1) >= CHANCE:
        return None
    return worst[0], best[0], (worst[1], best[1]), (worst[2], best[2])
