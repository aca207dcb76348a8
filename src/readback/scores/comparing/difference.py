"""Compute the paired difference of two conditions on the items both were scored on, and what it supports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from readback.scores.comparing.comparison import Comparison, Span, Verdict
from readback.scores.comparing.paired_items import PairedItems, get_scored_items, list_members, pair_items
from readback.scores.summary import BY_LINE
from readback.scores.table import FAILED, MISSING, ConditionKey, Planned, ScoreTable
from readback.types import Criterion

Bounds = tuple[float, float]

if TYPE_CHECKING:
    from readback.stats.interval import Clustered


@dataclass(frozen=True, slots=True)
class Lost:
    """Count the items where the judge gave no score under a, or under b, but scored the other side.

    `bounds` is where b − a over these and the shared items lies whatever those scores are, `interval` the same for all
    items like them (from the lower end of the 95 % interval of the least difference to the upper end of that of the
    most).
    """

    under_a: int = 0
    under_b: int = 0
    bounds: Bounds | None = None
    interval: Bounds | None = None


def bound_difference(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, shared: PairedItems
) -> Lost:
    """Return what a judge failed to give, and how far it could move b − a.

    Manski 1990: each is put at either end of the scale; Horowitz and Manski 2000 for the intervals of both. No bounds
    without such items, without ends of the scale, and of means over several judges (then 0 items). The intervals take
    items as independent.
    """
    if table.pool is not None or a not in table.columns.conditions:
        return Lost()
    import numpy as np

    unscored_b = _find_unscored(table, a, b, criterion, judge)
    unscored_a = _find_unscored(table, b, a, criterion, judge)
    scale_ends = get_scale_ends(table.criteria[criterion])
    if scale_ends is None or not len(unscored_a) + len(unscored_b):
        return Lost(len(unscored_a), len(unscored_b))
    low, high = scale_ends
    differences = shared.b - shared.a
    least = np.concatenate([differences, low - unscored_b, unscored_a - high])
    most = np.concatenate([differences, high - unscored_b, unscored_a - low])
    interval = _compute_low_end(least), -_compute_low_end(-most)
    return Lost(len(unscored_a), len(unscored_b), (float(least.mean()), float(most.mean())), interval)


def _compute_low_end(differences: Any) -> float:
    """Return the lower end of the interval of their mean; the mean where they have none."""
    from readback.stats import interval

    span = interval.compute_difference_interval(differences)
    if span:
        return span.low
    return float(differences.mean())


@lru_cache(maxsize=64)
def list_criterion_judges(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Return who has cells for a criterion."""
    import numpy as np

    columns = table.columns
    cells = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    return tuple(columns.judges[code] for code in np.unique(np.asarray(columns.judge)[cells]).tolist())


def _find_unscored(table: ScoreTable, scored: ConditionKey, failed: ConditionKey, criterion: str, judge: str) -> Any:
    """Return the scores under `scored` of the items that have none under `failed`, because the judge failed there.

    Where the criterion has one judge only, a row without a score, and an item without a row, count as well: nobody
    else was to give it. Of items that are known by their line only, those without a row are not counted.
    """
    import numpy as np

    columns = table.columns
    state = np.frombuffer(columns.state, np.uint8)
    unscored = state == FAILED
    has_one_judge = len(list_criterion_judges(table, criterion)) == 1
    if has_one_judge:
        unscored |= state == MISSING
    cells = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    cells &= np.asarray(columns.judge) == columns.judges.index(judge)
    cells &= np.isin(np.asarray(columns.condition), list_members(table, failed))
    item = np.asarray(columns.item)
    names, means = get_scored_items(table, scored, criterion, judge)
    without_score = {columns.items[code] for code in item[cells & unscored].tolist()}
    if has_one_judge and not all(map(BY_LINE.fullmatch, columns.items)):
        with_row = {columns.items[code] for code in np.unique(item[cells]).tolist()}
        without_score |= set(names) - with_row
    without_score -= set(get_scored_items(table, failed, criterion, judge)[0])
    return means[np.array([name in without_score for name in names], bool)]


