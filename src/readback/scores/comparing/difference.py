"""The paired difference of two conditions on the items both were scored on, and what it supports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from readback.scores.comparing.comparison import Comparison, Span, Verdict
from readback.scores.comparing.paired_items import PairedItems, items, members, scored_items
from readback.scores.summary import BY_LINE
from readback.scores.table import FAILED, MISSING, ConditionKey, Planned, ScoreTable
from readback.types import Criterion

Bounds = tuple[float, float]

if TYPE_CHECKING:
    from readback.stats.interval import Clustered


@dataclass(frozen=True, slots=True)
class Lost:
    """At how many items the judge gave no score under a, and under b, that it scored on the other side.

    Where b − a over these and the shared items lies whatever those scores are: `bounds` of these items, `interval` of
    all items like them (from the lower end of the 95 % interval of the least difference to the upper end of that of
    the most).
    """

    under_a: int = 0
    under_b: int = 0
    bounds: Bounds | None = None
    interval: Bounds | None = None


def bound_difference(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, shared: PairedItems
) -> Lost:
    """What a judge failed to give, and how far it could move b − a (Manski 1990: each is put at either end of the
    scale; Horowitz and Manski 2000 for the intervals of both).

    No bounds without such items, without ends of the scale, and of means over several judges (then 0 items). The
    intervals take items as independent.
    """
    if table.pool is not None or a not in table.columns.conditions:
        return Lost()
    import numpy as np

    lost_b = _find_unscored(table, a, b, criterion, judge)
    lost_a = _find_unscored(table, b, a, criterion, judge)
    edges = get_scale_ends(table.criteria[criterion])
    if not len(lost_a) + len(lost_b) or edges is None:
        return Lost(len(lost_a), len(lost_b))
    low, high = edges
    known = shared.b - shared.a
    least = np.concatenate([known, low - lost_b, lost_a - high])
    most = np.concatenate([known, high - lost_b, lost_a - low])
    sides = _compute_low_end(least), -_compute_low_end(-most)
    return Lost(len(lost_a), len(lost_b), (float(least.mean()), float(most.mean())), sides)


def _compute_low_end(differences: Any) -> float:
    """The lower end of the interval of their mean; the mean where they have none."""
    from readback.stats import interval

    found = interval.compute_difference_interval(differences)
    return found.low if found else float(differences.mean())


@lru_cache(maxsize=64)
def judges_of_criterion(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Return who has cells for a criterion."""
    import numpy as np

    c = table.columns
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    return tuple(c.judges[code] for code in np.unique(np.asarray(c.judge)[here]).tolist())


def _find_unscored(table: ScoreTable, scored: ConditionKey, failed: ConditionKey, criterion: str, judge: str) -> Any:
    """The scores under one condition of the items that have none under the other, because the judge failed there.

    Where the criterion has one judge only, a row without a score, and an item without a row, count as well: nobody
    else was to give it. Of items that are known by their line only, those without a row are not counted.
    """
    import numpy as np

    c = table.columns
    state = np.frombuffer(c.state, np.uint8)
    unscored = state == FAILED
    alone = len(judges_of_criterion(table, criterion)) == 1
    if alone:
        unscored |= state == MISSING
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.asarray(c.judge) == c.judges.index(judge)
    here &= np.isin(np.asarray(c.condition), members(table, failed))
    item = np.asarray(c.item)
    names, means = scored_items(table, scored, criterion, judge)
    without = {c.items[code] for code in item[here & unscored].tolist()}
    if alone and not all(map(BY_LINE.fullmatch, c.items)):
        with_row = {c.items[code] for code in np.unique(item[here]).tolist()}
        without |= set(names) - with_row
    without -= set(scored_items(table, failed, criterion, judge)[0])
    return means[np.array([name in without for name in names], bool)]


def get_scale_ends(criterion: Criterion) -> Bounds | None:
    """Return the least and the greatest value of a criterion's scale; None where it has none."""
    if criterion.scale == "binary":
        return 0.0, 1.0
    if criterion.values:
        return min(criterion.values), max(criterion.values)
    return (criterion.low, criterion.high) if criterion.low is not None and criterion.high is not None else None


FEW = 5  # shared items below which no interval is given
LEVEL = 0.05
EXACT = 12  # decimals


