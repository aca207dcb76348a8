"""Match what files state of conditions with what their rows give, and find stated means that leave failed rows out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from readback.scores.table import FAILED, SCORED, ConditionKey, Reported, ScoreTable
from readback.scores.values.criteria import number
from readback.words import t

if TYPE_CHECKING:
    from readback.scores.summary_row import Row


# What a summary calls its one number, whatever the rows call their scores.
GENERAL = re.compile(
    r"(?:pass|success|solve|resolve)(?:_?rate|ed)?|pass_?(?:at_?|@)\d+|accuracy|acc|rate|score|mean|average|result"
    r"|(?:mean|avg|average)_score",
    re.IGNORECASE,
)


def agrees(means: Reported, row: Row) -> bool:
    """Return whether the stated number, and its n where it says one, are those of the rows."""
    close = row.mean is not None and abs(row.mean - get_share(means)) <= get_tolerance(means)  # NaN is close to nothing
    return close and means.n in (None, row.n)


def get_share(means: Reported) -> float:
    """Return the stated number on the scale of its rows: a rate as a share of 1."""
    if means.whole:
        return means.mean / means.whole
    return means.mean


def get_tolerance(means: Reported) -> float:
    """Return half of the last printed decimal, on the scale of the rows."""
    return 0.5 * 10.0**-means.decimals / (means.whole or 1) + 1e-9


def match_rows(table: ScoreTable, rows: Sequence[Row]) -> Iterator[tuple[Reported, Row | None]]:
    """Yield each number that a file states, with the row computed for the same condition and criterion, if any.

    A number under a general name, such as `pass_rate`, is that of the one criterion with rows where it is their mean,
    with or without the failed ones as 0.
    """
    by_key: dict[tuple[frozenset[tuple[str, str]], str], list[Row]] = {}
    by_values: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        by_key.setdefault((frozenset(row.condition), row.criterion), []).append(row)
        by_values.setdefault(_list_values(row.condition), []).append(row)
    for means in table.reported:
        candidates = by_key.get((frozenset(means.condition), means.criterion), [])
        if not candidates:
            possible = by_values.get(_list_values(means.condition), ()) or _get_only_rows(table, rows, means)
            candidates = [row for row in possible if _is_about(row, means)]
        matches = [row for row in candidates if row.judge == means.judge] or candidates
        if len(matches) == 1 and means.state in (SCORED, FAILED):
            yield means, matches[0]
        else:
            yield means, None


def _list_values(condition: ConditionKey) -> tuple[str, ...]:
    """Return what a condition is called, whatever its columns are."""
    return tuple(sorted(value for _, value in condition))


def _get_only_rows(table: ScoreTable, rows: Sequence[Row], means: Reported) -> Sequence[Row]:
    """Return all rows, where there is one condition, and its file states one number that names no condition."""
    of_file = [stated for stated in table.reported if stated.place.file == means.place.file]
    conditions = {row.condition for row in rows}
    if len(conditions) == 1 and len(of_file) == 1:
        return rows
    return ()


def _is_about(row: Row, means: Reported) -> bool:
    """Return whether a stated number is about a row: by its criterion, or by a general name and its value."""
    if row.criterion == means.criterion and row.condition != means.condition:
        return _is_mean_of(row, means)
    return GENERAL.fullmatch(means.criterion) is not None and _is_mean_of(row, means)


def _is_mean_of(row: Row, means: Reported) -> bool:
    """Return whether a stated number is the mean of the row's scores, or that with its failed ones as 0."""
    if row.mean is None or means.state != SCORED:
        return False
    counts = (row.n, row.n + row.failed, row.all)
    return any(abs(row.mean * row.n / n - get_share(means)) <= get_tolerance(means) for n in counts)


def find_cells(table: ScoreTable, row: Row) -> Any:
    """Return the numbers of the cells behind a row, as an array."""
    import numpy as np

    columns = table.columns
    of_row = np.asarray(columns.condition) == columns.conditions.index(row.condition)
    of_row &= np.asarray(columns.criterion) == columns.criteria.index(row.criterion)
    of_row &= np.asarray(columns.judge) == columns.judges.index(row.judge)
    return np.flatnonzero(of_row)


def format_stated(means: Reported) -> str:
    """Return a stated number as the file has it."""
    return f"{number(means.mean)}{' %' if means.whole == 100 else ''}"


def format_line(means: Reported, condition: str, sentence: str) -> str:
    """Return a sentence on a stated number after the file and the number itself; `condition` is in words."""
    return t(
        "scores.left_out_line",
        file=means.place.file,
        stated=format_stated(means),
        criterion=means.criterion,
        condition=condition,
        sentence=sentence,
    )


PLACES = 3  # decimals of the mean with zeros


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Hold a stated mean that leaves `unscored` of `whole` rows out, because they have no score.

    `with_zeros` is the mean, on the scale of the stated one, if each of them counts as 0; None where 0 is not the
    lowest score. `passes` counts the ones where every score is 0 or 1.
    """

    reported: Reported
    row: Row
    whole: int
    unscored: int
    with_zeros: float | None
    passes: int | None
    states_whole: bool  # the file says that its mean is of all rows

    @property
    def stated(self) -> str:
        """The stated number as the file has it."""
        return format_stated(self.reported)

    @property
    def sentence(self) -> str:
        """What was left out, and what comes out when it counts."""
        kind = "mean" if self.passes is None else "rate"
        if self.with_zeros is None:
            kind = "plain"
        all_failed = self.unscored == self.row.failed
        return t(
            f"scores.left_out_{kind}",
            passes=self.passes,
            whole=self.whole,
            n=self.row.n,
            zeros="" if self.with_zeros is None else _format_mean(self.with_zeros, self.reported.whole),
            what=t(f"scores.left_out_of_{'rate' if self.reported.whole else 'mean'}"),
            lost=t(f"scores.left_out_{'failed' if all_failed else 'without'}", n=self.unscored),
        )

    def line(self, condition: str) -> str:
        """Return the sentence with the file and the number that it states; `condition` is in words."""
        return format_line(self.reported, condition, self.sentence)


def find_left_out(table: ScoreTable, rows: Sequence[Row]) -> Iterator[LeftOut]:
    """Yield every stated mean that agrees with the scored rows and not with all; `rows` are those of the table."""
    for means, row in match_rows(table, rows):
        if row is None or row.mean is None or means.state != SCORED:
            continue
        if abs(row.mean - get_share(means)) > get_tolerance(means):
            continue
        counted = row.n + row.failed
        states_whole = means.n is not None and means.n > row.n and means.n in (counted, row.all)
        if states_whole and means.n is not None:
            whole = means.n
        else:
            whole = counted
        if whole == row.n or (means.n is not None and not states_whole and means.n != row.n):
            continue
        total = row.mean * row.n
        zeros = total / whole
        if abs(zeros - get_share(means)) <= get_tolerance(means):  # as exactly as it is printed, it is both
            continue
        scale = table.criteria.get(row.criterion)
        from_zero = scale is not None and scale.low == 0
        binary = from_zero and scale is not None and scale.scale == "binary"
        yield LeftOut(
            reported=means,
            row=row,
            whole=whole,
            unscored=whole - row.n,
            with_zeros=zeros * (means.whole or 1) if from_zero else None,
            passes=round(total) if binary else None,
            states_whole=states_whole,
        )


def _format_mean(value: float, whole: float | None) -> str:
    """Return a mean with three decimals, one where it is in percent."""
    if whole == 100:
        return f"{value:.1f} %"
    return f"{value:.{PLACES}f}"
