"""Count who won how often when two answers were shown side by side, and whether the place mattered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores.table import ConditionKey, Outcome, ScoreTable

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PairwiseComparison:
    """Hold the outcomes of two conditions before one judge.

    `judge` is "" where none is named, or where all judges are counted together (`judges` > 1). `share` is the part of
    the decisive outcomes that `a` won; `p` the sign test over them. `first_wins` of `first_known` decisive outcomes
    went to the answer that was shown first; half is what no preference gives. `swapped` items were shown in both
    orders, and the outcome of `turned` of them went with the place.
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
        if self.n:
            return self.decisive / self.n
        return None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rank all contestants, the strongest first: the odds that a beats b are exp(strength a − strength b).

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
    """Count in `wins[i][j]` how often conditions[i] beat conditions[j]; `ties` is the same from either side."""

    conditions: tuple[ConditionKey, ...]
    wins: tuple[tuple[int, ...], ...]
    ties: tuple[tuple[int, ...], ...]


def compare_contestants(table: ScoreTable) -> tuple[PairwiseComparison, ...]:
    """Compare each pair over all judges, then before each judge where several judged it; pairs in the files' order.

    Which of the two is `a` is as in the first row of the pair. Shares have Wilson's interval (Wilson 1927), p is the
    exact two-sided sign test over decisive outcomes (Dixon, Mood 1946, J. Am. Stat. Assoc. 41, 557).
    """
    pairs: dict[frozenset[ConditionKey], list[Outcome]] = {}
    for outcome in table.outcomes:
        pairs.setdefault(frozenset((outcome.a, outcome.b)), []).append(outcome)
    comparisons: list[PairwiseComparison] = []
    for outcomes in pairs.values():
        by_judge: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            by_judge.setdefault(outcome.judge, []).append(outcome)
        a, b = outcomes[0].a, outcomes[0].b
        if len(by_judge) == 1:
            judge = next(iter(by_judge))
        else:
            judge = ""
        comparisons.append(_compare(a, b, judge, len(by_judge), outcomes))
        if len(by_judge) > 1:
            comparisons.extend(_compare(a, b, name, 1, rows) for name, rows in by_judge.items())
    return tuple(comparisons)


def describe_comparison(comparison: PairwiseComparison) -> dict[str, Any]:
    """Return a comparison for scripts; conditions as in rows."""
    return {
        "a": dict(comparison.a),
        "b": dict(comparison.b),
        "judge": comparison.judge or None,
        "judges": comparison.judges,
        "n": comparison.n,
        "wins_a": comparison.wins_a,
        "wins_b": comparison.wins_b,
        "ties": comparison.ties,
        "decisive": comparison.decisive,
        "share": comparison.share,
        "interval": comparison.interval,
        "method": "wilson",
        "p": comparison.p,
        "p_method": "sign test",
        "first_known": comparison.first_known,
        "first_wins": comparison.first_wins,
        "swapped": comparison.swapped,
        "turned": comparison.turned,
        "first_interval": comparison.first_interval,
        "first_p": comparison.first_p,
    }


def count_wins(outcomes: Iterable[Outcome]) -> Matrix:
    """Count who beat whom how often, over all these outcomes."""
    outcomes = tuple(outcomes)
    codes: dict[ConditionKey, int] = {}
    for outcome in outcomes:
        codes.setdefault(outcome.a, len(codes))
        codes.setdefault(outcome.b, len(codes))
    wins = [[0] * len(codes) for _ in codes]
    ties = [[0] * len(codes) for _ in codes]
    for outcome in outcomes:
        a, b = codes[outcome.a], codes[outcome.b]
        if outcome.outcome == "tie":
            ties[a][b] += 1
            ties[b][a] += 1
        elif outcome.outcome == "a":
            wins[a][b] += 1
        else:
            wins[b][a] += 1
    return Matrix(tuple(codes), tuple(map(tuple, wins)), tuple(map(tuple, ties)))


def rank_contestants(table: ScoreTable, judge: str | None = None) -> Ranking | None:
    """Rank the contestants by strength (Bradley–Terry, `statistics.ranking`); None where nothing was compared."""
    from readback.stats.interval import SEED
    from readback.stats.ranking import bradley_terry

    counts = count_wins(outcome for outcome in table.outcomes if judge in (None, outcome.judge))
    if not counts.conditions:
        return None
    fit = bradley_terry(counts.wins, counts.ties, seed=SEED)
    order = sorted(range(len(counts.conditions)), key=lambda code: -fit.strengths[code])
    return Ranking(
        conditions=tuple(counts.conditions[code] for code in order),
        strengths=tuple(fit.strengths[code] for code in order),
        intervals=tuple((fit.intervals[code].low, fit.intervals[code].high) for code in order),
        connected=fit.connected,
        method=fit.method,
        seed=SEED,
    )


