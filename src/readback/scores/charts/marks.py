"""Draw the marks of rows: points with intervals, told apart by shape as well as by colour, and bars of shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import Span, escape, use_minus
from readback.scores.charts.rows import FEW, MARK, Rows, draw_vertical_line
from readback.scores.charts.template import PAPER, SIZE, Step, build_halo, build_pattern

ROUND = 10  # per cent that an axis of shares is rounded out to


@dataclass(frozen=True, slots=True)
class Kind:
    """How marks of one meaning look, and what the legend calls them ("" for no entry)."""

    name: str
    symbol: str
    colour: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One mark: its row, its place on the axis, its interval, its kind, and its hover text (escaped)."""

    row: int
    x: float
    span: Span | None
    kind: Kind
    hover: str


@dataclass(frozen=True, slots=True)
class Part:
    """One part of every bar: its name, its count in each row, its look, and the share of it that lies left of the line:
    1 all, 0 none, 0.5 across.
    """

    name: str
    counts: tuple[int, ...]
    step: Step
    left: float = 0.0


def draw_dots(figure: go.Figure, rows: Rows, dots: Sequence[Dot]) -> None:
    """Draw marks with their intervals, one trace for each kind."""
    for kind in dict.fromkeys(dot.kind for dot in dots):
        marks = [dot for dot in dots if dot.kind == kind]
        spans = [dot.span or (dot.x, dot.x) for dot in marks]
        error = None
        if any(dot.span for dot in marks):
            error = {
                "type": "data",
                "symmetric": False,
                "color": kind.colour,
                "thickness": 2.5,
                "width": 0,
                "array": [round(high - dot.x, 5) for dot, (_, high) in zip(marks, spans, strict=True)],
                "arrayminus": [round(dot.x - low, 5) for dot, (low, _) in zip(marks, spans, strict=True)],
            }
        figure.add_scatter(
            x=[round(dot.x, 5) for dot in marks],
            y=[dot.row for dot in marks],
            mode="markers",
            name=escape(kind.name),
            showlegend=bool(kind.name),
            marker={
                "symbol": kind.symbol,
                "size": 14 if len(rows.names) <= FEW else 11,
                "color": kind.colour,
                "line": {"color": kind.colour, "width": 2},
            },
            error_x=error,
            customdata=[[dot.row, dot.hover] for dot in marks],
            hovertemplate="%{customdata[1]}<extra></extra>",
            cliponaxis=False,
        )


def draw_stacked_bars(figure: go.Figure, rows: Rows, parts: Sequence[Part], dark: bool) -> None:
    """Draw a bar for each row, of the shares of its parts in per cent; both directions count up from the line."""
    totals = [sum(counts) for counts in zip(*(part.counts for part in parts), strict=True)]
    starts = [0.0] * len(totals)
    shares = []
    for part in parts:
        share = [100 * n / total if total else 0.0 for n, total in zip(part.counts, totals, strict=True)]
        shares.append(share)
        starts = [start - part.left * width for start, width in zip(starts, share, strict=True)]
    low = min(starts, default=0.0)
    high = max((start + 100 for start in starts), default=100.0)
    for part, share in zip(parts, shares, strict=True):
        name = escape(use_minus(part.name))
        figure.add_bar(
            x=[round(width, 2) for width in share],
            base=[round(start, 2) for start in starts],
            y=list(range(len(starts))),
            width=MARK,
            orientation="h",
            name=name,
            text=[f"{n:,}" if n else "" for n in part.counts],
            insidetextfont={"color": part.step.ink, "size": SIZE, "shadow": build_halo(part.step.shade)},
            marker={
                "color": part.step.shade,
                "line": {"color": PAPER[dark], "width": 1},
                "pattern": build_pattern(part.step.pattern, dark),
            },
            customdata=[[row, n] for row, n in enumerate(part.counts)],
            hovertemplate=f"{name}: %{{customdata[1]:,}} (%{{x:.0f}} %)<extra></extra>",
        )
        starts = [start + width for start, width in zip(starts, share, strict=True)]
    ends = -ROUND * -(low // ROUND) if low < 0 else 0.0, ROUND * -(-high // ROUND)
    step = 25 if ends[1] - ends[0] > 60 else 10
    ticks = [tick for tick in range(-100, 101, step) if ends[0] - 1e-9 <= tick <= ends[1] + 1e-9]
    texts = [f"{abs(tick)} %" for tick in ticks]
    figure.update_xaxes(range=[ends[0] - 2, ends[1] + 2], tickvals=ticks, ticktext=texts)
    if low < 0:
        draw_vertical_line(figure, rows, 0, dark)