def get_scale_ends(criterion: Criterion) -> Bounds | None:
    """Return the least and the greatest value of a criterion's scale; None where it has none."""
    if criterion.scale == "binary":
        return 0.0, 1.0
    if criterion.values:
        return min(criterion.values), max(criterion.values)
    if criterion.low is None or criterion.high is None:
        return None
    return criterion.low, criterion.high


FEW = 5  # shared items below which no interval is given
LEVEL = 0.05
EXACT = 12  # decimals


def compute_difference(
    table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str, planned: Planned | None = None
) -> Comparison:
    """Compute b − a over the shared items, with interval and tests; `decide` gives the verdict once p is adjusted.

    The interval is Student's t of the differences, or the one over clusters. p is a sign-flip permutation test, for a
    binary criterion with one score an item McNemar's exact test. Within a margin of 0 nothing can be shown to lie.
    """
    import numpy as np

    from readback.stats import interval, paired

    shared = pair_items(table, a, b, criterion, judge)
    d = np.round(shared.b - shared.a, EXACT)  # means of the same scores differ by rounding alone
    margin = planned.margin if planned else None
    unscored = bound_difference(table, a, b, criterion, judge, shared)
    comparison = Comparison(
        a,
        b,
        criterion,
        judge,
        len(d),
        shared.only_a,
        shared.only_b,
        "too few",
        margin=margin,
        planned=planned,
        questions=table.asks(criterion),
        length=_measure_scale(table.criteria[criterion]),
        alpha=_find_pool_alpha(table, criterion, judge),
        failed=unscored.under_a + unscored.under_b,
        failed_b=unscored.under_b,
        bounds=unscored.bounds,
        bounds_interval=unscored.interval,
    )
    if not len(d):
        return comparison
    binary = table.criteria[criterion].scale == "binary"
    p, p_method = _compute_p(binary, shared.a, shared.b, d, shared.clusters)
    comparison = replace(
        comparison,
        mean_a=float(np.mean(shared.a)),
        mean_b=float(np.mean(shared.b)),
        difference=float(np.mean(d)),
        wins=int((d > 0).sum()),
        ties=int((d == 0).sum()),
        losses=int((d < 0).sum()),
        p=p,
        p_method=p_method,
        p_wilcoxon=paired.wilcoxon(d) if shared.clusters is None else None,
        delta=_compute_delta(shared.a, shared.b),
        seed=interval.SEED if "draws" in p_method else None,
    )
    clustered = None
    if shared.clusters is not None:
        clustered = interval.compute_clustered_interval(d, shared.clusters)
        comparison = replace(
            comparison,
            interval_clustered=_to_span(clustered.interval),
            method_clustered=clustered.interval.method if clustered.interval else None,
            clusters=clustered.clusters,
            design_effect=clustered.design_effect,
        )
    plain = interval.compute_difference_interval(d)
    if plain is None:
        return comparison
    return replace(
        comparison,
        interval=_to_span(plain),
        method=plain.method,
        detectable=_compute_detectable(d, clustered),
        p_equivalent=paired.tost(d, margin, shared.clusters) if margin and margin > 0 else None,
    )


def decide(comparison: Comparison) -> Comparison:
    """Return the comparison with its verdict, by the adjusted p, and by the interval: one is higher only if both say
    so.

    There is none where a number is in question, or where the judges whose means these are disagree too much. Where a
    judge failed at more than a tenth of the items on one side, one is higher only if its interval said so whatever the
    missing scores are. A difference within the study's margin counts as none, however sure it is.
    """
    return replace(comparison, verdict=_choose_verdict(comparison))


