"""Measure how far judges agree on one criterion: where they rated the same answers, and where they disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from readback.scores import summary
from readback.scores.agreement.corrected_rates import CorrectedRate, correct_rates
from readback.scores.agreement.judge_pairs import Confusion, Pair, choose_pair, compare_pairs, count_confusion
from readback.scores.agreement.ratings import Ratings, collect_ratings, is_person, mark_shared
from readback.scores.agreement.repeats import Flips, measure_flips
from readback.scores.table import NONE, SCORED, ConditionKey, ScoreTable
from readback.types import Criterion

MOST_DISPUTED = 20

if TYPE_CHECKING:
    from readback.stats.agreement import Metric


@dataclass(frozen=True, slots=True)
class Disputed:
    """Represent one answer on which judges disagree, with what each of them gave it."""

    item: str
    condition: ConditionKey
    run: str | None
    values: tuple[tuple[str, float], ...]
    spread: float  # highest − lowest; for names instead of amounts the share of pairs that differ
    variance: float


def count_disagreements(ratings: Ratings) -> int:
    """Return the number of units that did not get the same value from every judge."""
    low, high = _find_extremes(ratings)
    return int((high > low).sum())


def find_disputed(table: ScoreTable, ratings: Ratings, names_only: bool) -> Iterator[Disputed]:
    """Yield the units with the widest spread, then the largest variance, then in the order of the files.

    At most MOST_DISPUTED. `names_only`: the values are names, so their spread is the share of pairs that differ.
    """
    import numpy as np

    low, high = _find_extremes(ratings)
    raters = np.bincount(ratings.unit).astype(np.float64)
    if names_only:
        kinds, times = np.unique(np.stack([ratings.unit, ratings.value]), axis=1, return_counts=True)
        same = np.bincount(kinds[0].astype(np.int64), times.astype(np.float64) ** 2)
        spread = (raters**2 - same) / np.maximum(raters * (raters - 1), 1)
        variance = np.zeros(len(raters))
    else:
        mean = np.bincount(ratings.unit, ratings.value) / raters
        squares = np.bincount(ratings.unit, (ratings.value - mean[ratings.unit]) ** 2)
        spread = high - low
        variance = squares / np.maximum(raters - 1, 1)
    columns = table.columns
    for unit in np.lexsort((-variance, -spread))[:MOST_DISPUTED].tolist():
        if spread[unit] <= 0:
            continue
        rows = np.flatnonzero(ratings.unit == unit).tolist()
        run = int(ratings.run[unit])
        yield Disputed(
            item=columns.items[ratings.item[unit]],
            condition=columns.conditions[ratings.condition[unit]],
            run=None if run == NONE else columns.runs[run],
            values=tuple((ratings.judges[ratings.judge[row]], float(ratings.value[row])) for row in rows),
            spread=float(spread[unit]),
            variance=float(variance[unit]),
        )


def _find_extremes(ratings: Ratings) -> tuple[Any, Any]:
    """Return the lowest and the highest value of each unit."""
    import numpy as np

    low, high = np.full(len(ratings.item), np.inf), np.full(len(ratings.item), -np.inf)
    np.minimum.at(low, ratings.unit, ratings.value)
    np.maximum.at(high, ratings.unit, ratings.value)
    return low, high


MOST = 12  # judges whose pairs are listed

Why = Literal["one judge", "nothing shared"]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Counts:
    """Count one judge's cells in each of the four states."""

    judge: str
    person: bool
    n: int
    failed: int
    missing: int
    not_applicable: int


@dataclass(frozen=True, slots=True)
class Leniency:
    """Hold one judge's mean on the `n` units that others scored too, and how far it lies above theirs.

    `interval` is that of `deviation`, `mean_interval` that of `mean`.
    """

    judge: str
    n: int
    mean: float
    deviation: float
    interval: Span | None
    mean_interval: Span | None = None


