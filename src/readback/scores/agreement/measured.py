"""How far judges agree on one criterion: where they rated the same answers, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from readback.scores import summary
from readback.scores.agreement.corrected_rates import CorrectedRate, corrected_rates
from readback.scores.agreement.disputed import Disputed, disagreed, disputed
from readback.scores.agreement.judge_pairs import Confusion, Pair, chosen, confusion, pairs
from readback.scores.agreement.ratings import Ratings, is_person, ratings, shared
from readback.scores.agreement.repeats import Flips, flips
from readback.scores.table import NONE, SCORED, ConditionKey, ScoreTable
from readback.types import Criterion

if TYPE_CHECKING:
    from readback.stats.agreement import Metric

MOST = 12  # judges whose pairs are listed

Why = Literal["one judge", "nothing shared"]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Counts:
    """One judge's cells in their four states."""

    judge: str
    person: bool
    n: int
    failed: int
    missing: int
    not_applicable: int


@dataclass(frozen=True, slots=True)
class Leniency:
    """One judge's mean on the `n` units that others scored too, and how far above the others it lies there.

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
    """Agreement on the answers of one condition, by the headline metric."""

    condition: ConditionKey
    units: int
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """`units` have two ratings or more, `ratings` in all; `single` further units have one and say nothing here.

    `alpha` holds the metrics that make sense on the scale, `headline` names the one that fits it; `interval` is its.
    `why` says why nothing could be compared; repeats of one judge (`flips`) are there all the same.
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
def agreement(
    table: ScoreTable, criterion: str, *, pair: tuple[str, str] | None = None, person: str | None = None
) -> Agreement:
    """Agreement of all judges of a criterion, over all conditions and in each.

    `pair` chooses the confusion matrix (else a person and a judge, or the two with most shared units), `person` whose
    labels a judge is corrected by (else who gave most). Raises LookupError for a name that is not there.
    """
    criterion = named(table, criterion)
    found, scale = ratings(table, criterion), table.criteria[criterion]
    for name in (*(pair or ()), *((person,) if person else ())):
        if name not in found.judges:
            raise LookupError(f"no judge is called '{name}'; there are: {', '.join(found.judges) or 'none'}")
    counts, headline = _counts(table, criterion), _headline(scale)
    if not shared(found).any():
        why: Why = "one judge" if len(found.judges) < 2 else "nothing shared"
        return Agreement(scale, counts, headline, single=len(found.item), flips=flips(table, criterion), why=why)
    return _agreement(table, scale, found, counts, headline, pair, person)


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha of some of the judges by the metric that fits the scale; None where it is not defined."""

    metric: Metric
    alpha: float | None = None
    interval: Span | None = None
    units: int = 0
    seed: int | None = None


@lru_cache(maxsize=32)
def of_pool(table: ScoreTable, criterion: str, judges: tuple[str, ...]) -> Alpha:
    """The agreement of these judges on the answers that two of them scored, as `agreement` has it of all judges."""
    import numpy as np

    from readback.stats.agreement import alpha, compute_alpha_interval
    from readback.stats.interval import SEED

    found, metric = ratings(table, criterion), _headline(table.criteria[criterion])
    among = np.isin(found.judge, [at for at, name in enumerate(found.judges) if name in judges])
    here = among & (np.bincount(found.unit[among], minlength=len(found.item))[found.unit] > 1)
    unit, value = found.unit[here], found.value[here]
    if not len(unit):
        return Alpha(metric)
    span = compute_alpha_interval(unit, value, _clusters(table, found)[unit], metric)
    ends = (span.low, span.high) if span else None
    return Alpha(metric, alpha(unit, value, metric), ends, len(np.unique(unit)), SEED if span else None)


@lru_cache(maxsize=8)
def every_pair(table: ScoreTable, criterion: str) -> tuple[Pair, ...]:
    """All pairs of judges who share an answer, however many judges there are. Raises LookupError for a criterion."""
    criterion = named(table, criterion)
    found, scale = ratings(table, criterion), table.criteria[criterion]
    return tuple(pairs(found, range(len(found.judges)), scale, _headline(scale)))


def named(table: ScoreTable, criterion: str) -> str:
    """The criterion's name as its column has it; the ending `_score` may be left out. Raises LookupError."""
    known = table.columns.criteria
    found = [name for name in known if criterion in (name, name.removesuffix("_score"))]
    if not found:
        raise LookupError(f"no criterion is called '{criterion}'; there are: {', '.join(known) or 'none'}")
    return criterion if criterion in found else found[0]


@lru_cache(maxsize=8)
def possible(table: ScoreTable) -> tuple[str, ...]:
    """The criteria that two judges or more have scored, or one judge more than once."""
    import numpy as np

    c = table.columns
    scored = np.frombuffer(c.state, np.uint8) == SCORED
    pairs_of = np.unique(np.stack([np.asarray(c.criterion)[scored], np.asarray(c.judge)[scored]]), axis=1)
    judges = np.bincount(pairs_of[0], minlength=len(c.criteria)).tolist()
    return tuple(name for name, many in zip(c.criteria, judges, strict=True) if many > 1 or flips(table, name))


