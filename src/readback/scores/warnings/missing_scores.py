"""Find criteria with too many cells without a score, or more under one condition, and files without any score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from readback.scores.summary_row import Row
from readback.scores.table import FAILED, MISSING, ScoreTable
from readback.scores.warnings.named import NAMED, group_by_criterion, join_names
from readback.stats.fisher import fisher
from readback.types import Diagnostic, Location

if TYPE_CHECKING:
    from readback.scores.summary_row import Row


HIGH = 0.05  # share of failed or missing above which a mean speaks for too few


def find_lost(table: ScoreTable, rows: Sequence[Row]) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each criterion of which conditions or judges lost too many scores."""
    losing: dict[str, list[Row]] = {}
    for row in rows:
        if row.failed + row.missing > HIGH * row.all:
            losing.setdefault(row.criterion, []).append(row)
    for criterion, losing_rows in losing.items():
        names = list(dict.fromkeys(table.label(row.condition) for row in losing_rows))
        judges = list(dict.fromkeys(row.judge for row in losing_rows))
        if len(names) > NAMED:
            more = f" and {len(names) - NAMED} more conditions"
        else:
            more = ""
        conditions = {row.condition for row in losing_rows}
        # The sentence names conditions and judges, so it counts all that these have, complete or not.
        counted = [
            row for row in rows if row.criterion == criterion and row.condition in conditions and row.judge in judges
        ]
        failed, missing = sum(row.failed for row in counted), sum(row.missing for row in counted)
        values = {
            "condition": ", ".join(names[:NAMED]) + more,
            "criterion": criterion,
            "lost": failed + missing,
            "all": sum(row.all for row in counted),
            "failed": failed,
            "missing": missing,
            "judge": join_names(_describe_lost(judge, counted, table) for judge in judges),
        }
        location = Location(
            condition=names[0] if len(names) == 1 else None, judge=judges[0] or None if len(judges) == 1 else None
        )
        yield Diagnostic("scr-missing-high", values, location, flagged=criterion, among=tuple(names))


def _describe_lost(judge: str, rows: Sequence[Row], table: ScoreTable) -> str:
    """Return a judge with its share of what is lost; judges who share the work are counted together."""
    by_judge = [row for row in rows if row.judge == judge]
    name = judge
    if not judge:
        if "" in table.columns.judges:
            name = "the judge"
        else:
            name = "all judges together"
    return f"{name} {sum(row.failed + row.missing for row in by_judge)} of {sum(row.all for row in by_judge)}"


APART = 0.05  # of shares: less is of no weight, even where chance does not explain it
CHANCE = 0.05
LEAST = 2  # more lost on one side: one row may always be missing


def find_uneven(table: ScoreTable, rows: Sequence[Row]) -> Iterator[Diagnostic]:
    """Yield the two conditions that differ most in missing scores, once for each criterion."""
    for criterion, criterion_rows in group_by_criterion(row for row in rows if row.all).items():
        uneven: list[_Extremes] = []
        for judge in dict.fromkeys(row.judge for row in criterion_rows):
            extremes = _find_extremes([row for row in criterion_rows if row.judge == judge])
            if extremes:
                uneven.append(extremes)
        if not uneven:
            continue
        worst, best = max(uneven, key=lambda pair: _get_lost_share(pair[0]) - _get_lost_share(pair[1]))
        values = {
            "criterion": criterion,
            "judge": worst.judge,
            "judges": len(uneven),
            "more": table.label(worst.condition),
            "more_lost": worst.failed + worst.missing,
            "more_all": worst.all,
            "less": table.label(best.condition),
            "less_lost": best.failed + best.missing,
            "less_all": best.all,
        }
        among = (table.label(worst.condition), table.label(best.condition))
        location = Location(judge=worst.judge or None)
        yield Diagnostic("scr-missing-uneven", values, location, flagged=criterion, among=among)


_Extremes = tuple["Row", "Row"]


def _find_extremes(rows: Sequence[Row]) -> _Extremes | None:
    """Return the rows with the largest and the smallest share without a score; None where chance explains it."""
    if len(rows) < 2:
        return None
    worst, best = max(rows, key=_get_lost_share), min(rows, key=_get_lost_share)
    worst_lost, best_lost = worst.failed + worst.missing, best.failed + best.missing
    if _get_lost_share(worst) - _get_lost_share(best) <= APART or worst_lost - best_lost < LEAST:
        return None
    # the two are the extremes of many: as many comparisons were made as there are others
    if fisher(worst_lost, worst.all, best_lost, best.all) * (len(rows) - 1) >= CHANCE:
        return None
    return worst, best


def _get_lost_share(row: Row) -> float:
    return (row.failed + row.missing) / row.all


CODE = "scr-file-unread"
NO_REPLY = "there is no reply"  # a place that is still empty is no fault of the file


def find_unreadable(table: ScoreTable) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each file without a score of which something is written in the places of scores."""
    columns = table.columns
    first_cell: dict[int, int] = {}  # by file: its first cell with something that is no score
    cells = [0] * len(columns.files)
    scored = set[int]()
    for cell, (file, state) in enumerate(zip(columns.file, columns.state, strict=True)):
        cells[file] += 1
        if state not in (FAILED, MISSING):
            scored.add(file)
        elif file not in first_cell and columns.whys.get(cell, NO_REPLY) != NO_REPLY:
            first_cell[file] = cell
    rows = {source.path: source.rows for source in table.sources}
    for file, cell in first_cell.items():
        if file in scored:
            continue
        name = columns.files[file]
        values = {"rows": rows.get(name, cells[file]), "why": columns.whys[cell], "line": columns.line[cell]}
        yield Diagnostic(CODE, values, Location(file=name, line=columns.line[cell] or None), name)
