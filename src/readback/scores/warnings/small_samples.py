"""Find conditions of which little can be said: few scores, few clusters, or the same score throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from readback.scores.table import ScoreTable
from readback.scores.values.criteria import number
from readback.scores.warnings.named import build_diagnostic, group_by_criterion
from readback.types import Diagnostic

if TYPE_CHECKING:
    from readback.scores.summary_row import Row


SMALL = 20  # scores, the smallest of usual review sets
VERY_SMALL = 10  # scores, below which one unusual answer moves a mean by a tenth of its scale
FEWEST = 5  # scores below which there is no interval
CLUSTERS = 10  # below which the clustered standard error is too small (Cameron, Miller 2015, J. Hum. Resour. 50, 317)


def find_small(table: ScoreTable, rows: Sequence[Row], pooled: Sequence[Row]) -> Iterator[Diagnostic]:
    """Yield each kind once for a criterion; `pooled` counts the items of judges who share the work together."""
    small = [row for row in pooled if 0 < row.n < SMALL]
    for criterion_rows in group_by_criterion(small).values():
        least = min(row.n for row in criterion_rows)
        details = [f"n {row.n}" for row in criterion_rows]
        few = build_diagnostic("scr-small-n", table, criterion_rows, details, least=least)
        yield replace(few, severity="info") if least >= VERY_SMALL else few
    same = [row for row in rows if row.share_of_one == 1 and row.n >= FEWEST and not _is_rate(table, row)]
    for criterion_rows in group_by_criterion(same).values():
        details = [f"n {row.n}: {number(row.mean or 0.0)}" for row in criterion_rows]
        yield build_diagnostic("scr-constant", table, criterion_rows, details)
    clustered = [row for row in rows if row.clusters is not None and row.clusters < min(CLUSTERS, row.n)]
    for criterion_rows in group_by_criterion(clustered).values():
        details = [f"{row.n} / {row.clusters}" for row in criterion_rows]
        least = min(row.clusters or 0 for row in criterion_rows)
        yield build_diagnostic("scr-few-clusters", table, criterion_rows, details, least=least)


def _is_rate(table: ScoreTable, row: Row) -> bool:
    """Return whether the criterion is a rate, whose interval does not need scores that differ."""
    return table.criteria[row.criterion].scale in ("binary", "nominal")
