"""How are the scores spread? Every value of the scale with its share, low values left of a line and high ones right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import (
    Chart,
    Say,
    chart,
    counted,
    cut,
    extent,
    minus,
    tidy,
    value_text,
    with_unscored,
)
from readback.scores.charts._frame import Frame, dress, framed
from readback.scores.charts._look import BETTER, PAPER, steps
from readback.scores.charts._stacked import Part, stacked
from readback.scores.export.plain_table import PlainTable
from readback.scores.summary_row import Row
from readback.types import Criterion

HEIGHT = 44  # pixels of a histogram
LEAST = 3  # a row's highest bar is at least this part of the highest of all, where all are on one scale
BINS = 40  # ranges into which more distinct values than that are put together
Bin = tuple[float, float, int]  # from, to, how many


MOST = 12  # values that are told apart as parts of a bar; with more, each row is a small histogram


def distribution(
    rows: Sequence[Row],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
    width: int | None = None,
) -> Chart:
    """How many answers got each value, as one stacked bar for each row, whose parts are shares of the scored ones.

    The lower half of the scale's values lies left of the line and the upper half right of it, whatever their signs;
    of an odd number of values the middle one lies across it (Heiberger and Robbins 2014, Design of Diverging Stacked
    Bar Charts for Likert Scales). So relevance parts between 0 (no answer is given) and 1 (a useful one), faithfulness
    0 (partial support) lies across, and of a binary criterion what failed is left. Values without an order lie right.
    A measured criterion, or one with many values, is a histogram on its own scale instead.
    """
    values = list(dict.fromkeys(value for row in rows for value, _ in row.distribution))
    tall = not in_steps(rows, criterion)
    short, heads = with_unscored([(f"{row.n:,}",) for row in rows], (say("n_title"),), rows, say)
    counts = [counted(row, say) for row in rows]
    frame = framed(names, counts, short, heads, width, HEIGHT if tall else None)

    def draw() -> go.Figure:
        figure = go.Figure()
        if tall:
            alike = ridge(figure, frame, rows, criterion, dark)
            dress(figure, frame, dark, say("chart_ridge_alike" if alike else "chart_ridge_axis"))
            return figure
        sides = split(values, criterion)
        looks = steps(values, criterion, dark)
        given = [dict(row.distribution) for row in rows]
        parts = [
            Part(value, tuple(one.get(value, 0) for one in given), step, left)
            for value, step, left in zip(values, looks, sides, strict=True)
        ]
        stacked(figure, frame, parts, dark)
        dress(figure, frame, dark, _axis(values, sides, say), legend=values)
        return figure

    said = [
        say("alt_row", name=name, counts=counted(row, say), values=", ".join(f"{minus(v)}: {n}" for v, n in _few(row)))
        for name, row in zip(names, rows, strict=True)
    ]
    title = say("alt_distribution", criterion=criterion.name, n=sum(row.n for row in rows))
    return chart(draw, title, said, _table(rows, names, values, say), say, frame.width)


def in_steps(rows: Sequence[Row], criterion: Criterion) -> bool:
    """Whether the values are told apart as parts of a bar; else each row is a small histogram."""
    return criterion.scale != "numeric" and len({value for row in rows for value, _ in row.distribution}) <= MOST


def split(values: Sequence[str], criterion: Criterion) -> list[float]:
    """For each value how much of it lies left of the line: 1, 0, or 0.5 for the middle of an odd number."""
    if criterion.scale == "nominal":
        return [0.0] * len(values)
    half = len(values) / 2
    return [1.0 if at + 1 <= half else 0.0 if at >= half else 0.5 for at in range(len(values))]


def _axis(values: Sequence[str], sides: Sequence[float], say: Say) -> str:
    if not any(sides):
        return say("share_axis")
    low, high = ([v for v, left in zip(values, sides, strict=True) if left == side] for side in (1.0, 0.0))
    return say("chart_split_axis", low=_run(low), high=_run(high)) if low else say("share_axis")


def _run(values: Sequence[str]) -> str:
    text = ", ".join(values) if len(values) < 3 else f"{values[0]} … {values[-1]}"
    return minus(text)


def _few(row: Row) -> Sequence[tuple[str, int]]:
    """What is worth saying of a distribution: all of it, or of a long one what was given at all, most often first."""
    if len(row.distribution) <= MOST:
        return row.distribution
    return sorted((pair for pair in row.distribution if pair[1]), key=lambda pair: -pair[1])[:MOST]


def _table(rows: Sequence[Row], names: Sequence[str], values: Sequence[str], say: Say) -> PlainTable:
    heads = ("condition", "n_title", "failed", "missing", "na")
    body: list[tuple[Any, ...]] = []
    for name, row in zip(names, rows, strict=True):
        counts = dict(row.distribution)
        body.append((name, row.n, row.failed, row.missing, row.not_applicable, *(counts.get(v, 0) for v in values)))
    return PlainTable((*(say(head) for head in heads), *(minus(value) for value in values)), tuple(body))


# Small histograms, one for each row, on the scale of a measured criterion.


def ridge(figure: Any, frame: Frame, rows: Sequence[Row], criterion: Criterion, dark: bool) -> bool:
    """One bar for each range or value of each row, as high as its share of the row's answers; and whether these heights
    are on one scale. Where some rows would be too low to be read beside others, each has its own.
    """
    seen = [end for row in rows for low, high, _ in bins(row.distribution) for end in (low, high)]
    low, high = extent(criterion, seen)
    thin = (high - low) / 60  # how wide the bar of a single value is
    drawn = [[one for one in bins(row.distribution, low, high) if one[2]] for row in rows]
    tops = [max(n for _, _, n in found) / row.n for row, found in zip(rows, drawn, strict=True) if found]
    alike = bool(tops) and min(tops) * LEAST >= max(tops)
    for at, (row, found) in enumerate(zip(rows, drawn, strict=True)):
        most = max(tops) * row.n if alike else max((n for _, _, n in found), default=1)
        figure.add_bar(
            x=tidy([(a + b) / 2 for a, b, _ in found]),
            y=tidy([-frame.mark * n / most for _, _, n in found]),
            base=round(frame.y(at) + frame.mark / 2, 1),
            width=tidy([(b - a) or thin for a, b, _ in found]),
            marker={"color": BETTER[dark], "line": {"color": PAPER[dark], "width": 1}},
            customdata=[
                [at, n, value_text(a) if a == b else f"{value_text(a)} … {value_text(b)}"] for a, b, n in found
            ],
            hovertemplate=f"{cut(frame.names[at])}<br>%{{customdata[2]}}: %{{customdata[1]:,}}<extra></extra>",
            showlegend=False,
        )
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(range=[low - thin, high + thin])
    return alike


def bins(distribution: Iterable[tuple[str, int]], low: float | None = None, high: float | None = None) -> list[Bin]:
    """The ranges that a row's distribution names; single values, where they are many, in equal ranges."""
    parts = ((text.partition(" to "), n) for text, n in distribution)
    found = [(float(start), float(end or start), n) for (start, _, end), n in parts]
    if len(found) <= BINS or low is None or high is None or not low < high:
        return found
    step = (high - low) / BINS
    counts = [0] * BINS
    for a, b, n in found:
        counts[min(max(int(((a + b) / 2 - low) / step), 0), BINS - 1)] += n
    return [(low + at * step, low + (at + 1) * step, n) for at, n in enumerate(counts)]
