"""Find stated means in which rows that failed count as 0, or as the number that a log stores for them.

Programs do so in their own ways: promptfoo stores score 0 beside an error and adds it up; Inspect counts a value that
is no grade as 0; a mean over all rows in pandas after `fillna(0)` is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readback.scores.files.cells import read_stored
from readback.scores.reported.matching_rows import (
    GENERAL,
    LeftOut,
    agrees,
    find_cells,
    find_left_out,
    format_line,
    format_stated,
    get_share,
    get_tolerance,
    match_rows,
)
from readback.scores.table import FAILED, MISSING, SCORED, OwnSummary, Reported, ScoreTable
from readback.scores.values.criteria import number
from readback.words import t

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

NAMED = 3  # items without a score that a sentence names
REDUCER = " (mean)"  # how the name of a mean over the means of repeated records ends
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class CountedFailures:
    """Hold a stated mean that counts rows without a score: `stored` are the numbers that it counts for them.

    `items` are these rows' items, in the order of the file. `mean` is that of the scored rows, on the scale of the
    stated one.
    """

    reported: Reported
    row: Row
    stored: tuple[float, ...]
    items: tuple[str, ...]
    mean: float

    @property
    def whole(self) -> int:
        """How many rows the stated mean is of."""
        return self.row.n + len(self.stored)

    @property
    def stated(self) -> str:
        """The stated number as the file has it."""
        return format_stated(self.reported)

    @property
    def without(self) -> str:
        """The mean of the scored rows, in the way the file states its own."""
        return f"{number(round(self.mean, DECIMALS))}{' %' if self.reported.whole == 100 else ''}"

    @property
    def sentence(self) -> str:
        """What is counted as what, and the mean without it."""
        kind = "stored" if any(self.stored) else "zero"
        listed = ", ".join(self.items[:NAMED])
        if len(self.items) > NAMED:
            listed = t("scores.counted_more", items=listed, n=len(self.items) - NAMED)
        return t(
            f"scores.counted_{kind}",
            failed=len(self.stored),
            items=listed,
            numbers=", ".join(number(value) for value in sorted(set(self.stored))),
            what=t(f"scores.left_out_of_{'rate' if self.reported.whole else 'mean'}"),
            without=self.without,
            n=self.row.n,
        )

    def line(self, condition: str) -> str:
        """Return the sentence with the file and the number that it states; `condition` is in words."""
        return format_line(self.reported, condition, self.sentence)


def find_summarised_failures(table: ScoreTable, rows: Sequence[Row]) -> Iterator[LeftOut | CountedFailures]:
    """Yield every stated mean that leaves failed rows out without a word, then every one that counts them."""
    yield from find_left_out(table, rows)
    yield from find_counted_failures(table, rows)


def find_counted_failures(table: ScoreTable, rows: Sequence[Row]) -> Iterator[CountedFailures]:
    """Yield every stated mean that is not that of the scored rows, and is that of these and of failed ones.

    `rows` are those of the table. A mean over the means of repeated records is looked at as well.
    """
    for means, row in match_rows(table, rows):
        if row is not None and row.mean is not None and means.state == SCORED and not agrees(means, row):
            counted = _count_failures(table, means, row)
            if counted is not None:
                yield counted
    by_key = {(row.condition, row.criterion, row.judge): row for row in rows}
    for own in table.summaries:
        scored = by_key.get((own.condition, own.criterion, own.judge))
        if scored is None or scored.mean is None or own.value is None or not _is_mean(own):
            continue
        means = Reported(own.condition, own.criterion, own.judge, own.value, DECIMALS, place=own.place)
        if not agrees(means, scored) and not _is_mean_of_records(table, means, scored):
            counted = _count_failures(table, means, scored)
            if counted is not None:
                yield counted


def _is_mean(own: OwnSummary) -> bool:
    """Tell whether a log's own number is called a mean or a rate: not a spread, a maximum or a count."""
    return GENERAL.fullmatch(own.name.removesuffix(REDUCER)) is not None


def _is_mean_of_records(table: ScoreTable, means: Reported, row: Row) -> bool:
    """Tell whether a stated mean is that of the means of each record's scored repeats."""
    columns = table.columns
    values: dict[int, list[float]] = {}
    for cell in find_cells(table, row).tolist():
        if columns.state[cell] == SCORED:
            values.setdefault(columns.item[cell], []).append(columns.value[cell])
    mean = math.fsum(math.fsum(scores) / len(scores) for scores in values.values()) / len(values)
    return abs(mean - get_share(means)) <= get_tolerance(means)


def _count_failures(table: ScoreTable, means: Reported, row: Row) -> CountedFailures | None:
    """Return which failed rows the stated mean counts, and as what; None where no such count gives it.

    It may count all of them, those that failed alone, or those without a value alone: each with the number that the
    file stores for it, else with 0.
    """
    columns = table.columns
    scored: list[float] = []
    unscored: list[tuple[int, float, str]] = []
    for cell in find_cells(table, row).tolist():
        state = columns.state[cell]
        if state == SCORED:
            scored.append(columns.value[cell])
        elif state in (FAILED, MISSING):
            value = read_stored(columns.whys.get(cell, "")) or 0.0
            unscored.append((state, value, columns.items[columns.item[cell]]))
    total = math.fsum(scored)
    for states in ((FAILED, MISSING), (FAILED,), (MISSING,)):
        counted = [entry for entry in unscored if entry[0] in states]
        for zeros in (True, False):
            stored = tuple(0.0 if zeros else value for _, value, _ in counted)
            whole = len(scored) + len(stored)
            if not stored or abs((total + math.fsum(stored)) / whole - get_share(means)) > get_tolerance(means):
                continue
            if _is_about_scored(means, row) and means.n != whole:
                continue  # the same number with and without them: only its n can say that they count
            items = tuple(dict.fromkeys(item for _, _, item in counted))
            return CountedFailures(means, row, stored, items, (row.mean or 0.0) * (means.whole or 1))
    return None


def _is_about_scored(means: Reported, row: Row) -> bool:
    return row.mean is not None and abs(row.mean - get_share(means)) <= get_tolerance(means)
