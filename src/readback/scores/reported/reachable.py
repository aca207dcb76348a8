"""Can a stated rate be k of n at all, and if not, which rates and which n come near?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readback.scores.criteria import number
from readback.scores.table import SCORED, Reported, ScoreTable
from readback.types import Diagnostic

NEAR = 10  # how far from the stated n another one is looked for, or a fifth of it if that is more


@dataclass(frozen=True, slots=True)
class Fit:
    """k of n items."""

    count: int
    n: int

    @property
    def text(self) -> str:
        return f"{self.count}/{self.n}"


def fits(rate: float, n: int, tolerance: float) -> int | None:
    """The k of n whose share is `rate` (of 1), give or take `tolerance`; None where there is no such k."""
    at = round(rate * n)
    return at if 0 <= at <= n and abs(at / n - rate) <= tolerance else None


def nearby(rate: float, n: int, tolerance: float) -> Fit | None:
    """The n nearest to the stated one that a k fits; of two equally near the larger."""
    for step in range(1, max(NEAR, n // 5) + 1):
        for other in (n + step, n - step):
            if other > 0 and (count := fits(rate, other, tolerance)) is not None:
                return Fit(count, other)
    return None


def reachable(one: Reported) -> bool:
    """Whether some integer k of the stated n gives the stated rate, as exactly as it is printed."""
    if one.whole is None or one.n is None or one.n <= 0 or one.state != SCORED:
        return True
    return fits(one.mean / one.whole, one.n, _tolerance(one)) is not None


def diagnostics(table: ScoreTable, explained: Sequence[Reported] = ()) -> Iterator[Diagnostic]:
    """Every stated rate that no number of items gives, but for those whose n is `explained` by another finding."""
    for one in table.reported:
        if one.whole is None or one.n is None or reachable(one) or one in explained:
            continue
        rate, tolerance = one.mean / one.whole, _tolerance(one)
        counts = sorted({min(max(count, 0), one.n) for count in (math.floor(rate * one.n), math.ceil(rate * one.n))})
        sign = "%" if one.whole == 100 else ""
        other = nearby(rate, one.n, tolerance)
        label = table.label(one.condition)
        values = {
            "condition": label,
            "criterion": one.criterion,
            "stated": f"{one.mean:.{one.decimals}f}{sign}",
            "n": one.n,
            "nearest": " and ".join(
                f"{number(round(one.whole * count / one.n, one.decimals))}{sign} ({Fit(count, one.n).text})"
                for count in counts
            ),
            "fitting": "–" if other is None else other.text,
        }
        yield Diagnostic("scr-rate-unreachable", values, one.place, flagged=f"{label}|{one.criterion}")


def _tolerance(one: Reported) -> float:
    """Half of the last printed decimal, as a share of 1; either way of rounding a half is let pass."""
    return 0.5 * 10.0**-one.decimals / (one.whole or 1) + 1e-12
