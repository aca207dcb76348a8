"""What files state of conditions beside what their rows give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from readback.scores.table import FAILED, SCORED, ConditionKey, Reported, ScoreTable

if TYPE_CHECKING:
    from readback.scores.summary_row import Row


# What a summary calls its one number, whatever the rows call their scores.
GENERAL = re.compile(
    r"(?:pass|success|solve|resolve)(?:_?rate|ed)?|pass_?(?:at_?|@)\d+|accuracy|acc|rate|score|mean|average|result"
    r"|(?:mean|avg|average)_score",
    re.IGNORECASE,
)


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
    """Each number that a file states, with the row computed for the same condition and criterion, if there is one.

    A number under a general name, such as `pass_rate`, is that of the one criterion with rows where it is their mean,
    with or without the failed ones as 0.
    """
    by: dict[tuple[frozenset[tuple[str, str]], str], list[Row]] = {}
    values: dict[tuple[str, ...], list[Row]] = {}
    for row in found:
        by.setdefault((frozenset(row.condition), row.criterion), []).append(row)
        values.setdefault(_values(row.condition), []).append(row)
    for means in table.reported:
        rows_of_it = by.get((frozenset(means.condition), means.criterion), [])
        if not rows_of_it:
            others = values.get(_values(means.condition), ()) or _only(table, found, means)
            rows_of_it = [row for row in others if _is_of(row, means)]
        same = [row for row in rows_of_it if row.judge == means.judge] or rows_of_it
        yield means, same[0] if len(same) == 1 and means.state in (SCORED, FAILED) else None


def _values(condition: ConditionKey) -> tuple[str, ...]:
    """What a condition is called, whatever its columns are."""
    return tuple(sorted(value for _, value in condition))


def _only(table: ScoreTable, found: Sequence[Row], means: Reported) -> Sequence[Row]:
    """All rows, where there is one condition, and one number is stated that names none but by its file."""
    alone = [one for one in table.reported if one.place.file == means.place.file]
    conditions = {row.condition for row in found}
    return found if len(conditions) == 1 and len(alone) == 1 else ()


def _is_of(row: Row, means: Reported) -> bool:
    """Tell whether a stated number is about a row: by its criterion, or by a general name and its value."""
    if row.criterion == means.criterion and row.condition != means.condition:
        return _gives(row, means)
    return GENERAL.fullmatch(means.criterion) is not None and _gives(row, means)


def _gives(row: Row, means: Reported) -> bool:
    """Tell whether a stated number is the mean of the row's scores, or that with its failed ones as 0."""
    if row.mean is None or means.state != SCORED:
        return False
    with_zeros = row.mean * row.n / (row.n + row.failed)
    return any(abs(one - share(means)) <= tolerance(means) for one in (row.mean, with_zeros))
