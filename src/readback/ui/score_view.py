"""The scores page's parts: what is chosen, the sentence with the numbers, the strip, the charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback import charts, scores, stats
from readback.criteria import MINUS, scale_text
from readback.rules import finding
from readback.score_table import ScoreTable
from readback.stats import Row
from readback.types import Criterion, Finding, Workspace
from readback.ui import address, show
from readback.ui.score_tables import door, mean
from readback.ui.words import t
from readback.ui.work import Job, wait

STYLE = Path(__file__).with_name("scores.css")
MOST = 12  # conditions that can be read as bars; with more the charts show one factor
KEEP = 4  # score tables being read or just read
NOTICED = 20  # findings listed on this page


def say(key: str, /, **values: Any) -> str:
    """A sentence of this page, for the charts."""
    return t(f"scores.{key}", **values)


def table_of(shop: Workspace) -> ScoreTable:
    """The workspace's scores; a large file is read in the background, with progress and a stop button."""
    key = scores.fingerprint(shop)
    made: ScoreTable | None = wait(_reading(key, shop), "scores.reading", "scores")
    if made is None:
        show.empty(t("scores.stopped"))
        if st.button(t("scores.again"), key="again_scores"):
            _reading.clear(key)
            st.rerun()
        st.stop()
    return made


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _reading(key: str, _shop: Workspace) -> Job:
    return Job(lambda progress: scores.load(_shop, progress))


def pick(key: str, label: str, options: Sequence[str], say: Callable[[str], str] = str, width: int = 240) -> str:
    """One of the options, the first by default, kept in the address; a single one needs no picker."""
    if len(options) < 2:
        return next(iter(options), "")
    address.follow(key, options[0], options)
    return str(
        st.selectbox(
            label, options, key=key, format_func=say, on_change=address.keep, args=(key, options[0]), width=width
        )
    )


def factor_name(factor: str) -> str:
    """A factor as the picker offers it; the empty one stands for no factor."""
    return t("scores.by_factor", factor=factor) if factor else t("scores.by_all")


def criteria(table: ScoreTable, shop: Workspace) -> tuple[str, ...]:
    """The criteria that have rows, the workspace's headline first."""
    names = table.columns.criteria
    return tuple(sorted(names, key=lambda name: shop.headline not in (name, name.removesuffix("_score"))))


def judges(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Who gave scores for this criterion."""
    return tuple(dict.fromkeys(row.judge for row in stats.rows(table, criterion=criterion)))


def names(table: ScoreTable, rows: Sequence[Row]) -> list[str]:
    """What the rows are called."""
    return [table.label(row.condition) for row in rows]


def ranked(rows: Sequence[Row], criterion: Criterion) -> tuple[Row, ...]:
    """The better means first, so that a chart of many reads from top to bottom."""
    sign = 1 if criterion.direction == "down" else -1
    return tuple(sorted(rows, key=lambda row: (row.mean is None, sign * (row.mean or 0))))


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
        high=table.label(high.condition), high_mean=mean(high.mean), high_n=high.n,
        low=table.label(low.condition), low_mean=mean(low.mean), low_n=low.n, **given,
    )  # fmt: skip
    down = f" {t('scores.down')}" if criterion.direction == "down" else ""
    return f"{said}{down} {t('scores.not_sure')}"


def synthetic(table: ScoreTable) -> str | None:
    """The warning that scores were made up, if any were."""
    files = [source.path for source in table.sources if source.synthetic]
    if not files:
        return None
    return t("scores.synthetic") if len(files) == len(table.sources) else t("scores.mixed", files=", ".join(files))


def strip(rows: Sequence[Row]) -> Markup:
    """Scored, failed, missing, not applicable: what became of every judgement there should be."""
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
    label = t("scores.strip", all=sum(counts.values()))
    return show.h('<dl class="rb-strip" aria-label="{}">{}</dl>', label, show.join(parts))


def meanings(criterion: Criterion) -> Markup:
    """The scale's values with what each means, the best first."""
    rows = sorted(criterion.meanings.items(), key=lambda pair: -float(pair[0]) if _numeric(pair[0]) else 0)
    items = [show.h("<dt>{}</dt><dd>{}</dd>", value.replace("-", MINUS), text) for value, text in rows]
    return show.h('<dl class="rb-meanings">{}</dl>', show.join(items))


def chart(made: charts.Chart, key: str, rows: Sequence[Row], table: ScoreTable) -> None:
    """Draw a chart; choosing a mark opens the scores behind it."""

    def open_records() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and 0 <= (at := round(float(points[0]["y"]))) < len(rows):
            address.put(of=door(table, rows[at].condition))

    st.plotly_chart(
        made.figure, key=key, alt=made.alt, theme=None, on_select=open_records, selection_mode="points",
        config={"displayModeBar": False, "displaylogo": False, "scrollZoom": False},
    )  # fmt: skip


def style() -> None:
    """The style of this page alone."""
    st.html(STYLE)


def dark() -> bool:
    """Whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


def noticed(table: ScoreTable) -> tuple[int, list[Finding]]:
    """How many findings the scores have, and the first of them."""
    notes = stats.notes(table)
    order = ("error", "warning", "info")
    found = sorted((finding(note) for note in notes), key=lambda one: order.index(one.severity))
    return len(found), found[:NOTICED]


def _mean(row: Row) -> float:
    return row.mean or 0.0


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
