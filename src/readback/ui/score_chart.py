"""One chart on the scores page: the figure, its sentence and method, and the ways to take it along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from readback.notes.markdown import line
from readback.scores.charts import Chart, toolbar
from readback.scores.copies.as_csv import csv_text
from readback.scores.copies.as_markdown import markdown
from readback.ui import exports, notes, score_doors, show
from readback.ui.words import t

Point = Mapping[str, Any]  # what Plotly says of a mark: x, y, customdata, curve_number
Opens = Callable[[Point], Mapping[str, str | None] | None]  # the mark that was chosen -> the door behind it


def draw(key: str, made: Chart, said: str, how: str = "", opens: Opens | None = None) -> None:
    """Draw a chart with its sentence below; choosing a mark opens what is behind it."""

    def chosen() -> None:
        points = st.session_state[f"chart_{key}"]["selection"]["points"]
        if points and opens is not None and (to := opens(points[0])) is not None:
            score_doors.go(**to)

    clicks: dict[str, Any] = {"on_select": chosen, "selection_mode": "points"} if opens is not None else {}
    st.plotly_chart(
        made.figure, key=f"chart_{key}", alt=made.alt, theme=None, config=toolbar(f"scores-{key}"), **clicks
    )
    show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small rb-how">{}</p>', said, how))
    _take(key, made, said, how)


def _take(key: str, made: Chart, said: str, how: str = "") -> None:
    """Copy the sentence and the table as Markdown, download the table as CSV."""
    words = "\n\n".join(line(text) for text in (said, how) if text)
    link = f"[{t('list.link')}](<{notes.way('scores', **st.query_params.to_dict())}>)"
    text = f"{words}\n\n{markdown(made.table)}\n{link}\n"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"take_{key}"):
        notes.copy(key, text, "scores.md", t("scores.copy_markdown"))
        st.download_button(
            t("scores.download_csv"), lambda: csv_text(made.table), f"{exports.name('scores', key)}.csv", "text/csv",
            key=f"csv_{key}", on_click="ignore", type="tertiary",
        )  # fmt: skip


def place(point: Point) -> tuple[int, ...]:
    """Where the thing stands that a mark is of, as the chart was given it: its place, or its row and column."""
    data = point.get("customdata")
    found = list(data) if isinstance(data, list | tuple) else [data]
    return tuple(int(one) for one in found[:2] if isinstance(one, int | float) and not isinstance(one, bool))
