"""What came of showing two answers side by side: who won how often, how sure that is, and whether the place counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores.table import ConditionKey, Outcome, ScoreTable

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PairwiseComparison:
    """Two conditions before one judge ("" where none is named; `judges` > 1: all of them together).

    `share` is the part of the decisive outcomes that `a` won; `p` the sign test over them. `first_wins` of
    `first_known` decisive outcomes went to the answer that was shown first; half is what no preference gives.
    `swapped` items were shown in both orders, and the outcome of `turned` of them went with the place.
    """

    a: ConditionKey
    b: ConditionKey
    judge: str
    judges: int
    n: int
    wins_a: int
    wins_b: int
    ties: int
    share: float | None
    interval: Span | None
    p: float | None
    first_known: int = 0
    first_wins: int = 0
    first_interval: Span | None = None
    first_p: float | None = None
    swapped: int = 0
    turned: int = 0

    @property
    def decisive(self) -> int:
        """Outcomes that are no ties."""
        return self.wins_a + self.wins_b

    @property
    def decisive_share(self) -> float | None:
        """The part of all outcomes that are no ties."""
        return self.decisive / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Ranking:
    """All contestants on one line, the strongest first: the odds that a beats b are exp(strength a − strength b).

    `connected` is False where some never met, even through others: then their strengths cannot be compared.
    """

    conditions: tuple[ConditionKey, ...]
    strengths: tuple[float, ...]
    intervals: tuple[Span, ...]
    connected: bool
    method: str
    seed: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """`wins[i][j]`: how often conditions[i] beat conditions[j]; `ties` is the same from either side."""

    conditions: tuple[ConditionKey, ...]
    wins: tuple[tuple[int, ...], ...]
    ties: tuple[tuple[int, ...], ...]


def told(table: ScoreTable) -> tuple[PairwiseComparison, ...]:
    """A duel for each pair over all judges, then one for each judge where several judged it; pairs as they came.

    Which of the two is `a` is as in the first row of the pair. Shares have Wilson's interval (Wilson 1927), p is the
    exact two-sided sign test over decisive outcomes (Dixon, Mood 1946, J. Am. Stat. Assoc. 41, 557).
    """
    pairs: dict[frozenset[ConditionKey], list[Outcome]] = {}
    for outcome in table.outcomes:
        pairs.setdefault(frozenset((outcome.a, outcome.b)), []).append(outcome)
    found: list[PairwiseComparison] = []
    for outcomes in pairs.values():
        by: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            by.setdefault(outcome.judge, []).append(outcome)
        a, b = outcomes[0].a, outcomes[0].b
        found.append(_comparison(a, b, next(iter(by)) if len(by) == 1 else "", len(by), outcomes))
        if len(by) > 1:
            found.extend(_comparison(a, b, judge, 1, rows) for judge, rows in by.items())
    return tuple(found)


def as_json(comparison: PairwiseComparison) -> dict[str, Any]:
    """A duel for scripts; conditions as in rows."""
    shown = {name: getattr(comparison, name) for name in ("judges", "n", "wins_a", "wins_b", "ties", "decisive")}
    place = {name: getattr(comparison, name) for name in ("first_known", "first_wins", "swapped", "turned")}
    return {
        "a": dict(comparison.a), "b": dict(comparison.b), "judge": comparison.judge or None, **shown,
        "share": comparison.share, "interval": comparison.interval, "method": "wilson",
        "p": comparison.p, "p_method": "sign test",
        **place, "first_interval": comparison.first_interval, "first_p": comparison.first_p,
    }  # fmt: skip


def matrix(outcomes: Iterable[Outcome]) -> Matrix:
    """Who beat whom how often, over everything given."""
    known = tuple(outcomes)
    codes = {key: at for at, key in enumerate(dict.fromkeys(key for one in known for key in (one.a, one.b)))}
    wins = [[0] * len(codes) for _ in codes]
    ties = [[0] * len(codes) for _ in codes]
    for one in known:
        a, b = codes[one.a], codes[one.b]
        if one.outcome == "tie":
            ties[a][b] += 1
            ties[b][a] += 1
        else:
            winner, loser = (a, b) if one.outcome == "a" else (b, a)
            wins[winner][loser] += 1
    return Matrix(tuple(codes), tuple(map(tuple, wins)), tuple(map(tuple, ties)))


def ranked(table: ScoreTable, judge: str | None = None) -> Ranking | None:
    """The contestants by strength (Bradley–Terry, `statistics.ranking`); None where nothing was compared."""
    from readback.stats.interval import SEED
    from readback.stats.ranking import bradley_terry

    counts = matrix(one for one in table.outcomes if judge in (None, one.judge))
    if not counts.conditions:
        return None
    fit = bradley_terry(counts.wins, counts.ties, seed=SEED)
    order = sorted(range(len(counts.conditions)), key=lambda at: -fit.strengths[at])
    return Ranking(
        conditions=tuple(counts.conditions[at] for at in order),
        strengths=tuple(fit.strengths[at] for at in order),
        intervals=tuple((fit.intervals[at].low, fit.intervals[at].high) for at in order),
        connected=fit.connected,
        method=fit.method,
        seed=SEED,
    )


def sign_test(wins: int, losses: int) -> float | None:
    """The exact two-sided p of as many wins or fewer likely ones under a fair coin; None without a decisive outcome.

    Twice the smaller tail of Binomial(wins + losses, ½), at most 1.
    """
    n = wins + losses
    if not n:
        return None
    k = max(wins, losses)
    if n > 10_000:  # the normal curve with continuity correction is the same to many digits, and at once
        return math.erfc(max(abs(wins - losses) - 1, 0) / math.sqrt(2 * n))
    return min(1.0, 2 * math.fsum(math.exp(_log_choose(n, at) - n * math.log(2)) for at in range(k, n + 1)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _comparison(
    a: ConditionKey, b: ConditionKey, judge: str, judges: int, outcomes: Sequence[Outcome]
) -> PairwiseComparison:
    won = [_side(one, a) for one in outcomes]
    wins_a, wins_b = won.count("a"), won.count("b")
    placed = [one for one in outcomes if one.first and one.outcome != "tie"]
    first_wins = sum(one.outcome == one.first for one in placed)
    swapped, turned = _swapped(outcomes)
    return PairwiseComparison(
        a=a, b=b, judge=judge, judges=judges, n=len(outcomes),
        wins_a=wins_a, wins_b=wins_b, ties=won.count("tie"),
        share=wins_a / (wins_a + wins_b) if wins_a + wins_b else None,
        interval=_wilson(wins_a, wins_a + wins_b),
        p=sign_test(wins_a, wins_b),
        first_known=len(placed), first_wins=first_wins,
        first_interval=_wilson(first_wins, len(placed)),
        first_p=sign_test(first_wins, len(placed) - first_wins),
        swapped=swapped, turned=turned,
    )  # fmt: skip


def _side(one: Outcome, a: ConditionKey) -> str:
    """Who won, whichever way round the row names the two."""
    return one.outcome if one.outcome == "tie" or one.a == a else "b" if one.outcome == "a" else "a"


def _swapped(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """Items that one judge saw in both orders, and those of them where the place won and not the answer."""
    by: dict[tuple[str, str], dict[ConditionKey, ConditionKey | None]] = {}
    for one in outcomes:
        if one.first:
            shown = one.a if one.first == "a" else one.b
            winner = None if one.outcome == "tie" else one.a if one.outcome == "a" else one.b
            by.setdefault((one.item, one.judge), {}).setdefault(shown, winner)
    both = [orders for orders in by.values() if len(orders) == 2]
    return len(both), sum(None not in winners and len(winners) == 2 for winners in (set(o.values()) for o in both))


def _wilson(k: int, n: int) -> Span | None:
    from readback.stats.interval import wilson

    found = wilson(k, n) if n else None
    return (found.low, found.high) if found else None
