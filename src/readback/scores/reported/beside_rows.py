"""What files state of conditions beside what their rows give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from readback.scores.table import FAILED, SCORED, Reported, ScoreTable

if TYPE_CHECKING:
    from readback.scores.summary_row import Row


def agrees(means: Reported, row: Row) -> bool:
    """Whether a stated mean, as exactly as it is printed, and its n where it says one, are those of the rows."""
    close = row.mean is not None and abs(row.mean - share(means)) <= tolerance(means)  # NaN is close to nothing
    return close and means.n in (None, row.n)


def share(means: Reported) -> float:
    """The stated number on the scale of its rows: a rate as a share of 1."""
    return means.mean / means.whole if means.whole else means.mean


def tolerance(means: Reported) -> float:
    """Half of the last printed decimal, on the scale of the rows."""
    return 0.5 * 10.0**-means.decimals / (means.whole or 1) + 1e-9


def beside(table: ScoreTable, found: Sequence[Row]) -> Iterator[tuple[Reported, Row | None]]:
    """Each number that a file states, with the row computed for the same condition and criterion, if there is one."""
    by: dict[tuple[frozenset[tuple[str, str]], str], list[Row]] = {}
    for row in found:
        by.setdefault((frozenset(row.condition), row.criterion), []).append(row)
    for means in table.reported:
        rows_of_it = by.get((frozenset(means.condition), means.criterion), [])
        same = [row for row in rows_of_it if row.judge == means.judge] or rows_of_it
        yield means, same[0] if len(same) == 1 and means.state in (SCORED, FAILED) else None
