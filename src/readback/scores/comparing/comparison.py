"""Hold what a comparison of two conditions says: the paired difference, how sure it is, and whether it was planned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from readback.scores.certainty import choose_interval
from readback.scores.table import ConditionKey, Planned
from readback.scores.values.doubtful_numbers import Question
from readback.types import Diagnostic

Verdict = Literal[
    "b is higher",
    "a is higher",
    "not separated",
    "equivalent",
    "incomplete",
    "disputed",
    "in question",
    "too few",
    "constant",
]
IN_QUESTION: Verdict = "in question"
Span = tuple[float, float]
SMALL = 0.05  # share of the scale's length below which a difference is called small
DISPUTED = 0.667  # alpha of the judges below which no conclusion is drawn (Krippendorff 2004)
NOTHING = 1e-12  # what rounding leaves of a difference that is exactly at the edge
LOST = 0.10  # share of items whose judge failed on one side, from which it is said


@dataclass(frozen=True, slots=True)
class Comparison:
    """Hold b − a over the items both were scored on, by one judge under one criterion.

    An item with several scores on one side (replicates, other factors) counts once, with their mean. `interval` takes
    items as independent; where they carry clusters `interval_clustered` is the one to use. `wins`: items where b is
    higher. `p_adjusted` is Holm's over `family` comparisons.
    """

    a: ConditionKey
    b: ConditionKey
    criterion: str
    judge: str
    n_shared: int
    only_a: int  # items scored on one side only, which are left out
    only_b: int
    verdict: Verdict
    mean_a: float | None = None  # over the shared items
    mean_b: float | None = None
    difference: float | None = None
    interval: Span | None = None
    method: str | None = None
    interval_clustered: Span | None = None
    clusters: int | None = None
    design_effect: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    p: float | None = None
    p_method: str | None = None
    p_wilcoxon: float | None = None  # the signed rank test beside it
    p_adjusted: float | None = None
    family: int = 1
    delta: float | None = None  # Cliff's
    detectable: float | None = None  # the smallest difference this sample shows with power 0.8
    margin: float | None = None
    p_equivalent: float | None = None  # two one-sided tests against the margin
    planned: Planned | None = None
    seed: int | None = None  # None: nothing random was done
    method_clustered: str | None = None
    failed: int = 0  # items scored on one side whose judge failed on the other,
    failed_b: int = 0  # and those of them where it failed under b
    bounds: Span | None = None  # where the difference of these items lies whatever those scores are,
    bounds_interval: Span | None = None  # and that of all items like them, by its 95 % intervals
    questions: tuple[Question, ...] = ()  # numbers of the criterion of which nobody has said whether they are scores
    length: float | None = None  # of the scale, from its least to its greatest value; None where it has no ends
    alpha: float | None = None  # the agreement of the judges whose means these are; None of one judge

    @property
    def in_question(self) -> bool:
        """Whether some numbers of the criterion may not be scores."""
        return bool(self.questions)

    @property
    def small(self) -> bool | None:
        """Whether the difference is less than a twentieth of the scale; None where the scale has no ends."""
        if not self.length or self.difference is None:
            return None
        return abs(self.difference) < SMALL * self.length - NOTHING

    @property
    def disputed(self) -> bool:
        """Whether the judges whose means these are disagree too much for a conclusion."""
        return self.alpha is not None and self.alpha < DISPUTED

    @property
    def failing(self) -> bool:
        """Whether the judge failed on one side at so many of the items that what is missing may decide."""
        return self.failed > LOST * (self.n_shared + self.failed)

    @property
    def span(self) -> Span | None:
        """The interval that pages and sentences use."""
        return choose_interval(self.interval, self.interval_clustered, self.clusters, self.design_effect)

    @property
    def span_method(self) -> str | None:
        """The method by which `span` was computed."""
        if self.span is None:
            return None
        if self.interval_clustered:
            return self.method_clustered
        return self.method

    @property
    def at_odds(self) -> bool:
        """Whether the interval and the test, before Holm, disagree: only one of them leaves no difference out.

        This happens near the edge, mostly with the interval as the bolder one (up to 11 times in 100 where there is a
        small difference and few items: docs/statistics.md). The verdict follows the more careful one; a sentence should
        say that the two do not agree.
        """
        if self.span is None or self.p is None or self.verdict in ("too few", "constant"):
            return False
        return (not self.span[0] <= 0 <= self.span[1]) != (self.p < 0.05)

    @property
    def adjusted_away(self) -> bool:
        """Whether only the other comparisons make it not separated: its interval is not adjusted for them."""
        if self.verdict != "not separated" or self.span is None or self.p is None:
            return False
        return self.p < 0.05 and not self.span[0] <= 0 <= self.span[1]

    def swap_sides(self) -> Comparison:
        """Return the same comparison as a − b: what was higher is now lower."""
        verdicts: dict[Verdict, Verdict] = {"b is higher": "a is higher", "a is higher": "b is higher"}
        return replace(
            self,
            a=self.b,
            b=self.a,
            only_a=self.only_b,
            only_b=self.only_a,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            verdict=verdicts.get(self.verdict, self.verdict),
            wins=self.losses,
            losses=self.wins,
            difference=_negate(self.difference),
            delta=_negate(self.delta),
            interval=_negate_span(self.interval),
            interval_clustered=_negate_span(self.interval_clustered),
            bounds=_negate_span(self.bounds),
            bounds_interval=_negate_span(self.bounds_interval),
            failed_b=self.failed - self.failed_b,
        )


def _negate(value: float | None) -> float | None:
    if value is None:
        return None
    return -value


def _negate_span(span: Span | None) -> Span | None:
    if span is None:
        return None
    return (-span[1], -span[0])


@dataclass(frozen=True, slots=True)
class Blocked:
    """Name a comparison that is not made; `why` holds notes of `scr-` rules."""

    a: ConditionKey
    b: ConditionKey
    criterion: str
    judge: str
    why: tuple[Diagnostic, ...]
    planned: Planned | None = None

    def swap_sides(self) -> Blocked:
        """Return the same with the sides changed."""
        return replace(self, a=self.b, b=self.a)


@dataclass(frozen=True, slots=True)
class Omnibus:
    """Hold one test of whether any of several conditions differs, over the items scored under all of them."""

    criterion: str
    judge: str
    conditions: int
    items: int
    test: str
    p: float
    left_out: int = 0  # items scored under some of the conditions, not under all
    clusters: int | None = None  # where items carry clusters: what is ranked are the means of clusters, not items


@dataclass(frozen=True, slots=True)
class Compared:
    """Hold the comparisons, planned ones first; `skipped` says why there are none, where none were made."""

    comparisons: tuple[Comparison, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    skipped: str | None = None
