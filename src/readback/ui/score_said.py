"""What the scores page says: the first sentence, the warning, the strip of counts, the meaning of a scale."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from readback.scores.criteria import MINUS, scale_text
from readback.scores.stats import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion
from readback.ui import show
from readback.ui.score_tables import mean
from readback.ui.words import t

FEW = 2  # factors that a sentence can name


def lead(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    """The first line: the numbers, and no more than they say."""
    given = {"criterion": criterion.name, "scale": scale_text(criterion)}
    scored = [row for row in rows if row.mean is not None]
    if not scored:
        return t("scores.lead_none", **given)
    high, low = max(scored, key=_mean), min(scored, key=_mean)
    if len(scored) == 1:
        return t("scores.lead_one", n=high.n, mean=mean(high.mean), **given)
    if mean(high.mean) == mean(low.mean):
        return f"{t('scores.lead_same', n=len(scored), mean=mean(high.mean), **given)} {t('scores.not_sure')}"
    said = t(
        "scores.lead",
        high=short(table, high.condition), high_mean=mean(high.mean), high_n=high.n,
        low=short(table, low.condition), low_mean=mean(low.mean), low_n=low.n, **given,
    )  # fmt: skip
    down = f" {t('scores.down')}" if criterion.direction == "down" else ""
    return f"{said}{down} {t('scores.not_sure')}"


def short(table: ScoreTable, condition: ConditionKey) -> str:
    """A condition in a sentence: with many factors only their values, which the table names."""
    pairs = [pair for pair in condition if pair[0] in table.varying]
    return " · ".join(value for _, value in pairs) if len(pairs) > FEW else table.label(condition)


def synthetic(table: ScoreTable) -> str | None:
    """The warning that scores were made up, if any were."""
    files = [source.path for source in table.sources if source.synthetic]
    if not files:
        return None
    return t("scores.synthetic") if len(files) == len(table.sources) else t("scores.mixed", files=", ".join(files))


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
