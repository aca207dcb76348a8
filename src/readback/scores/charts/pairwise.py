"""Draw pairwise judgments: who wins how often, and who is strongest over everybody who met."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import Chart, Say, Span, build_chart, build_table
from readback.scores.charts.marks import Dot, Kind, Part, draw_dots, draw_stacked_bars
from readback.scores.charts.rows import arrange_rows, draw_vertical_line, finish_rows
from readback.scores.charts.template import BETTER, DARK, LIGHT, ON, Step

Votes = tuple[int, int, int]  # wins, ties, losses


def draw_wins(votes: Sequence[Votes], names: Sequence[str], say: Say, dark: bool = False) -> Chart:
    """Draw wins to the right, losses to the left, ties half and half: shares of the items that both were judged on."""
    counts, cells, body = [], [], []
    for name, (wins, ties, losses) in zip(names, votes, strict=True):
        n = wins + ties + losses
        counts.append(f"{say('chart_won', wins=wins, ties=ties, losses=losses)} · {say('n', n=n)}")
        cells.append((f"{wins:,}/{ties:,}/{losses:,}", f"{n:,}"))
        body.append((name, wins, ties, losses, n))
    rows = arrange_rows(names, counts, cells, (say("chart_won_short"), say("n_title")))
    title = say("chart_wins")

    def draw() -> go.Figure:
        shades = DARK if dark else LIGHT
        wins, ties, losses = (tuple(vote[side] for vote in votes) for side in range(3))
        parts = [
            Part(say("chart_loss"), losses, Step(shades[1], "\\", ON[dark]), 1),
            Part(say("chart_tie"), ties, Step(shades[2], ".", ON[dark]), 0.5),
            Part(say("chart_win"), wins, Step(shades[4], "", ON[dark]), 0),
        ]
        figure = go.Figure()
        draw_stacked_bars(figure, rows, parts, dark)
        return finish_rows(figure, rows, dark, title, say("chart_wins_axis"))

    sentences = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    table = build_table(("condition", "chart_win", "chart_tie", "chart_loss", "n_title"), body, say)
    return build_chart(draw, title, sentences, table, say)


def draw_strengths(
    shares: Sequence[float], spans: Sequence[Span], names: Sequence[str], say: Say, dark: bool = False
) -> Chart:
    """Draw the share of wins of each against an average one, from 0 to 1 with its interval; a line at one half."""
    counts, body = [], []
    for name, share, (low, high) in zip(names, shares, spans, strict=True):
        counts.append(say("chart_strength", share=100 * share, low=100 * low, high=100 * high))
        body.append((name, share, low, high))
    rows = arrange_rows(names, counts, [(f"{share:.0%}",) for share in shares], (say("chart_expected"),))
    title = say("chart_strengths")

    def draw() -> go.Figure:
        figure = go.Figure()
        kind = Kind("", "diamond", BETTER[dark])
        dots = []
        for index, (share, (low, high)) in enumerate(zip(shares, spans, strict=True)):
            dots.append(Dot(index, 100 * share, (100 * low, 100 * high), kind, rows.format_hover(index)))
        draw_dots(figure, rows, dots)
        figure.update_xaxes(range=[-3, 103], tickvals=[0, 25, 50, 75, 100])
        draw_vertical_line(figure, rows, 50, dark)
        return finish_rows(figure, rows, dark, title, say("chart_strengths_axis"))

    sentences = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    table = build_table(("condition", "chart_expected", "chart_low", "chart_high"), body, say)
    return build_chart(draw, title, sentences, table, say)