@dataclass(frozen=True, slots=True)
class InCondition:
    """Hold the agreement on the answers of one condition, by the headline metric."""

    condition: ConditionKey
    units: int
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Hold the agreement of all judges on one criterion.

    `units` are answers with two ratings or more, `ratings` counts their ratings; `single` further units have one rating
    and say nothing about agreement.

    `alpha` holds the metrics that make sense on the scale, `headline` names the one that fits it, and `interval` is the
    interval of that one.
    `why` says why nothing could be compared; repeats of one judge (`flips`) are listed even then.
    """

    criterion: Criterion
    judges: tuple[Counts, ...]
    headline: Metric
    units: int = 0
    ratings: int = 0
    single: int = 0
    repeated: int = 0  # further scores of the same answer by the same judge, which do not count
    alpha: Mapping[str, float | None] = field(default_factory=dict)
    interval: Span | None = None
    method: str | None = None
    pairs: tuple[Pair, ...] = ()  # of the 12 judges with the most ratings; `every_pair` has all
    judges_left: int = 0  # judges beyond those
    raters: int = 0  # judges who rated an answer that another rated too
    confusion: Confusion | None = None
    leniency: tuple[Leniency, ...] = ()
    disagreed: int = 0  # units on which not all gave the same value
    disputed: tuple[Disputed, ...] = ()
    conditions: tuple[InCondition, ...] = ()
    flips: tuple[Flips, ...] = ()
    corrected: tuple[CorrectedRate, ...] = ()
    seed: int | None = None
    why: Why | None = None


@lru_cache(maxsize=16)  # pages ask the same of the same table at every rerun
def measure_agreement(
    table: ScoreTable, criterion: str, *, pair: tuple[str, str] | None = None, person: str | None = None
) -> Agreement:
    """Measure the agreement of all judges of a criterion, over all conditions and in each.

    `pair` chooses the judges of the confusion matrix (by default a person and a judge, or the two who share most
    units). `person` chooses whose labels correct a judge's rate (by default who gave most). Raises LookupError for a
    criterion or judge that is not in the table.
    """
    criterion = find_criterion(table, criterion)
    ratings, scale = collect_ratings(table, criterion), table.criteria[criterion]
    chosen_judges = list(pair or ())
    if person:
        chosen_judges.append(person)
    for name in chosen_judges:
        if name not in ratings.judges:
            raise LookupError(f"no judge is called '{name}'; there are: {', '.join(ratings.judges) or 'none'}")
    counts, headline = _count_states(table, criterion), choose_metric(scale)
    if not mark_shared(ratings).any():
        why: Why = "one judge" if len(ratings.judges) < 2 else "nothing shared"
        flips = measure_flips(table, criterion)
        return Agreement(scale, counts, headline, single=len(ratings.item), flips=flips, why=why)
    return _measure(table, scale, ratings, counts, headline, pair, person)


@dataclass(frozen=True, slots=True)
class Alpha:
    """Hold Krippendorff's alpha of some of the judges by the metric that fits the scale; None where it is undefined."""

    metric: Metric
    alpha: float | None = None
    interval: Span | None = None
    units: int = 0
    seed: int | None = None


@lru_cache(maxsize=32)
def measure_pool(table: ScoreTable, criterion: str, judges: tuple[str, ...]) -> Alpha:
    """Measure the agreement of these judges on the answers that two of them scored, as `measure_agreement` does."""
    import numpy as np

    from readback.stats.agreement import alpha, compute_alpha_interval
    from readback.stats.interval import SEED

    ratings, metric = collect_ratings(table, criterion), choose_metric(table.criteria[criterion])
    codes = [code for code, name in enumerate(ratings.judges) if name in judges]
    in_pool = np.isin(ratings.judge, codes)
    raters = np.bincount(ratings.unit[in_pool], minlength=len(ratings.item))
    compared = in_pool & (raters[ratings.unit] > 1)
    unit, value = ratings.unit[compared], ratings.value[compared]
    if not len(unit):
        return Alpha(metric)
    units = len(np.unique(unit))
    interval = compute_alpha_interval(unit, value, _assign_clusters(table, ratings)[unit], metric)
    if interval is None:
        return Alpha(metric, alpha(unit, value, metric), None, units, None)
    return Alpha(metric, alpha(unit, value, metric), (interval.low, interval.high), units, SEED)


@lru_cache(maxsize=8)
def list_pairs(table: ScoreTable, criterion: str) -> tuple[Pair, ...]:
    """Return all pairs of judges who share an answer, however many there are. Raises LookupError for a criterion."""
    criterion = find_criterion(table, criterion)
    ratings, scale = collect_ratings(table, criterion), table.criteria[criterion]
    return tuple(compare_pairs(ratings, range(len(ratings.judges)), scale, choose_metric(scale)))


def find_criterion(table: ScoreTable, criterion: str) -> str:
    """Return the criterion's name as its column has it; the ending `_score` may be left out. Raises LookupError."""
    names = table.columns.criteria
    if criterion in names:
        return criterion
    for name in names:
        if criterion == name.removesuffix("_score"):
            return name
    raise LookupError(f"no criterion is called '{criterion}'; there are: {', '.join(names) or 'none'}")


@lru_cache(maxsize=8)
def list_measurable(table: ScoreTable) -> tuple[str, ...]:
    """Return the criteria that two judges or more have scored, or one judge more than once."""
    import numpy as np

    columns = table.columns
    scored = np.frombuffer(columns.state, np.uint8) == SCORED
    scored_by = np.stack([np.asarray(columns.criterion)[scored], np.asarray(columns.judge)[scored]])
    judge_counts = np.bincount(np.unique(scored_by, axis=1)[0], minlength=len(columns.criteria)).tolist()
    counted = zip(columns.criteria, judge_counts, strict=True)
    return tuple(name for name, judges in counted if judges > 1 or measure_flips(table, name))


