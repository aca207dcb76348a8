"""A chart: a figure, the same in words, and its numbers as a table; and how its names and numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.template import CLEAR, EDGE, LINE, SOFT, TICKS, build_template
from readback.scores.plain_table import PlainTable
from readback.scores.summary_row import Row
from readback.scores.values.criteria import MINUS, number
from readback.types import Criterion

Say = Callable[..., str]  # the sentence of a key under `scores.`, with its places filled
Span = tuple[float, float]

LONG = 160  # characters of a name when pointed at
TOLD = 12  # marks that the words beside a picture tell one by one; the table has all
HEADING = 120  # characters of a line of the heading
WIDTH = 120  # characters of a line of a whole figure, on a page that is as narrow as they get
ENTRY = 7  # characters that the mark of an entry of the legend takes


@dataclass(frozen=True)
class Chart:
    """A figure, the same in words for those who do not see it, and its numbers.

    The first entry of every mark's `customdata` is the place of what it stands for in the sequence that was given (in
    a chart with rows and columns: the places of both). The figure is drawn when it is first asked for: a report takes
    the words and the numbers alone.
    """

    draw: Callable[[], Any]
    alt: str
    table: PlainTable
    places: tuple[tuple[int, ...], ...]  # of each row of the table, what its mark's `customdata` begins with

    @cached_property
    def figure(self) -> Any:
        """The Plotly figure."""
        return self.draw()


def build_chart(
    draw: Callable[[], Any],
    title: str,
    sentences: Sequence[str],
    table: PlainTable,
    say: Say,
    places: Sequence[tuple[int, ...]] | None = None,
) -> Chart:
    """Return the chart of the figure that `draw` makes; `sentences` tell its marks one by one.

    Without `places` each row of the table belongs to the mark of the same place.
    """
    if places is None:
        places = [(index,) for index in range(len(table.rows))]
    words = [title, *sentences[:TOLD]]
    if len(sentences) > TOLD:
        words.append(say("chart_more", n=len(sentences) - TOLD))
    return Chart(draw, " ".join(words), table, tuple(places))


def finish_figure(
    figure: go.Figure, title: str, subtitle: str, height: float, dark: bool, labels: int = 0
) -> go.Figure:
    """Give a figure the template, its heading (which a downloaded picture keeps) and its height.

    `height` is that of the plotted part in pixels; Plotly puts heading, legend and labels around it. `labels` are the
    characters that labels take on both sides of the plotted part: the legend is as wide as the rest.
    """
    names = [trace.name for trace in figure.data if trace.name and trace.showlegend is not False]
    if not names:  # a legend without entries is not drawn, and the heading is its title
        figure.add_scatter(x=[None], y=[None], mode="markers", marker={"color": CLEAR}, name=" ", hoverinfo="skip")
    lines = list(map(escape, wrap_name(title.removesuffix("."), HEADING, 4)))
    for line in wrap_name(subtitle, HEADING, 3) if subtitle else ():
        lines.append(f'<span style="color:{SOFT[dark]}">{escape(line)}</span>')
    across = max(1, (WIDTH - labels) // (ENTRY + max(map(len, names), default=0)))
    above = LINE * (len(lines) + max(1, -(-len(names) // across))) + TICKS
    figure.update_layout(
        template=build_template(dark),
        height=round(above + height + 2 * EDGE),
        legend_title_text="<br>".join(lines),
    )
    return figure


def format_counts(row: Row, say: Say) -> str:
    """Return n, and what is not scored by its kind, in words: on every mark."""
    kinds = (("n_failed", row.failed), ("n_missing", row.missing), ("n_na", row.not_applicable))
    return ", ".join((say("n", n=row.n), *(say(name, n=n) for name, n in kinds if n)))


def find_axis_range(criterion: Criterion, values: Sequence[float]) -> Span:
    """Return the ends of the axis: the whole scale, or the ends of the values where no scale is known."""
    low, high = criterion.low, criterion.high
    if low is not None and high is not None and low < high:
        return low, high
    ends = (*values, *(value for value in (low, high) if value is not None)) or (0.0,)
    if min(ends) < max(ends):
        return min(ends), max(ends)
    return min(ends) - 1, max(ends) + 1


def shorten_name(name: str, most: int = LONG) -> str:
    """Return a name as a figure shows it: short, on one line, and never read as markup."""
    flat = " ".join(name.split()) or "–"
    return escape(flat if len(flat) <= most else f"{flat[: most - 1]}…")


def wrap_name(name: str, width: int, most: int) -> list[str]:
    """Return a name on at most `most` lines of about `width` characters, broken where words, factors or parts end.

    What does not fit is cut, with an ellipsis. Not yet safe for a figure: see `escape`.
    """
    lines: list[str] = []
    rest = " ".join(name.split()) or "–"
    while rest and len(lines) < most - 1 and len(rest) > width:
        head, gap, _ = rest[: width + 3].rpartition(" · ")
        if gap and 2 * len(head) >= width:
            lines.append(head)
            rest = rest[len(head) + 3 :]
            continue
        end = max(rest.rfind(mark, 1, width) + 1 for mark in (" ", "_", "-", "/")) or width
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*lines, rest if len(rest) <= width else f"{rest[: max(width - 1, 1)]}…"]


def escape(text: str) -> str:
    """Return text that Plotly does not take for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def use_minus(text: str) -> str:
    """Return a number's text with a real minus sign."""
    return text.replace("-", MINUS)


def format_value(value: float) -> str:
    """Return a value of a scale as it is written."""
    return use_minus(number(value))


def format_decimals(value: float | None, places: int = 2) -> str:
    """Return a mean or a rate as it is written; a dash for None."""
    if value is None:
        return "–"
    return use_minus(f"{value:.{places}f}")


def format_signed(value: float | None, places: int = 2) -> str:
    """Return a difference with its sign; a dash for None."""
    if value is None:
        return "–"
    if round(value, places):
        return use_minus(f"{value:+.{places}f}")
    return f"{0:.{places}f}"


def format_interval(span: Span | None, say: Say, places: int = 2) -> str:
    """Return an interval in brackets, or "" for None."""
    if span is None:
        return ""
    return say("chart_span", low=format_decimals(span[0], places), high=format_decimals(span[1], places))


def round_values(values: Sequence[float]) -> list[float]:
    """Return numbers as exactly as a picture needs them: a fifth of the bytes."""
    return [round(value, 4) for value in values]


def build_table(keys: Sequence[str], rows: Sequence[tuple[Any, ...]], say: Say) -> PlainTable:
    """Return rows as a table whose columns are called by the sentences of `keys`."""
    return PlainTable(tuple(say(key) for key in keys), tuple(rows))
