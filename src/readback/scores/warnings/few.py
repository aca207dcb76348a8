"""Conditions of which little can be said: few scores, few clusters, or the same score throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from readback.scores.criteria import number
from readback.scores.table import ScoreTable
from readback.scores.warnings.named import by_criterion, diagnostic
from readback.types import Diagnostic

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

SMALL = 20  # scores, the smallest of usual review sets
VERY_SMALL = 10  # scores, below which one unusual answer moves a mean by a tenth of its scale
FEWEST = 5  # scores below which there is no interval
CLUSTERS = 10  # below which the clustered standard error is too small (Cameron, Miller 2015, J. Hum. Resour. 50, 317)


def diagnostics(table: ScoreTable, found: Sequence[Row], pooled: Sequence[Row]) -> Iterator[Diagnostic]:
    """Every kind, each once for a criterion; `pooled` counts the items of judges who share the work together."""
    small = [row for row in pooled if 0 < row.n < SMALL]
    for rows in by_criterion(small).values():
        least = min(row.n for row in rows)
        few = diagnostic("scr-small-n", table, rows, [f"n {row.n}" for row in rows], least=least)
        yield replace(few, severity="info") if least >= VERY_SMALL else few
    same = [row for row in found if row.share_of_one == 1 and row.n >= FEWEST and not _rate(table, row)]
    for rows in by_criterion(same).values():
        yield diagnostic("scr-constant", table, rows, [f"n {row.n}: {number(row.mean or 0.0)}" for row in rows])
    grouped = [row for row in found if row.clusters is not None and row.clusters < min(CLUSTERS, row.n)]
    for rows in by_criterion(grouped).values():
        details = [f"{row.n} / {row.clusters}" for row in rows]
        yield diagnostic("scr-few-clusters", table, rows, details, least=min(row.clusters or 0 for row in rows))


def _rate(table: ScoreTable, row: Row) -> bool:
    """Whether the criterion is a rate, whose interval does not need scores that differ."""
    return table.criteria[row.criterion].scale in ("binary", "nominal")
