"""Draw one chart on Results: the figure, its sentence and method, and the ways to take it along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.as_csv import format_csv
from readback.bookmarks.markdown import line
from readback.scores.charts import Chart, build_toolbar_config, enlarge
from readback.scores.plain_table import format_markdown
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports, table
from readback.ui.common.draw.head import present
from readback.ui.common.draw.table import Column
from readback.ui.common.draw.text import bookmarks
from readback.ui.results import drilldown
from readback.words import t

Point = Mapping[str, Any]  # what Plotly says of a mark: x, y, customdata, curve_number
Target = Mapping[str, str | None]  # the parts of a drill-down
FindTarget = Callable[[Point], Target | None]  # the mark that was chosen -> the drill-down behind it
PICTURES = ("svg", "png")
FIRST = ("distribution", "differences", "means")  # charts that have full tables at the foot of the page
FORMAT = "picture_format"  # of the session: what the camera of a chart saves
COLLECTED = "results_charts"  # of the session: the charts of this run, for the one toolbar of the page
MOST = 200  # rows of a table under a chart


@dataclass(frozen=True, slots=True)
class Collected:
    """A chart on the page, with its words, for the toolbar."""

    key: str
    chart: Chart
    sentence: str
    method: str


def begin_page() -> None:
    """Forget the charts of the run before; for the page that has a toolbar."""
    st.session_state[COLLECTED] = []


def collect(key: str, chart: Chart, sentence: str, method: str = "") -> None:
    """Put what is drawn into the toolbar of the page."""
    st.session_state.setdefault(COLLECTED, []).append(Collected(key, chart, sentence, method))


def draw_toolbar() -> None:
    """Draw the one place from which every chart of the page is taken along; after all of them."""
    collected: list[Collected] = st.session_state.get(COLLECTED, [])
    if not collected:
        return
    with st.popover(t("scores.take"), key="take_open", type="tertiary"):
        for entry in collected:
            show.draw(show.h('<p class="rb-take">{}</p>', entry.chart.alt.partition(". ")[0].removesuffix(".")))
            _draw_downloads(entry)
        st.segmented_control(
            t("scores.picture"),
            PICTURES,
            default=PICTURES[0],
            key=FORMAT,
            required=True,
            format_func=lambda kind: t(f"scores.picture_{kind}"),
            help=t("scores.picture_help"),
        )


def draw_chart(
    key: str,
    chart: Chart,
    sentence: str,
    method: str = "",
    find_target: FindTarget | None = None,
    *,
    has_toolbar: bool = True,
) -> None:
    """Draw a chart with its sentence below; choosing a mark opens what is behind it.

    Where the page has no toolbar, the ways to take the chart along are below it.
    """

    def open_mark() -> None:
        points = st.session_state[f"chart_{key}"]["selection"]["points"]
        if not points or find_target is None:
            return
        target = find_target(points[0])
        if target is not None:
            drilldown.open_drilldown(**target)

    clicks: dict[str, Any] = {}
    if find_target is not None:
        clicks = {"on_select": open_mark, "selection_mode": "points"}
    kind = st.session_state.get(FORMAT) or PICTURES[0]
    if present.on():
        figure = enlarge(chart.figure, present.LARGER)
    else:
        figure = chart.figure
    config = build_toolbar_config(f"scores-{key}", kind)
    with st.container(key=f"wide_{key}"):
        st.plotly_chart(figure, key=f"chart_{key}", alt=chart.alt, theme=None, config=config, **clicks)
    show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small rb-how">{}</p>', sentence, method))
    if has_toolbar:
        collect(key, chart, sentence, method)
    else:
        _draw_downloads(Collected(key, chart, sentence, method))
    if key not in FIRST:
        with st.expander(t("scores.numbers")):
            _draw_numbers(chart, find_target)


def read_places(point: Point) -> tuple[int, ...]:
    """Return the place of what a mark stands for, as the chart was given it, or its row and column; () for neither."""
    data = point.get("customdata")
    if isinstance(data, list | tuple):
        entries = list(data)
    else:
        entries = [data]
    return tuple(int(entry) for entry in entries[:2] if isinstance(entry, int | float) and not isinstance(entry, bool))


def read_row(point: Point, count: int) -> int | None:
    """Return the place of what a mark stands for among `count` rows, or None."""
    places = read_places(point)
    if places and places[0] < count:
        return places[0]
    return None


def _draw_numbers(chart: Chart, find_target: FindTarget | None) -> None:
    """Draw the chart's table; what a mark opens is a link in its row, for those who have no mouse."""

    def link_first(row: Mapping[str, Any]) -> Markup | str:
        if find_target is not None:
            target = find_target({"customdata": row["place"]})
        else:
            target = None
        if target:
            return drilldown.link(row["0"], **target)
        return str(row["0"])

    columns = [Column("0", chart.table.columns[0], show=link_first)]
    for index, title in enumerate(chart.table.columns[1:], 1):
        is_number = not any(isinstance(row[index], str) for row in chart.table.rows)
        columns.append(Column(str(index), title, is_number))
    rows = []
    for row, place in zip(chart.table.rows[:MOST], chart.places, strict=False):
        rows.append({"place": place, **{str(index): cell for index, cell in enumerate(row)}})
    table.draw(columns, rows, t("scores.numbers"))
    if len(chart.table.rows) > MOST:
        st.caption(t("scores.chart_left", n=len(chart.table.rows) - MOST))


def _draw_downloads(entry: Collected) -> None:
    """Draw the ways to take a chart along: its words and table as Markdown, its table as CSV."""
    key, chart = entry.key, entry.chart
    words = "\n\n".join(line(text) for text in (entry.sentence, entry.method) if text)
    link = f"[{t('list.link')}](<{bookmarks.way('scores', **st.query_params.to_dict())}>)"
    text = f"{words}\n\n{format_markdown(chart.table)}\n{link}\n"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"take_{key}"):
        bookmarks.copy(key, text, "scores.md", t("scores.copy_markdown"))
        downloads.button(
            t("scores.download_csv"),
            lambda: format_csv(*chart.table),
            f"{exports.name('scores', key)}.csv",
            "text/csv",
            key=f"csv_{key}",
            on_click="ignore",
            type="tertiary",
        )