def _choose_verdict(comparison: Comparison) -> Verdict:
    if comparison.in_question:
        return "in question"
    if comparison.n_shared < FEW or comparison.difference is None:
        return "too few"
    if comparison.ties == comparison.n_shared:
        return "constant"
    if comparison.disputed:  # "no clear difference" would be a conclusion, too
        return "disputed"
    if comparison.p_equivalent is not None and comparison.p_equivalent < LEVEL:
        return "equivalent"
    if comparison.p_adjusted is None:
        p = comparison.p
    else:
        p = comparison.p_adjusted
    if p is None or p >= LEVEL or (comparison.span is not None and comparison.span[0] <= 0 <= comparison.span[1]):
        return "not separated"
    if _could_vanish(comparison):
        return "incomplete"
    if comparison.difference > 0:
        return "b is higher"
    return "a is higher"


def compute_pair_p(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> float | None:
    """Return the p of a pair alone, as `compute_difference` has it; None where they share no item."""
    import numpy as np

    shared = pair_items(table, a, b, criterion, judge)
    if not len(shared.items):
        return None
    d = np.round(shared.b - shared.a, EXACT)
    return _compute_p(table.criteria[criterion].scale == "binary", shared.a, shared.b, d, shared.clusters)[0]


def _measure_scale(criterion: Criterion) -> float | None:
    """Return how long a criterion's scale is; None where it has no ends, or where values are names."""
    scale_ends = get_scale_ends(criterion)
    if scale_ends is None or criterion.scale == "nominal":
        return None
    return scale_ends[1] - scale_ends[0]


def _find_pool_alpha(table: ScoreTable, criterion: str, judge: str) -> float | None:
    """Return Krippendorff's alpha of the judges of a pool, over all conditions; None where there is no pool.

    `judge` is the pool's name or a judge of it: one of them alone is no surer than all of them.
    """
    from readback.scores import pooled
    from readback.scores.agreement.measures import measure_pool

    if table.pool is None:
        whole = table
    else:
        whole = table.pool.table
    if table.pool is None:
        pooled_table = pooled.pooled(table)
    else:
        pooled_table = table
    if pooled_table is None or pooled_table.pool is None:
        return None
    for (name, pool_name), judges in pooled_table.pool.judges.items():
        if name == criterion and judge in (pool_name, *judges):
            return measure_pool(whole, criterion, judges).alpha
    return None


def _could_vanish(comparison: Comparison) -> bool:
    """Return whether the difference could be none, or reversed, if the judge had not failed to give some scores."""
    edges = comparison.bounds_interval
    return comparison.failing and (edges is None or edges[0] <= 0 <= edges[1])


def _compute_p(binary: bool, a: Any, b: Any, d: Any, clusters: Any) -> tuple[float, str]:
    import numpy as np

    from readback.stats import paired

    if binary and clusters is None and bool(np.isin(a, (0, 1)).all()) and bool(np.isin(b, (0, 1)).all()):
        return paired.mcnemar(int((d > 0).sum()), int((d < 0).sum())), "exact McNemar test"
    return paired.sign_flip(d, clusters)


def _compute_detectable(d: Any, clustered: Clustered | None) -> float | None:
    """Return the smallest detectable difference, by the error and the degrees of freedom of the interval.

    None where clusters are too few to have them.
    """
    import numpy as np

    from readback.stats import equivalence

    if clustered is None or clustered.design_effect == 0:
        return equivalence.compute_detectable_difference(float(np.std(d, ddof=1)), len(d))
    if not clustered.error or not clustered.df:
        return None
    return equivalence.compute_detectable_from_error(clustered.error, clustered.df)


def _compute_delta(a: Any, b: Any) -> float:
    import numpy as np

    from readback.stats import paired

    return paired.cliffs_delta(*np.unique(a, return_counts=True), *np.unique(b, return_counts=True))


def _to_span(interval: Any) -> Span | None:
    if interval is None:
        return None
    return (interval.low, interval.high)