def compute_sign_test(wins: int, losses: int) -> float | None:
    """Return the exact two-sided p of as many wins or fewer likely ones under a fair coin.

    Twice the smaller tail of Binomial(wins + losses, ½), at most 1; None without a decisive outcome.
    """
    n = wins + losses
    if not n:
        return None
    k = max(wins, losses)
    if n > 10_000:  # the normal curve with continuity correction is the same to many digits, and at once
        return math.erfc(max(abs(wins - losses) - 1, 0) / math.sqrt(2 * n))
    return min(
        1.0,
        2 * math.fsum(math.exp(_compute_log_choose(n, successes) - n * math.log(2)) for successes in range(k, n + 1)),
    )


def _compute_log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _compare(
    a: ConditionKey, b: ConditionKey, judge: str, judges: int, outcomes: Sequence[Outcome]
) -> PairwiseComparison:
    winners = [_get_winner(outcome, a) for outcome in outcomes]
    wins_a, wins_b = winners.count("a"), winners.count("b")
    ordered = [outcome for outcome in outcomes if outcome.first and outcome.outcome != "tie"]
    first_wins = sum(outcome.outcome == outcome.first for outcome in ordered)
    swapped, turned = _count_swapped(outcomes)
    return PairwiseComparison(
        a=a,
        b=b,
        judge=judge,
        judges=judges,
        n=len(outcomes),
        wins_a=wins_a,
        wins_b=wins_b,
        ties=winners.count("tie"),
        share=wins_a / (wins_a + wins_b) if wins_a + wins_b else None,
        interval=_compute_wilson(wins_a, wins_a + wins_b),
        p=compute_sign_test(wins_a, wins_b),
        first_known=len(ordered),
        first_wins=first_wins,
        first_interval=_compute_wilson(first_wins, len(ordered)),
        first_p=compute_sign_test(first_wins, len(ordered) - first_wins),
        swapped=swapped,
        turned=turned,
    )


def _get_winner(outcome: Outcome, a: ConditionKey) -> str:
    """Return who won ("a", "b" or "tie"), whichever way round the row names the two."""
    if outcome.outcome == "tie" or outcome.a == a:
        return outcome.outcome
    if outcome.outcome == "a":
        return "b"
    return "a"


def _count_swapped(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """Count the items that one judge saw in both orders, and those of them where the place won and not the answer."""
    winners: dict[tuple[str, str], dict[ConditionKey, ConditionKey | None]] = {}
    for outcome in outcomes:
        if not outcome.first:
            continue
        if outcome.first == "a":
            shown_first = outcome.a
        else:
            shown_first = outcome.b
        winner: ConditionKey | None = None
        if outcome.outcome != "tie":
            if outcome.outcome == "a":
                winner = outcome.a
            else:
                winner = outcome.b
        winners.setdefault((outcome.item, outcome.judge), {}).setdefault(shown_first, winner)
    swapped = [set(by_order.values()) for by_order in winners.values() if len(by_order) == 2]
    return len(swapped), sum(None not in pair and len(pair) == 2 for pair in swapped)


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """Sum the place counts of several comparisons.

    `first` of `decisive` outcomes went to the answer shown first, half is what no preference gives; `turned` of
    `swapped` items that were shown in both orders went with the place.
    """

    decisive: int
    first: int
    interval: Span | None
    p: float | None
    swapped: int
    turned: int
    turned_interval: Span | None


def count_places(pairwise: Sequence[PairwiseComparison]) -> PlaceCounts:
    """Sum the places over comparisons that share no outcome, with Wilson's intervals and the sign test."""
    decisive, first = (
        sum(comparison.first_known for comparison in pairwise),
        sum(comparison.first_wins for comparison in pairwise),
    )
    swapped, turned = (
        sum(comparison.swapped for comparison in pairwise),
        sum(comparison.turned for comparison in pairwise),
    )
    p = compute_sign_test(first, decisive - first)
    return PlaceCounts(
        decisive, first, _compute_wilson(first, decisive), p, swapped, turned, _compute_wilson(turned, swapped)
    )


def _compute_wilson(k: int, n: int) -> Span | None:
    from readback.stats.interval import wilson

    interval = wilson(k, n) if n else None
    if interval:
        return (interval.low, interval.high)
    return None