def _measure(
    table: ScoreTable,
    scale: Criterion,
    ratings: Ratings,
    counts: tuple[Counts, ...],
    headline: Metric,
    pair: tuple[str, str] | None,
    person: str | None,
) -> Agreement:
    import numpy as np

    from readback.stats.agreement import alpha, compute_alpha_interval
    from readback.stats.interval import SEED

    shared = mark_shared(ratings)
    unit, value = ratings.unit[shared], ratings.value[shared]
    interval = compute_alpha_interval(unit, value, _assign_clusters(table, ratings)[unit], headline)
    ratings_of_judge = np.bincount(ratings.judge[shared], minlength=len(ratings.judges))
    listed = sorted(np.argsort(-ratings_of_judge, kind="stable")[:MOST].tolist())
    pairs = tuple(compare_pairs(ratings, listed, scale, headline))
    confused = pair or choose_pair(pairs, table.people)
    units = len(np.unique(unit))
    return Agreement(
        scale,
        counts,
        headline,
        units=units,
        ratings=len(unit),
        single=len(ratings.item) - units,
        repeated=ratings.repeated,
        alpha={metric: alpha(unit, value, metric) for metric in _list_metrics(scale)},
        interval=(interval.low, interval.high) if interval else None,
        method=interval.method if interval else None,
        pairs=pairs,
        judges_left=len(ratings.judges) - len(listed),
        raters=len(ratings.judges),
        confusion=count_confusion(ratings, confused, scale) if confused else None,
        leniency=() if scale.scale == "nominal" else tuple(_measure_leniency(ratings, shared)),
        disagreed=count_disagreements(ratings),
        disputed=tuple(find_disputed(table, ratings, scale.scale == "nominal")),
        conditions=tuple(_measure_conditions(table, ratings, shared, headline)),
        flips=measure_flips(table, scale.name),
        corrected=correct_rates(table, ratings, person) if scale.scale == "binary" else (),
        seed=SEED if interval else None,
    )


def choose_metric(scale: Criterion) -> Metric:
    """Return the distance that fits the scale: names differ or not, grades have an order, measures have distances."""
    match scale.scale:
        case "binary" | "nominal":
            return "nominal"
        case "ordinal":
            return "ordinal"
        case _:
            return "interval"


def _list_metrics(scale: Criterion) -> tuple[Metric, ...]:
    """Return the metrics that make sense on a scale."""
    if scale.scale == "nominal":
        return ("nominal",)
    if scale.scale in ("numeric", "unknown"):
        return ("ordinal", "interval")
    return ("nominal", "ordinal", "interval")


def _count_states(table: ScoreTable, criterion: str) -> tuple[Counts, ...]:
    """Return the states of each judge's cells under a criterion, summed over all conditions."""
    states_by_judge: dict[str, list[int]] = {}
    for row in summary.rows(table, None, criterion):
        if row.criterion == criterion:
            states = states_by_judge.setdefault(row.judge, [0, 0, 0, 0])
            for position, count in enumerate((row.n, row.failed, row.missing, row.not_applicable)):
                states[position] += count
    return tuple(Counts(judge, is_person(judge, table.people), *states) for judge, states in states_by_judge.items())


def _assign_clusters(table: ScoreTable, ratings: Ratings) -> Any:
    """Return for each rated unit the number of the group that is resampled with it.

    It is the cluster of the unit's item where the score file names one for every rated item, else the item itself.
    """
    import numpy as np

    columns = table.columns
    cluster, item = np.asarray(columns.cluster), np.asarray(columns.item)
    cluster_of_item = np.full(len(columns.items), NONE, np.int64)
    cluster_of_item[item[cluster != NONE]] = cluster[cluster != NONE]
    clusters = cluster_of_item[ratings.item]
    if bool((clusters != NONE).all()):
        return clusters
    return ratings.item


def _measure_leniency(ratings: Ratings, shared: Any) -> Iterator[Leniency]:
    import numpy as np

    raters = np.bincount(ratings.unit)
    total = np.bincount(ratings.unit, ratings.value)
    for code, judge in enumerate(ratings.judges):
        by_judge = shared & (ratings.judge == code)
        unit, value = ratings.unit[by_judge], ratings.value[by_judge]
        if not len(unit):
            continue
        deviation = value - (total[unit] - value) / (raters[unit] - 1)
        item = ratings.item[unit]
        yield Leniency(
            judge=judge,
            n=len(unit),
            mean=float(value.mean()),
            deviation=float(deviation.mean()),
            interval=_compute_mean_span(deviation, item),
            mean_interval=_compute_mean_span(value, item),
        )


def _compute_mean_span(values: Any, items: Any) -> Span | None:
    """Return the interval of a mean of answers; over items, where an item has several."""
    import numpy as np

    from readback.stats.interval import compute_clustered_interval, compute_mean_interval

    if len(np.unique(items)) < len(items):
        interval = compute_clustered_interval(values, items).interval
    else:
        interval = compute_mean_interval(*np.unique(values, return_counts=True))
    if interval:
        return (interval.low, interval.high)
    return None


def _measure_conditions(table: ScoreTable, ratings: Ratings, shared: Any, headline: Metric) -> Iterator[InCondition]:
    import numpy as np

    from readback.stats.agreement import alpha

    codes = ratings.condition[ratings.unit]
    for code in np.unique(codes[shared]).tolist():
        in_condition = shared & (codes == code)
        unit = ratings.unit[in_condition]
        key = table.columns.conditions[code]
        yield InCondition(key, len(np.unique(unit)), alpha(unit, ratings.value[in_condition], headline))
