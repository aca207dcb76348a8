"""Who is strongest, over everybody who met? The share each would win against an average one, with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import Chart, Say, Span, chart
from readback.scores.charts._dots import Dot, Kind, dots
from readback.scores.charts._frame import dress, framed
from readback.scores.charts._look import BETTER, INK
from readback.scores.export.plain_table import PlainTable


def strengths(
    shares: Sequence[float], spans: Sequence[Span], names: Sequence[str], say: Say, dark: bool = False,
    width: int | None = None,
) -> Chart:  # fmt: skip
    """Shares of wins from 0 to 1 with their intervals, one row for each name; a line at one half."""
    said = [
        say("chart_strength", share=100 * share, low=100 * low, high=100 * high)
        for share, (low, high) in zip(shares, spans, strict=True)
    ]
    frame = framed(names, said, [(f"{share:.0%}",) for share in shares], (say("chart_expected"),), width)
    figure = go.Figure()
    kind = Kind("", "diamond", BETTER[dark])
    marks = [
        Dot(at, 100 * share, (100 * low, 100 * high), kind, frame.said(at))
        for at, (share, (low, high)) in enumerate(zip(shares, spans, strict=True))
    ]
    dots(figure, frame, marks)
    figure.update_xaxes(range=[-3, 103], tickvals=[0, 25, 50, 75, 100])
    line = {"color": INK[dark], "width": 2}
    figure.add_shape(type="line", x0=50, x1=50, yref="paper", y0=0, y1=1, line=line, layer="below")
    dress(figure, frame, dark, say("chart_strengths_axis"))
    lines = [f"{name}: {text}." for name, text in zip(names, said, strict=True)]
    heads = ("condition", "chart_expected", "chart_low", "chart_high")
    body = tuple((name, share, *span) for name, share, span in zip(names, shares, spans, strict=True))
    table = PlainTable(tuple(say(head) for head in heads), body)
    return chart(lambda: figure, say("chart_strengths"), lines, table, say, frame.width)