def _agreement(
    table: ScoreTable, scale: Criterion, found: Ratings, counts: tuple[Counts, ...], headline: Metric,
    pair: tuple[str, str] | None, person: str | None,
) -> Agreement:  # fmt: skip
    import numpy as np

    from readback.stats.agreement import alpha, compute_alpha_interval
    from readback.stats.interval import SEED

    both = shared(found)
    unit, value = found.unit[both], found.value[both]
    span = compute_alpha_interval(unit, value, _clusters(table, found)[unit], headline)
    often = np.bincount(found.judge[both], minlength=len(found.judges))
    listed = sorted(np.argsort(-often, kind="stable")[:MOST].tolist())
    side_by_side = tuple(pairs(found, listed, scale, headline))
    two = pair or chosen(side_by_side, table.people)
    return Agreement(
        scale, counts, headline,
        units=len(np.unique(unit)), ratings=len(unit), single=len(found.item) - len(np.unique(unit)),
        repeated=found.repeated,
        alpha={metric: alpha(unit, value, metric) for metric in _metrics(scale)},
        interval=(span.low, span.high) if span else None,
        method=span.method if span else None,
        pairs=side_by_side,
        judges_left=len(found.judges) - len(listed),
        raters=len(found.judges),
        confusion=confusion(found, two, scale) if two else None,
        leniency=() if scale.scale == "nominal" else tuple(_leniency(found, both)),
        disagreed=disagreed(found),
        disputed=tuple(disputed(table, found, scale.scale == "nominal")),
        conditions=tuple(_by_condition(table, found, both, headline)),
        flips=flips(table, scale.name),
        corrected=corrected_rates(table, found, person) if scale.scale == "binary" else (),
        seed=SEED if span else None,
    )  # fmt: skip


def _headline(scale: Criterion) -> Metric:
    """The distance that fits the scale: names differ or not, grades have an order, measures have distances."""
    match scale.scale:
        case "binary" | "nominal":
            return "nominal"
        case "ordinal":
            return "ordinal"
        case _:
            return "interval"


def _metrics(scale: Criterion) -> tuple[Metric, ...]:
    if scale.scale == "nominal":
        return ("nominal",)
    return ("ordinal", "interval") if scale.scale in ("numeric", "unknown") else ("nominal", "ordinal", "interval")


def _counts(table: ScoreTable, criterion: str) -> tuple[Counts, ...]:
    by: dict[str, list[int]] = {}
    for row in summary.rows(table, None, criterion):
        if row.criterion == criterion:
            states = by.setdefault(row.judge, [0, 0, 0, 0])
            for at, more in enumerate((row.n, row.failed, row.missing, row.not_applicable)):
                states[at] += more
    return tuple(Counts(judge, is_person(judge, table.people), *states) for judge, states in by.items())


def _clusters(table: ScoreTable, found: Ratings) -> Any:
    """For each unit what it is resampled with: its cluster where the file names one for every item, else its item."""
    import numpy as np

    c = table.columns
    cluster, item = np.asarray(c.cluster), np.asarray(c.item)
    of_item = np.full(len(c.items), NONE, np.int64)
    of_item[item[cluster != NONE]] = cluster[cluster != NONE]
    known = of_item[found.item]
    return known if bool((known != NONE).all()) else found.item


def _leniency(found: Ratings, both: Any) -> Iterator[Leniency]:
    import numpy as np

    many = np.bincount(found.unit)
    total = np.bincount(found.unit, found.value)
    for code, judge in enumerate(found.judges):
        here = both & (found.judge == code)
        unit, value = found.unit[here], found.value[here]
        if not len(unit):
            continue
        off = value - (total[unit] - value) / (many[unit] - 1)
        spans = [_span(one, found.item[unit]) for one in (off, value)]
        yield Leniency(judge, len(unit), float(value.mean()), float(off.mean()), *spans)


def _span(values: Any, items: Any) -> Span | None:
    """The interval of a mean of answers; over items, where an item has several."""
    import numpy as np

    from readback.stats.interval import compute_clustered_interval, compute_mean_interval

    if len(np.unique(items)) < len(items):
        span = compute_clustered_interval(values, items).interval
    else:
        span = compute_mean_interval(*np.unique(values, return_counts=True))
    return (span.low, span.high) if span else None


def _by_condition(table: ScoreTable, found: Ratings, both: Any, headline: Metric) -> Iterator[InCondition]:
    import numpy as np

    from readback.stats.agreement import alpha

    codes = found.condition[found.unit]
    for code in np.unique(codes[both]).tolist():
        here = both & (codes == code)
        unit = found.unit[here]
        key = table.columns.conditions[code]
        yield InCondition(key, len(np.unique(unit)), alpha(unit, found.value[here], headline))
