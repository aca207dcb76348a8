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
    lost: dict[str, list[Row]] = {}
    for row in found:
        if row.failed + row.missing > HIGH * row.all:
            lost.setdefault(row.criterion, []).append(row)
    for criterion, those in lost.items():
        names = list(dict.fromkeys(table.label(row.condition) for row in those))
        judges = list(dict.fromkeys(row.judge for row in those))
        more = f" and {len(names) - NAMED} more conditions" if len(names) > NAMED else ""
        failed, missing = sum(row.failed for row in those), sum(row.missing for row in those)
        values = {
            "condition": ", ".join(names[:NAMED]) + more, "criterion": criterion, "lost": failed + missing,
            "all": sum(row.all for row in those), "failed": failed, "missing": missing,
            "judge": listed(_lost(judge, those) for judge in judges),
        }  # fmt: skip
        place = Location(
            condition=names[0] if len(names) == 1 else None, judge=judges[0] or None if len(judges) == 1 else None
        )
        yield Diagnostic("scr-missing-high", values, place, flagged=criterion, among=tuple(names))


def _lost(judge: str, found: Sequence[Row]) -> str:
    """A judge with its share of what is lost."""
    own = [row for row in found if row.judge == judge]
    return f"{judge or 'the judge'} {sum(r.failed + r.missing for r in own)} of {sum(r.all for r in own)}"
