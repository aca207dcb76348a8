"""Criteria of which too many cells have no score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.scores.warnings.named import NAMED, listed
from readback.types import Diagnostic, Location

HIGH = 0.05  # share of failed or missing above which a mean speaks for too few


def diagnostics(table: ScoreTable, found: Sequence[Row]) -> Iterator[Diagnostic]:
    """One diagnostic for each criterion, whatever the number of conditions and judges that lost too many."""
    losing: dict[str, list[Row]] = {}
    for row in found:
        if row.failed + row.missing > HIGH * row.all:
            losing.setdefault(row.criterion, []).append(row)
    for criterion, those in losing.items():
        names = list(dict.fromkeys(table.label(row.condition) for row in those))
        judges = list(dict.fromkeys(row.judge for row in those))
        more = f" and {len(names) - NAMED} more conditions" if len(names) > NAMED else ""
        conditions = {row.condition for row in those}
        # The sentence names conditions and judges, so it counts all that these have, complete or not.
        counted = [
            row for row in found if row.criterion == criterion and row.condition in conditions and row.judge in judges
        ]
        failed, missing = sum(row.failed for row in counted), sum(row.missing for row in counted)
        values = {
            "condition": ", ".join(names[:NAMED]) + more,
            "criterion": criterion,
            "lost": failed + missing,
            "all": sum(row.all for row in counted),
            "failed": failed,
            "missing": missing,
            "judge": listed(_lost(judge, counted, table) for judge in judges),
        }
        place = Location(
            condition=names[0] if len(names) == 1 else None, judge=judges[0] or None if len(judges) == 1 else None
        )
        yield Diagnostic("scr-missing-high", values, place, flagged=criterion, among=tuple(names))


def _lost(judge: str, rows: Sequence[Row], table: ScoreTable) -> str:
    """A judge with its share of what is lost; judges who share the work are counted together."""
    own = [row for row in rows if row.judge == judge]
    name = judge
    if not judge:
        name = "the judge" if "" in table.columns.judges else "all judges together"
    return f"{name} {sum(row.failed + row.missing for row in own)} of {sum(row.all for row in own)}"
