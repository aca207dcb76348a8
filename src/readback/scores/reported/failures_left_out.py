"""Stated means that are those of the scored rows alone, where rows of the same condition failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readback.scores.criteria import number
from readback.scores.reported.beside_rows import beside, share, tolerance
from readback.scores.table import SCORED, Reported, ScoreTable
from readback.words import t

if TYPE_CHECKING:
    from readback.scores.summary_row import Row

PLACES = 3  # decimals of the mean with zeros


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A stated mean that leaves `lost` of `whole` rows out, because they have no score.

    `with_zeros` is the mean, on the scale of the stated one, if each of them counts as 0; None where 0 is not the
    lowest score. `passes` counts the ones where every score is 0 or 1.
    """

    reported: Reported
    row: Row
    whole: int
    lost: int
    with_zeros: float | None
    passes: int | None
    states_whole: bool  # the file says that its mean is of all rows

    @property
    def stated(self) -> str:
        """The stated number as the file has it."""
        sign = " %" if self.reported.whole == 100 else ""
        return f"{number(self.reported.mean)}{sign}"

    @property
    def sentence(self) -> str:
        """What was left out, and what comes out when it counts."""
        kind = "plain" if self.with_zeros is None else "mean" if self.passes is None else "rate"
        all_failed = self.lost == self.row.failed
        return t(
            f"scores.left_out_{kind}",
            passes=self.passes,
            whole=self.whole,
            n=self.row.n,
            zeros="" if self.with_zeros is None else _write(self.with_zeros, self.reported.whole),
            what=t(f"scores.left_out_of_{'rate' if self.reported.whole else 'mean'}"),
            lost=t(f"scores.left_out_{'failed' if all_failed else 'without'}", n=self.lost),
        )

    def line(self, condition: str) -> str:
        """The same, with the file and the number that it states; `condition` is in words."""
        return t(
            "scores.left_out_line",
            file=self.reported.place.file,
            stated=self.stated,
            criterion=self.reported.criterion,
            condition=condition,
            sentence=self.sentence,
        )


def find_left_out(table: ScoreTable, found: Sequence[Row]) -> Iterator[LeftOut]:
    """Yield every stated mean that agrees with the scored rows and not with all; `found` are those of the table."""
    for means, row in beside(table, found):
        if row is None or row.mean is None or means.state != SCORED or abs(row.mean - share(means)) > tolerance(means):
            continue
        counted = row.n + row.failed
        states_whole = means.n is not None and means.n > row.n and means.n in (counted, row.all)
        whole = means.n if states_whole and means.n is not None else counted
        if whole == row.n or (means.n is not None and not states_whole and means.n != row.n):
            continue
        total = row.mean * row.n
        zeros = total / whole
        if abs(zeros - share(means)) <= tolerance(means):  # as exactly as it is printed, it is both
            continue
        scale = table.criteria.get(row.criterion)
        from_zero = scale is not None and scale.low == 0
        binary = from_zero and scale is not None and scale.scale == "binary"
        yield LeftOut(
            reported=means,
            row=row,
            whole=whole,
            lost=whole - row.n,
            with_zeros=zeros * (means.whole or 1) if from_zero else None,
            passes=round(total) if binary else None,
            states_whole=states_whole,
        )


def _write(value: float, whole: float | None) -> str:
    """A mean with three decimals, one where it is in percent."""
    if whole == 100:
        return f"{value:.1f} %"
    return f"{value:.{PLACES}f}"
