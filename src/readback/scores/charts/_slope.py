"""What became of each record? Lines from its value under one condition to its value under another, as wide as many."""

from __future__ import annotations

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import Chart, Say, chart, cut, minus, safe, tidy, wrapped
from readback.scores.charts._columns import distinct
from readback.scores.charts._frame import BAND, BARE, BOLD, ENTRY, LEGEND, NARROW, look
from readback.scores.charts._heat import joint
from readback.scores.charts._look import BETTER, CHARACTER, INK, PAPER, PLAIN, SIZE, WORSE, mixed
from readback.scores.counts import Counted
from readback.scores.export.plain_table import PlainTable
from readback.types import Criterion

MOST = 6  # values that lines are drawn between; with more, counts are in a grid
LINE = 20  # pixels that a number at a line needs
BROAD = 0.34  # of the way between two values that the broadest line takes
THIN = 0.018  # the least that half a line takes


def slope(counted: Counted, criterion: Criterion, say: Say, dark: bool = False, width: int | None = None) -> Chart:
    """From each value under the first condition (rows of `counted`) to each under the second, with how many went there.

    The number is on the line near its left end, where no two lines meet. More than six values make a grid.
    """
    if len(counted.rows) > MOST or counted.rows != counted.columns:
        return joint(counted, say, dark, width)
    values, many = counted.rows, len(counted.rows)
    near = 1 / (many + 1)
    moves = [(i, j, counted.counts[i][j]) for i in range(many) for j in range(many) if counted.counts[i][j]]
    most = max((n for _, _, n in moves), default=1)
    better = -1 if criterion.direction == "down" else 1
    figure = go.Figure()
    for key, sign in (("same", 0), ("lower", -1), ("higher", 1)):
        good = sign * better
        hue = (PLAIN if not good else BETTER if good > 0 else WORSE)[dark]
        of_it = [(i, j, n) for i, j, n in moves if (j > i) - (j < i) == sign]
        if not of_it:
            continue
        xs: list[float | None] = []
        ys: list[float | None] = []
        for i, j, n in of_it:
            half = max(BROAD * n / most / 2, THIN)
            xs += [0, 1, 1, 0, 0, None]
            ys += [*tidy([i - half, j - half, j + half, i + half, i - half]), None]
        line = {"color": hue, "width": 1, "dash": {"same": "dot", "lower": "dash", "higher": "solid"}[key]}
        figure.add_scatter(
            x=xs,
            y=ys,
            mode="lines",
            fill="toself",
            fillcolor=_faded(hue, dark),
            line=line,
            hoverinfo="skip",
            name=say(f"chart_{key}"),
        )
        figure.add_scatter(
            x=[near] * len(of_it),
            y=tidy([i + near * (j - i) for i, j, _ in of_it]),
            mode="markers+text",
            text=[f"{n:,}" for _, _, n in of_it],
            textfont={"color": INK[dark], "size": SIZE, "shadow": ", ".join([f"0 0 2px {PAPER[dark]}"] * 4)},
            marker={"size": 22, "color": "rgba(0,0,0,0)"},
            showlegend=False,
            customdata=[[i, j, f"{minus(values[i])} → {minus(values[j])}: {n:,}"] for i, j, n in of_it],
            hovertemplate="%{customdata[2]}<extra></extra>",
        )
    _ends(figure, counted, say, dark, width or NARROW)
    opening = say("chart_slope", a=counted.titles[0], b=counted.titles[1], n=counted.n)
    said = [f"{minus(values[i])} → {minus(values[j])}: {n:,}." for i, j, n in sorted(moves, key=lambda move: -move[2])]
    heads = (*counted.titles, say("n_title"))
    table = PlainTable(heads, tuple((minus(values[i]), minus(values[j]), n) for i, j, n in moves))
    return chart(lambda: figure, opening, said, table, say, width or NARROW, [(i, j) for i, j, _ in moves])


def _ends(figure: go.Figure, counted: Counted, say: Say, dark: bool, width: int) -> None:
    """The values at both sides with how many have them, and whose sides they are."""
    many = len(counted.rows)
    left = [sum(row) for row in counted.counts]
    right = [sum(column) for column in zip(*counted.counts, strict=True)]
    for side, totals, place in ((0, left, "middle left"), (1, right, "middle right")):
        figure.add_scatter(
            x=[side] * many,
            y=list(range(many)),
            mode="markers+text",
            cliponaxis=False,
            textposition=place,
            showlegend=False,
            text=[
                f"<b>{minus(v)}</b>  ({n:,})" if not side else f"({n:,})  <b>{minus(v)}</b>"
                for v, n in zip(counted.rows, totals, strict=True)
            ],
            marker={"size": 9, "color": INK[dark]},
            hoverinfo="skip",
            textfont={"size": SIZE},
        )
    high = max(many * (many + 1) * LINE, 160)
    beside = max(len(value) for value in counted.rows) * BOLD + 8 * CHARACTER + 12
    heads = [wrapped(name, int((width / 2 - 16) / BOLD), 6) for name in distinct(counted.titles)]
    legend = sum(len(trace.name) * CHARACTER + ENTRY for trace in figure.data if trace.name)
    top = -int(-legend // (width - BAND)) * BAND + 18.2 * max(map(len, heads)) + 10
    figure.update_layout(
        template="none",
        height=round(high + top + 16),
        showlegend=True,
        legend=LEGEND,
        margin={"l": beside, "r": beside, "t": top, "b": 16, "autoexpand": False},
        **look(dark),
    )
    for at, head in enumerate(heads):
        figure.add_annotation(
            text="<br>".join(f"<b>{safe(line)}</b>" for line in head),
            hovertext=cut(counted.titles[at]),
            x=at,
            xref="paper",
            xanchor="right" if at else "left",
            align="right" if at else "left",
            xshift=(beside - 12) * (1 if at else -1),
            y=1,
            yref="paper",
            yanchor="bottom",
            yshift=6,
            **BARE,
        )
    figure.update_xaxes(visible=False, range=[0, 1], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.5, many - 0.5], fixedrange=True)


def _faded(colour: str, dark: bool) -> str:
    return mixed(PAPER[dark], colour, 0.55)
