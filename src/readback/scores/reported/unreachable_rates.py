"""Find stated rates that cannot be k of n, with the rates and the n that come near."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readback.scores.table import SCORED, Reported, ScoreTable
from readback.scores.values.criteria import number
from readback.types import Diagnostic

NEAR = 10  # how far from the stated n another one is looked for, or a fifth of it if that is more


@dataclass(frozen=True, slots=True)
class Fit:
    """Name k of n items."""

    count: int
    n: int

    @property
    def text(self) -> str:
        """The fraction as text, `3/4`."""
        return f"{self.count}/{self.n}"


def fit_count(rate: float, n: int, tolerance: float) -> int | None:
    """Return the k of n whose share is `rate` (of 1), give or take `tolerance`; None where there is no such k."""
    count = round(rate * n)
    if 0 <= count <= n and abs(count / n - rate) <= tolerance:
        return count
    return None


def find_nearby_fit(rate: float, n: int, tolerance: float) -> Fit | None:
    """Return the n nearest to the stated one that a k fits; of two equally near the larger."""
    for step in range(1, max(NEAR, n // 5) + 1):
        for near_n in (n + step, n - step):
            if near_n > 0:
                count = fit_count(rate, near_n, tolerance)
            else:
                count = None
            if count is not None:
                return Fit(count, near_n)
    return None


def is_reachable(stated: Reported) -> bool:
    """Return whether some integer k of the stated n gives the stated rate, as exactly as it is printed."""
    if stated.whole is None or stated.n is None or stated.n <= 0 or stated.state != SCORED:
        return True
    return fit_count(stated.mean / stated.whole, stated.n, _get_tolerance(stated)) is not None


def find_unreachable(table: ScoreTable, explained: Sequence[Reported] = ()) -> Iterator[Diagnostic]:
    """Yield every stated rate that no number of items gives, except if another finding has `explained` its n."""
    for stated in table.reported:
        if stated.whole is None or stated.n is None or is_reachable(stated) or stated in explained:
            continue
        rate, tolerance = stated.mean / stated.whole, _get_tolerance(stated)
        counts = {min(max(count, 0), stated.n) for count in (math.floor(rate * stated.n), math.ceil(rate * stated.n))}
        sign = "%" if stated.whole == 100 else ""
        nearest: list[str] = []
        for count in sorted(counts):
            nearest_rate = number(round(stated.whole * count / stated.n, stated.decimals))
            nearest.append(f"{nearest_rate}{sign} ({Fit(count, stated.n).text})")
        fit = find_nearby_fit(rate, stated.n, tolerance)
        label = table.label(stated.condition)
        values = {
            "condition": label,
            "criterion": stated.criterion,
            "stated": f"{stated.mean:.{stated.decimals}f}{sign}",
            "n": stated.n,
            "nearest": " and ".join(nearest),
            "fitting": "–" if fit is None else fit.text,
        }
        yield Diagnostic("scr-rate-unreachable", values, stated.place, flagged=f"{label}|{stated.criterion}")


def _get_tolerance(stated: Reported) -> float:
    """Return half of the last printed decimal, as a share of 1; either way of rounding a half is accepted."""
    return 0.5 * 10.0**-stated.decimals / (stated.whole or 1) + 1e-12
