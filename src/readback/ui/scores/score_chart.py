"""One chart on the scores page: the figure, its sentence and method, and the ways to take it along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.as_csv import format_csv
from readback.bookmarks.markdown import line
from readback.scores.charts import Chart, build_toolbar_config, enlarge
from readback.scores.export.as_markdown import markdown
from readback.ui.common import show
from readback.ui.common.draw import bookmarks, downloads, exports, present, table
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_drilldown_links
from readback.words import t

Point = Mapping[str, Any]  # what Plotly says of a mark: x, y, customdata, curve_number
PICTURES = ("svg", "png")
FIRST = ("distribution", "differences", "means")  # the charts at first sight, which have full tables below them
MOST = 200  # rows of a table under a chart
Opens = Callable[[Point], Mapping[str, str | None] | None]  # the mark that was chosen -> the drilldown behind it


def draw(key: str, made: Chart, said: str, how: str = "", opens: Opens | None = None) -> None:
    """Draw a chart with its sentence below; choosing a mark opens what is behind it."""

    def chosen() -> None:
        points = st.session_state[f"chart_{key}"]["selection"]["points"]
        if points and opens is not None and (to := opens(points[0])) is not None:
            score_drilldown_links.go(**to)

    clicks: dict[str, Any] = {"on_select": chosen, "selection_mode": "points"} if opens is not None else {}
    kind = st.session_state.get(f"picture_{key}") or PICTURES[0]
    figure = enlarge(made.figure, present.LARGER) if present.on() else made.figure
    with st.container(key=f"wide_{key}"):
        st.plotly_chart(
            figure,
            key=f"chart_{key}",
            alt=made.alt,
            theme=None,
            config=build_toolbar_config(f"scores-{key}", kind),
            **clicks,
        )
    show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small rb-how">{}</p>', said, how))
    _take(key, made, said, how)
    if key not in FIRST:
        with st.expander(t("scores.numbers")):
            _numbers(made, opens)


def _numbers(made: Chart, opens: Opens | None) -> None:
    """The chart's table; what a mark opens is a link in its row, for those who have no mouse."""

    def first(row: Mapping[str, Any]) -> Markup | str:
        drilldown = opens({"customdata": row["place"]}) if opens is not None else None
        return score_drilldown_links.link(row["0"], **drilldown) if drilldown else str(row["0"])

    columns = [Column("0", made.table.columns[0], show=first)]
    for at, title in enumerate(made.table.columns[1:], 1):
        columns.append(Column(str(at), title, not any(isinstance(row[at], str) for row in made.table.rows)))
    rows = [
        {"place": place, **{str(at): cell for at, cell in enumerate(row)}}
        for row, place in zip(made.table.rows[:MOST], made.places, strict=False)
    ]
    table.draw(columns, rows, t("scores.numbers"))
    if len(made.table.rows) > MOST:
        st.caption(t("scores.chart_left", n=len(made.table.rows) - MOST))


def _take(key: str, made: Chart, said: str, how: str = "") -> None:
    """Copy the sentence and the table as Markdown, download the table as CSV, choose what the camera saves."""
    words = "\n\n".join(line(text) for text in (said, how) if text)
    link = f"[{t('list.link')}](<{bookmarks.way('scores', **st.query_params.to_dict())}>)"
    text = f"{words}\n\n{markdown(made.table)}\n{link}\n"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"take_{key}"):
        bookmarks.copy(key, text, "scores.md", t("scores.copy_markdown"))
        downloads.button(
            t("scores.download_csv"), lambda: format_csv(*made.table), f"{exports.name('scores', key)}.csv", "text/csv",
            key=f"csv_{key}", on_click="ignore", type="tertiary",
        )  # fmt: skip
        st.segmented_control(
            t("scores.picture"), PICTURES, default=PICTURES[0], key=f"picture_{key}", required=True,
            format_func=lambda one: t(f"scores.picture_{one}"), help=t("scores.picture_help"),
        )  # fmt: skip


def place(point: Point) -> tuple[int, ...]:
    """Where the thing is that a mark is of, as the chart was given it: its place, or its row and column."""
    data = point.get("customdata")
    found = list(data) if isinstance(data, list | tuple) else [data]
    return tuple(int(one) for one in found[:2] if isinstance(one, int | float) and not isinstance(one, bool))
