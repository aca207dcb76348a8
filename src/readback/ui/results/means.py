"""Say on Results what means are: the sentence without a plan, warnings, the strip of counts, the scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores.certainty import CONCENTRATED, is_too_narrow
from readback.scores.comparing.comparison import LOST
from readback.scores.sentences import report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import MINUS, scale_text
from readback.types import Criterion
from readback.ui.common import show
from readback.words import t

FEW_CLUSTERS = 10  # below it an interval over clusters rests on little
LISTED = 3  # conditions that lost many scores and are named for it, beside those with the highest and lowest mean
SMALL = 20  # scored answers below which the reader is reminded how few they are


def explain_unscored(row: Row | None) -> str:
    """Return in a few words why a condition has no mean: no file has a row of it, or what became of its rows."""
    if row is None or not (row.failed or row.missing or row.not_applicable):
        return t("scores.unscored_absent")
    states = (("failed", row.failed), ("missing", row.missing), ("na", row.not_applicable))
    return ", ".join(t(f"scores.unscored_{state}", n=n) for state, n in states if n)


def format_lead(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    """Return the range of the means, in words that promise nothing, and the few scores that widen an inferred scale."""
    sentence = _format_range(table, rows, criterion)
    outlying = table.outlying.get(criterion.name)
    if outlying is None:
        return sentence
    return f"{sentence} {outlying.sentence}"


def _format_range(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    scale = scale_text(criterion)
    if criterion.name in table.inferred:
        scale = t("scores.lead_inferred", scale=scale)
    values = {"criterion": criterion.name, "scale": scale}
    scored = [row for row in rows if row.mean is not None]
    if not scored:
        return t("scores.lead_none", **values)
    if len(scored) == 1:
        return _format_single(scored[0], values)
    high, low = max(scored, key=_get_mean), min(scored, key=_get_mean)
    uneven = [row for row in scored if row.failed + row.missing > LOST * row.all]
    if uneven:
        # all means may be equal
        if high is low:
            ends = (scored[0], scored[1])
        else:
            ends = (high, low)
        parts = []
        for row in dict.fromkeys((*ends, *uneven[:LISTED])):
            name = report.short(table, row.condition)
            parts.append(t("scores.lead_lost_row", name=name, mean=format_mean(row.mean), n=row.n, all=row.all))
        return t("scores.lead_lost", rows="; ".join(parts), **values)
    high_mean, low_mean = format_mean(high.mean), format_mean(low.mean)
    if high_mean == low_mean:
        return t("scores.lead_same", n=len(scored), mean=high_mean, **values)
    sentence = t(
        "scores.lead",
        high=report.short(table, high.condition),
        high_mean=high_mean,
        high_n=high.n,
        low=report.short(table, low.condition),
        low_mean=low_mean,
        low_n=low.n,
        **values,
    )
    if criterion.direction == "down":
        return f"{sentence} {t('scores.down')}"
    return sentence


def _format_single(row: Row, values: dict[str, str]) -> str:
    if row.span:
        interval = t("scores.interval", **format_ends(row))
    else:
        interval = t("scores.no_interval")
    numbers = {"n": row.n, "mean": format_mean(row.mean), "interval": interval}
    counts = {"failed": row.failed, "missing": row.missing}
    unscored = ", ".join(t(f"scores.lead_{name}", n=n) for name, n in counts.items() if n)
    if unscored:
        return t("scores.lead_one_lost", all=row.all, lost=unscored, **numbers, **values)
    return t("scores.lead_one", **numbers, **values)


def format_ends(row: Row) -> dict[str, str]:
    """Return the ends of a mean's interval as text."""
    low, high = row.span or (None, None)
    return {"low": format_mean(low), "high": format_mean(high)}


def format_mean(value: float | None) -> str:
    """Return a mean as it is written everywhere."""
    return show.number(value).replace("-", MINUS)


def format_synthetic(table: ScoreTable) -> str | None:
    """Return the warning that scores were made up, or None if none were."""
    files = [source.path for source in table.sources if source.synthetic]
    if not files:
        return None
    if len(files) == len(table.sources):
        return t("scores.synthetic_here")
    return t("scores.mixed", files=", ".join(files))


def list_warnings(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what makes the intervals less certain than they look, in one short sentence for each reason."""
    scored = [row for row in rows if row.n]
    single = [row for row in scored if is_too_narrow(row.share_of_one, row.method)]
    if single:
        yield t("scores.concentrated", n=len(single), all=len(scored), share=int(100 * CONCENTRATED))
    for row in scored:
        if row.interval_on_scale and row.interval:
            low, high = map(format_mean, row.interval_on_scale)
            ends = {f"t_{name}": text for name, text in format_ends(row).items()}
            name = " · ".join(value for _, value in row.condition)
            yield t("scores.on_scale", name=name, low=low, high=high, **ends)
            break
    few = [row.clusters for row in scored if row.interval_clustered and row.clusters and row.clusters < FEW_CLUSTERS]
    if few:
        yield t("scores.few_clusters", n=len(few), clusters=max(few))
    small = [row.n for row in scored if row.n < SMALL]
    if small:
        yield t("scores.small", n=len(small), most=max(small))


def render_strip(rows: Sequence[Row], judge: str) -> Markup:
    """Return the strip of counts: what became of every judgement there should be, and whose they are."""
    counts = {
        "scored": sum(row.n for row in rows),
        "failed": sum(row.failed for row in rows),
        "missing": sum(row.missing for row in rows),
        "na": sum(row.not_applicable for row in rows),
    }
    entries = []
    for name, n in counts.items():
        if name == "scored":
            hint = ""
        else:
            hint = t(f"scores.strip_{name}")
        entries.append((hint, t(f"scores.{name}"), show.number(n)))
    label = t("scores.strip", all=sum(counts.values()))
    return render_template("ui/results/strip.html.jinja", t=t, label=label, entries=entries, judge=judge)


def render_meanings(criterion: Criterion) -> Markup:
    """Return the scale's values with what each means, the best first."""
    meanings = sorted(criterion.meanings.items(), key=lambda pair: -_parse_number(pair[0]))
    items = [show.h("<dt>{}</dt><dd>{}</dd>", value.replace("-", MINUS), text) for value, text in meanings]
    return show.h('<dl class="rb-meanings">{}</dl>', show.join(items))


def _get_mean(row: Row) -> float:
    return row.mean or 0.0


def _parse_number(text: str) -> float:
    """Return the number that a text is, or 0."""
    try:
        return float(text)
    except ValueError:
        return 0.0
