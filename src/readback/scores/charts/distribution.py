"""Draw how scores are spread: every value of the scale with its share, low values left of a line, high ones right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import (
    Chart,
    Say,
    build_chart,
    find_axis_range,
    format_counts,
    format_value,
    round_values,
    shorten_name,
    use_minus,
)
from readback.scores.charts.marks import Part, draw_stacked_bars
from readback.scores.charts.rows import Rows, add_unscored, arrange_rows, finish_rows
from readback.scores.charts.template import BETTER, PAPER, choose_steps
from readback.scores.plain_table import PlainTable
from readback.scores.summary_row import Row
from readback.types import Criterion

HEIGHT = 52  # pixels of a row with a histogram
FILLED = 0.84  # of a row that its highest bar takes
LEAST = 3  # a row's highest bar is at least this part of the highest of all, where all are on one scale
BINS = 40  # ranges into which more distinct values than that are put together
MOST = 12  # values that are told apart as parts of a bar; with more, each row is a small histogram
Bin = tuple[float, float, int]  # from, to, how many


def draw_distribution(
    rows: Sequence[Row], names: Sequence[str], criterion: Criterion, say: Say, dark: bool = False
) -> Chart:
    """Draw how many answers got each value: one stacked bar for each row, whose parts are shares of the scored ones.

    The lower half of the scale's values lies left of the line and the upper half right of it, whatever their signs;
    of an odd number of values the middle one lies across it (Heiberger and Robbins 2014, Design of Diverging Stacked
    Bar Charts for Likert Scales). So relevance parts between 0 (no answer is given) and 1 (a useful one), faithfulness
    0 (partial support) lies across, and of a binary criterion what failed is left. Values without an order lie right.
    A measured criterion, or one with many values, is a histogram on its own scale instead.
    """
    values = list(dict.fromkeys(value for row in rows for value, _ in row.distribution))
    histograms = not has_few_values(rows, criterion)
    counts = [format_counts(row, say) for row in rows]
    cells, heads = add_unscored([(f"{row.n:,}",) for row in rows], (say("n_title"),), rows, say)
    arranged = arrange_rows(names, counts, cells, heads, HEIGHT if histograms else 0)
    title = say("alt_distribution", criterion=criterion.name, n=sum(row.n for row in rows))

    def draw() -> go.Figure:
        figure = go.Figure()
        if histograms:
            alike = _draw_histograms(figure, arranged, rows, criterion, dark)
            subtitle = say("chart_ridge_alike" if alike else "chart_ridge_axis")
            return finish_rows(figure, arranged, dark, title, subtitle)
        sides = split_scale(values, criterion)
        distributions = [dict(row.distribution) for row in rows]
        parts = []
        for value, step, left in zip(values, choose_steps(values, criterion, dark), sides, strict=True):
            parts.append(Part(value, tuple(counts.get(value, 0) for counts in distributions), step, left))
        draw_stacked_bars(figure, arranged, parts, dark)
        return finish_rows(figure, arranged, dark, title, _format_subtitle(values, sides, say))

    sentences = []
    for name, row, count in zip(names, rows, counts, strict=True):
        shape = ", ".join(f"{use_minus(value)}: {n}" for value, n in _list_common_values(row))
        sentences.append(say("alt_row", name=name, counts=count, values=shape))
    return build_chart(draw, title, sentences, _build_table(rows, names, values, say), say)


def has_few_values(rows: Sequence[Row], criterion: Criterion) -> bool:
    """Return whether the values are told apart as parts of a bar; else each row is a small histogram."""
    return criterion.scale != "numeric" and len({value for row in rows for value, _ in row.distribution}) <= MOST


def split_scale(values: Sequence[str], criterion: Criterion) -> list[float]:
    """Return for each value how much of it lies left of the line: 1, 0, or 0.5 for the middle of an odd number."""
    if criterion.scale == "nominal":
        return [0.0] * len(values)
    half = len(values) / 2
    return [min(max(half - index, 0.0), 1.0) for index in range(len(values))]


def _format_subtitle(values: Sequence[str], sides: Sequence[float], say: Say) -> str:
    low = [value for value, left in zip(values, sides, strict=True) if left == 1]
    high = [value for value, left in zip(values, sides, strict=True) if left == 0]
    if not low:
        return say("share_axis")
    return say("chart_split_axis", low=_format_run(low), high=_format_run(high))


def _format_run(values: Sequence[str]) -> str:
    return use_minus(", ".join(values) if len(values) < 3 else f"{values[0]} … {values[-1]}")


def _list_common_values(row: Row) -> Sequence[tuple[str, int]]:
    """Return the whole of a short distribution, or of a long one the values that were given, most often first."""
    if len(row.distribution) <= MOST:
        return row.distribution
    return sorted((pair for pair in row.distribution if pair[1]), key=lambda pair: -pair[1])[:MOST]


def _build_table(rows: Sequence[Row], names: Sequence[str], values: Sequence[str], say: Say) -> PlainTable:
    heads = ("condition", "n_title", "failed", "missing", "na")
    body: list[tuple[Any, ...]] = []
    for name, row in zip(names, rows, strict=True):
        counts = dict(row.distribution)
        of_values = (counts.get(value, 0) for value in values)
        body.append((name, row.n, row.failed, row.missing, row.not_applicable, *of_values))
    return PlainTable((*(say(head) for head in heads), *(use_minus(value) for value in values)), tuple(body))


def _draw_histograms(figure: go.Figure, arranged: Rows, rows: Sequence[Row], criterion: Criterion, dark: bool) -> bool:
    """Draw one bar for each range or value of each row, as high as its share of the row's answers.

    Return whether these heights are on one scale. Where some rows would be too low to be read beside others, each row
    has its own.
    """
    ends = [end for row in rows for low, high, _ in parse_bins(row.distribution) for end in (low, high)]
    low, high = find_axis_range(criterion, ends)
    thin = (high - low) / 60  # the width of the bar of a single value
    histograms = []
    for row in rows:
        histograms.append([(start, end, n) for start, end, n in parse_bins(row.distribution, low, high) if n])
    tops = [max(n for _, _, n in bins) / row.n for row, bins in zip(rows, histograms, strict=True) if bins]
    alike = bool(tops) and min(tops) * LEAST >= max(tops)
    for index, (row, bins) in enumerate(zip(rows, histograms, strict=True)):
        if alike:
            most = max(tops) * row.n
        else:
            most = max((n for _, _, n in bins), default=1)
        hovers = []
        for start, end, n in bins:
            if start == end:
                bounds = format_value(start)
            else:
                bounds = f"{format_value(start)} … {format_value(end)}"
            hovers.append([index, n, bounds])
        figure.add_bar(
            x=round_values([(start + end) / 2 for start, end, _ in bins]),
            y=round_values([-FILLED * n / most for _, _, n in bins]),
            base=index + FILLED / 2,
            width=round_values([(end - start) or thin for start, end, _ in bins]),
            marker={"color": BETTER[dark], "line": {"color": PAPER[dark], "width": 1}},
            customdata=hovers,
            hovertemplate=f"{shorten_name(arranged.names[index])}<br>%{{customdata[2]}}: %{{customdata[1]:,}}"
            "<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(range=[low - thin, high + thin])
    return alike


def parse_bins(
    distribution: Iterable[tuple[str, int]], low: float | None = None, high: float | None = None
) -> list[Bin]:
    """Return the ranges that a row's distribution names; single values, where they are many, in equal ranges."""
    bins = []
    for text, n in distribution:
        first, _, last = text.partition(" to ")
        bins.append((float(first), float(last or first), n))
    if len(bins) <= BINS or low is None or high is None or not low < high:
        return bins
    step = (high - low) / BINS
    counts = [0] * BINS
    for start, end, n in bins:
        counts[min(max(int(((start + end) / 2 - low) / step), 0), BINS - 1)] += n
    return [(low + index * step, low + (index + 1) * step, n) for index, n in enumerate(counts)]
