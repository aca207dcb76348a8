"""What the scores page says of means: the sentence without a plan, the warnings, the strip of counts, the scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from readback.scores import report
from readback.scores.certainty import CONCENTRATED
from readback.scores.comparing.comparison import LOST
from readback.scores.criteria import MINUS, scale_text
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Criterion
from readback.ui.common import show
from readback.words import t

FEW_CLUSTERS = 10  # below it an interval over clusters rests on little
LISTED = 3  # conditions that lost many scores and are named for it, beside those with the highest and lowest mean
SMALL = 20  # scored answers below which the reader is reminded how few they are


def lead(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    """The range of the means, in words that promise nothing, and the few scores that widen an inferred scale."""
    said = _range(table, rows, criterion)
    apart = table.outlying.get(criterion.name)
    return said if apart is None else f"{said} {apart.sentence}"


def _range(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    """The range of the means."""
    scale = scale_text(criterion)
    if criterion.name in table.inferred:
        scale = t("scores.lead_inferred", scale=scale)
    given = {"criterion": criterion.name, "scale": scale}
    scored = [row for row in rows if row.mean is not None]
    if not scored:
        return t("scores.lead_none", **given)
    high, low = max(scored, key=_mean), min(scored, key=_mean)
    if len(scored) == 1:
        sure = t("scores.interval", **ends(high)) if high.span else t("scores.no_interval")
        numbers = {"n": high.n, "mean": mean(high.mean), "interval": sure}
        counts = {"failed": high.failed, "missing": high.missing}
        lost = ", ".join(t(f"scores.lead_{name}", n=n) for name, n in counts.items() if n)
        if lost:
            return t("scores.lead_one_lost", all=high.all, lost=lost, **numbers, **given)
        return t("scores.lead_one", **numbers, **given)
    uneven = [row for row in scored if row.failed + row.missing > LOST * row.all]
    if uneven:
        ends_of_range = (high, low)
        if high is low:  # all means are equal
            ends_of_range = (scored[0], scored[1])
        parts = "; ".join(
            t(
                "scores.lead_lost_row",
                name=report.short(table, row.condition),
                mean=mean(row.mean),
                n=row.n,
                all=row.all,
            )
            for row in dict.fromkeys((*ends_of_range, *uneven[:LISTED]))
        )
        return t("scores.lead_lost", rows=parts, **given)
    if mean(high.mean) == mean(low.mean):
        return t("scores.lead_same", n=len(scored), mean=mean(high.mean), **given)
    said = t(
        "scores.lead",
        high=report.short(table, high.condition), high_mean=mean(high.mean), high_n=high.n,
        low=report.short(table, low.condition), low_mean=mean(low.mean), low_n=low.n, **given,
    )  # fmt: skip
    down = f" {t('scores.down')}" if criterion.direction == "down" else ""
    return f"{said}{down}"


def ends(row: Row) -> dict[str, str]:
    """The ends of a mean's interval as text."""
    low, high = row.span or (None, None)
    return {"low": mean(low), "high": mean(high)}


def mean(value: float | None) -> str:
    """A mean as it is shown everywhere."""
    return show.number(value).replace("-", MINUS)


def synthetic(table: ScoreTable) -> str | None:
    """The warning that scores were made up, if any were."""
    files = [source.path for source in table.sources if source.synthetic]
    if not files:
        return None
    return t("scores.synthetic") if len(files) == len(table.sources) else t("scores.mixed", files=", ".join(files))


def warnings(rows: Sequence[Row]) -> Iterator[str]:
    """What makes the intervals less sure than they look, in one short sentence for each reason."""
    scored = [row for row in rows if row.n]
    single = [row for row in scored if row.share_of_one is not None and CONCENTRATED <= row.share_of_one < 1]
    if single:
        share = int(100 * CONCENTRATED)
        yield t("scores.concentrated", n=len(single), all=len(scored), share=share)
    beside = next((row for row in scored if row.interval_on_scale and row.interval), None)
    if beside is not None and beside.interval_on_scale is not None:
        low, high = beside.interval_on_scale
        name = " · ".join(value for _, value in beside.condition)
        yield t("scores.on_scale", name=name, low=mean(low), high=mean(high), t_low=ends(beside)["low"],
                t_high=ends(beside)["high"])  # fmt: skip
    few = [row.clusters for row in scored if row.interval_clustered and row.clusters and row.clusters < FEW_CLUSTERS]
    if few:
        yield t("scores.few_clusters", n=len(few), clusters=max(few))
    small = [row.n for row in scored if row.n < SMALL]
    if small:
        yield t("scores.small", n=len(small), most=max(small))


def strip(rows: Sequence[Row], judge: str) -> Markup:
    """Scored, failed, missing, not applicable: what became of every judgement there should be, and whose they are."""
    counts = {
        "scored": sum(row.n for row in rows),
        "failed": sum(row.failed for row in rows),
        "missing": sum(row.missing for row in rows),
        "na": sum(row.not_applicable for row in rows),
    }
    hints = {"scored": "", **{name: t(f"scores.strip_{name}") for name in ("failed", "missing", "na")}}
    parts = [
        show.h('<div title="{}"><dt>{}</dt><dd>{}</dd></div>', hints[name], t(f"scores.{name}"), show.number(n))
        for name, n in counts.items()
    ]
    if judge:
        parts.append(show.h("<div><dt>{}</dt><dd>{}</dd></div>", t("scores.by_judge"), judge))
    label = t("scores.strip", all=sum(counts.values()))
    return show.h('<dl class="rb-strip" aria-label="{}">{}</dl>', label, show.join(parts))


def meanings(criterion: Criterion) -> Markup:
    """The scale's values with what each means, the best first."""
    rows = sorted(criterion.meanings.items(), key=lambda pair: -float(pair[0]) if _numeric(pair[0]) else 0)
    items = [show.h("<dt>{}</dt><dd>{}</dd>", value.replace("-", MINUS), text) for value, text in rows]
    return show.h('<dl class="rb-meanings">{}</dl>', show.join(items))


def _mean(row: Row) -> float:
    return row.mean or 0.0


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