def compute_difference(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None = None
) -> Comparison:
    """b − a over the shared items, with its interval and tests; `judged` gives the verdict once p is adjusted.

    The interval is Student's t of the differences, or the one over clusters. p is a sign-flip permutation test, for a
    binary criterion with one score an item McNemar's exact test. Within a margin of 0 nothing can be shown to lie.
    """
    import numpy as np

    from readback.stats import interval, paired

    shared = items(table, a, b, criterion, judge)
    d = np.round(shared.b - shared.a, EXACT)  # means of the same scores differ by rounding alone
    n = len(d)
    margin = planned.margin if planned else None
    made = Comparison(
        a, b, criterion, judge, n, shared.only_a, shared.only_b, "too few", margin=margin, planned=planned,
        questions=table.asks(criterion), length=_length(table.criteria[criterion]),
        alpha=_alpha(table, criterion, judge),
    )  # fmt: skip
    lost = bound_difference(table, a, b, criterion, judge, shared)
    made = replace(
        made, failed=lost.under_a + lost.under_b, failed_b=lost.under_b, bounds=lost.bounds,
        bounds_interval=lost.interval,
    )  # fmt: skip
    if not n:
        return made
    plain = interval.compute_difference_interval(d)
    grouped = interval.compute_clustered_interval(d, shared.clusters) if shared.clusters is not None else None
    p, how = _p(table.criteria[criterion].scale == "binary", shared.a, shared.b, d, shared.clusters)
    return replace(
        made,
        mean_a=float(np.mean(shared.a)),
        mean_b=float(np.mean(shared.b)),
        difference=float(np.mean(d)),
        interval=_to_span(plain),
        method=plain.method if plain else None,
        interval_clustered=_to_span(grouped.interval) if grouped else None,
        method_clustered=grouped.interval.method if grouped and grouped.interval else None,
        clusters=grouped.clusters if grouped else None,
        design_effect=grouped.design_effect if grouped else None,
        wins=int((d > 0).sum()),
        ties=int((d == 0).sum()),
        losses=int((d < 0).sum()),
        p=p,
        p_method=how,
        p_wilcoxon=paired.wilcoxon(d) if shared.clusters is None else None,
        delta=_delta(shared.a, shared.b),
        detectable=_detectable(d, grouped) if plain else None,
        p_equivalent=paired.tost(d, margin, shared.clusters) if plain and margin and margin > 0 else None,
        seed=interval.SEED if "draws" in how else None,
    )


def judged(made: Comparison) -> Comparison:
    """The comparison with its verdict, by the adjusted p, and by the interval: one is higher only if both say so.

    None is where a number is in question, or where the judges whose means these are disagree too much.
    Where a judge failed at more than a tenth of the items on one side, it is higher only if its interval said so
    whatever the missing scores are. A difference that is within the study's margin counts as none, however sure it is.
    """
    return replace(made, verdict=_verdict(made))


def _verdict(made: Comparison) -> Verdict:
    if made.in_question:
        return "in question"
    if made.n_shared < FEW or made.difference is None:
        return "too few"
    if made.ties == made.n_shared:
        return "constant"
    if made.p_equivalent is not None and made.p_equivalent < LEVEL:
        return "equivalent"
    p = made.p if made.p_adjusted is None else made.p_adjusted
    if p is None or p >= LEVEL or (made.span is not None and made.span[0] <= 0 <= made.span[1]):
        return "not separated"
    if _undecided(made):
        return "incomplete"
    if made.disputed:
        return "disputed"
    return "b is higher" if made.difference > 0 else "a is higher"


def p_of_pair(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> float | None:
    """Return the p of a pair alone, as `difference` has it; None where they share no item."""
    import numpy as np

    shared = items(table, a, b, criterion, judge)
    if not len(shared.items):
        return None
    d = np.round(shared.b - shared.a, EXACT)
    return _p(table.criteria[criterion].scale == "binary", shared.a, shared.b, d, shared.clusters)[0]


def _length(criterion: Criterion) -> float | None:
    """Return how long a criterion's scale is; None where it has no ends, or where values are names."""
    found = get_scale_ends(criterion)
    if found is None or criterion.scale == "nominal":
        return None
    return found[1] - found[0]


def _alpha(table: ScoreTable, criterion: str, pool: str) -> float | None:
    """Return Krippendorff's alpha of the judges of a pool, over all conditions; None where there is no pool.

    Of a judge who belongs to a pool it is the pool's: one alone is no surer than all of them.
    """
    from readback.scores import pooled
    from readback.scores.agreement.measures import measure_pool

    whole = table if table.pool is None else table.pool.table
    made = pooled.pooled(table) if table.pool is None else table
    if made is None or made.pool is None:
        return None
    for (name, called), judges in made.pool.judges.items():
        if name == criterion and pool in (called, *judges):
            return measure_pool(whole, criterion, judges).alpha
    return None


def _undecided(made: Comparison) -> bool:
    """Whether the difference could be none, or the other way round, if the scores that a judge failed to give were
    known.
    """
    edges = made.bounds_interval
    return made.failing and (edges is None or edges[0] <= 0 <= edges[1])


def _p(binary: bool, a: Any, b: Any, d: Any, clusters: Any) -> tuple[float, str]:
    import numpy as np

    from readback.stats import paired

    if binary and clusters is None and bool(np.isin(a, (0, 1)).all()) and bool(np.isin(b, (0, 1)).all()):
        return paired.mcnemar(int((d > 0).sum()), int((d < 0).sum())), "exact McNemar test"
    return paired.sign_flip(d, clusters)


def _detectable(d: Any, grouped: Clustered | None) -> float | None:
    """By the error and the degrees of freedom that the interval has; None where clusters are too few to have them."""
    import numpy as np

    from readback.stats import equivalence

    if grouped is None or grouped.design_effect == 0:
        return equivalence.compute_detectable_difference(float(np.std(d, ddof=1)), len(d))
    return (
        equivalence.compute_detectable_from_error(grouped.error, grouped.df) if grouped.error and grouped.df else None
    )


def _delta(a: Any, b: Any) -> float:
    import numpy as np

    from readback.stats import paired

    return paired.cliffs_delta(*np.unique(a, return_counts=True), *np.unique(b, return_counts=True))


def _to_span(found: Any) -> Span | None:
    return None if found is None else (found.low, found.high)
