"""Draw where the means lie: marks with intervals on the whole scale, for conditions, factors or judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import (
    Chart,
    Say,
    build_chart,
    build_table,
    find_axis_range,
    format_counts,
    format_decimals,
    format_interval,
    format_value,
)
from readback.scores.charts.marks import Dot, Kind, draw_dots
from readback.scores.charts.rows import FEW, add_unscored, arrange_rows, finish_rows
from readback.scores.charts.template import BETTER, GRID
from readback.scores.plain_table import PlainTable
from readback.scores.summary_row import Row
from readback.scores.values.criteria import scale_text
from readback.types import Criterion

MANY = 12  # values of a scale that are all written at its axis


def draw_means(rows: Sequence[Row], names: Sequence[str], criterion: Criterion, say: Say, dark: bool = False) -> Chart:
    """Draw the mean of each row on the whole scale, with the interval that pages use: the clustered one if there is."""
    title = say("alt_means", criterion=criterion.name, n=sum(row.n for row in rows))
    return _draw_means(title, rows, names, criterion, say, dark)


def draw_leniency(rows: Sequence[Row], criterion: Criterion, say: Say, dark: bool = False) -> Chart:
    """Draw how high each judge scores on the mean: one row for each judge of the same items."""
    names = [row.judge or say("no_judge") for row in rows]
    return _draw_means(say("chart_leniency", criterion=criterion.name), rows, names, criterion, say, dark)


def draw_effects(levels: Mapping[str, Sequence[Row]], criterion: Criterion, say: Say, dark: bool = False) -> Chart:
    """Draw the main effects: every value of every factor with its mean over all rows that share it, on one axis.

    `levels` has the rows of each factor's values. A mark's place counts through the factors one after another.
    """
    rows: list[Row] = []
    names: list[str] = []
    borders: list[int] = []
    for factor, factor_rows in levels.items():
        borders.append(len(rows))
        for row in factor_rows:
            rows.append(row)
            names.append(f"{factor} · {dict(row.condition).get(factor, '') or '–'}")
    return _draw_means(say("chart_effects", criterion=criterion.name), rows, names, criterion, say, dark, borders[1:])


def _draw_means(
    title: str,
    rows: Sequence[Row],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool,
    borders: Sequence[int] = (),
) -> Chart:
    """Draw one mark for each row, and a line before each of the rows that `borders` counts."""
    means = [f"{format_decimals(row.mean)} {format_interval(row.span, say)}".strip() for row in rows]
    counts = [format_counts(row, say) for row in rows]
    few = len(rows) <= FEW  # then there is room for the interval
    if few:
        texts = means
    else:
        texts = [format_decimals(row.mean) for row in rows]
    cells = [(mean, f"{row.n:,}") for mean, row in zip(texts, rows, strict=True)]
    hovers = [f"{mean} · {count}" for mean, count in zip(means, counts, strict=True)]
    arranged = arrange_rows(names, hovers, *add_unscored(cells, (say("mean"), say("n_title")), rows, say))

    def draw() -> go.Figure:
        figure = go.Figure()
        kind = Kind("", "diamond", BETTER[dark])
        dots = []
        for index, row in enumerate(rows):
            if row.mean is not None:
                dots.append(Dot(index, row.mean, row.span, kind, arranged.format_hover(index)))
        draw_dots(figure, arranged, dots)
        low, high = find_axis_range(criterion, [end for dot in dots for end in (dot.x, *(dot.span or ()))])
        set_scale_axis(figure, criterion, low, high)
        for border in borders:
            y = border - 0.5
            line = {"color": GRID[dark], "width": 2}
            figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=y, y1=y, line=line)
        return finish_rows(figure, arranged, dark, title, say("mean_axis", scale=scale_text(criterion)))

    sentences = [
        say("alt_mean", name=name, mean=mean, counts=count)
        for name, mean, count in zip(names, means, counts, strict=True)
    ]
    return build_chart(draw, title, sentences, _build_table(rows, names, say), say)


def set_scale_axis(figure: go.Figure, criterion: Criterion, low: float, high: float) -> None:
    """Give the axis its range with some room, and the values of a scale that has few as its numbers."""
    room = (high - low) * 0.04
    figure.update_xaxes(range=[low - room, high + room])
    if 0 < len(criterion.values) <= MANY:
        texts = [format_value(value) for value in criterion.values]
        figure.update_xaxes(tickvals=list(criterion.values), ticktext=texts)


def _build_table(rows: Sequence[Row], names: Sequence[str], say: Say) -> PlainTable:
    heads = ("condition", "mean", "chart_low", "chart_high", "chart_method", "n_title", "failed", "missing", "na")
    body = []
    for name, row in zip(names, rows, strict=True):
        low, high = row.span or (None, None)
        body.append((name, row.mean, low, high, row.span_method, row.n, row.failed, row.missing, row.not_applicable))
    return build_table(heads, body, say)
