"""The scores page's parts: what is chosen, the rows and charts that come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from readback.rules import finding
from readback.scores import charts, stats
from readback.scores import loading as scores
from readback.scores.stats import Row
from readback.scores.table import ScoreTable
from readback.types import Criterion, Finding, Workspace
from readback.ui import address, show
from readback.ui.score_tables import door
from readback.ui.words import t
from readback.ui.work import Job, wait

STYLE = Path(__file__).with_name("score_view.css")
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


@dataclass(frozen=True, slots=True)
class View:
    """`rows` are the conditions, `shown` what the charts draw, `said` says why; `many`: the table goes first."""

    rows: tuple[Row, ...]
    shown: tuple[Row, ...]
    said: str = ""
    many: bool = False


def view(table: ScoreTable, criterion: Criterion, judge: str, by: str) -> View:
    """What is on the page: every condition, one factor, or a part that can be read as bars; the better means first."""
    rows = ranked(stats.rows(table, None, criterion.name, judge), criterion)
    if by:
        return View(
            rows, ranked(stats.rows(table, by, criterion.name, judge), criterion), t("scores.effect", factor=by)
        )
    if len(rows) <= MOST:
        return View(rows, rows)
    if len(table.varying) > 1:
        factor = table.varying[0]
        shown = ranked(stats.rows(table, factor, criterion.name, judge), criterion)
        return View(rows, shown, t("scores.many", n=len(rows), factor=factor), many=True)
    half = MOST // 2
    return View(rows, (*rows[:half], *rows[-half:]), t("scores.many_ends", n=len(rows), half=half), many=True)


def ranked(rows: Sequence[Row], criterion: Criterion) -> tuple[Row, ...]:
    """The better means first, so that many read from top to bottom."""
    sign = 1 if criterion.direction == "down" else -1
    return tuple(sorted(rows, key=lambda row: (row.mean is None, sign * (row.mean or 0))))


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
