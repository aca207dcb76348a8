"""Draw which findings go with lower scores: records with a finding against those without, for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import (
    Chart,
    Say,
    Span,
    build_chart,
    build_table,
    format_decimals,
    format_interval,
    format_signed,
)
from readback.scores.charts.marks import Dot, Kind, draw_dots
from readback.scores.charts.rows import arrange_rows, draw_vertical_line, finish_rows
from readback.scores.charts.template import BETTER, INK, PLAIN, WORSE
from readback.scores.values.criteria import scale_text
from readback.types import Criterion

SIDE = 0.2  # of the longer side of the axis that the other side of zero has at least


class Cost(Protocol):
    """What is drawn of a finding's cost: mean(with) − mean(without) in one condition, its interval, both counts."""

    @property
    def n_with(self) -> int:
        """Return how many records with the finding were scored."""

    @property
    def n_without(self) -> int:
        """Return how many records without it were scored."""

    @property
    def mean_with(self) -> float | None:
        """Return the mean of those with it, or None."""

    @property
    def mean_without(self) -> float | None:
        """Return the mean of those without it, or None."""

    @property
    def difference(self) -> float | None:
        """Return mean_with − mean_without, or None."""

    @property
    def interval(self) -> Span | None:
        """Return the interval of the difference, or None."""


def draw_costs(
    costs: Sequence[Cost], names: Sequence[str], criterion: Criterion, say: Say, dark: bool = False
) -> Chart:
    """Draw a row for each finding and condition; an interval that does not hold zero is filled, the others are open."""
    counts = [_format_counts(cost, say) for cost in costs]
    cells = [(format_signed(cost.difference), f"{cost.n_with:,}", f"{cost.n_without:,}") for cost in costs]
    heads = [say(head) for head in ("chart_by", "chart_n_with", "chart_n_without")]
    rows = arrange_rows(names, counts, cells, heads)
    title = say("chart_costs", criterion=criterion.name)

    def draw() -> go.Figure:
        figure = go.Figure()
        dots = []
        for index, cost in enumerate(costs):
            if cost.difference is not None:
                kind = _choose_kind(cost, cost.difference, criterion, say, dark)
                dots.append(Dot(index, cost.difference, cost.interval, kind, rows.format_hover(index)))
        draw_dots(figure, rows, dots)
        ends = [0.0, *(end for dot in dots for end in (dot.x, *(dot.span or ())))]
        least = SIDE * (max(map(abs, ends)) or 1.0)
        figure.update_xaxes(range=[min(*ends, -least) * 1.06, max(*ends, least) * 1.06])
        draw_vertical_line(figure, rows, 0, dark)
        subtitle = say("chart_costs_axis", criterion=criterion.name, scale=scale_text(criterion))
        return finish_rows(figure, rows, dark, title, subtitle)

    columns = (
        "chart_finding",
        "chart_difference",
        "chart_low",
        "chart_high",
        "chart_with",
        "chart_n_with",
        "chart_without",
        "chart_n_without",
    )
    body = []
    for name, cost in zip(names, costs, strict=True):
        low, high = cost.interval or (None, None)
        sides = cost.mean_with, cost.n_with, cost.mean_without, cost.n_without
        body.append((name, cost.difference, low, high, *sides))
    sentences = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    return build_chart(draw, title, sentences, build_table(columns, body, say), say)


def _format_counts(cost: Cost, say: Say) -> str:
    difference = f"{format_signed(cost.difference)} {format_interval(cost.interval, say)}".strip()
    sides = say(
        "chart_sides",
        with_it=format_decimals(cost.mean_with),
        n_with=cost.n_with,
        without=format_decimals(cost.mean_without),
        n_without=cost.n_without,
    )
    return f"{difference} · {sides}"


def _choose_kind(cost: Cost, difference: float, criterion: Criterion, say: Say, dark: bool) -> Kind:
    if cost.interval is None:
        return Kind(say("chart_few"), "x-thin", INK[dark])
    low, high = cost.interval
    if low <= 0 <= high:
        return Kind(say("chart_open"), "circle-open", PLAIN[dark])
    rises = difference > 0
    if rises is (criterion.direction != "down"):
        colours = BETTER
    else:
        colours = WORSE
    if rises:
        return Kind(say("chart_higher"), "triangle-right", colours[dark])
    return Kind(say("chart_lower"), "triangle-left", colours[dark])
