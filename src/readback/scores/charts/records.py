"""Draw what became of each record: as rows with two marks where records are few, as lines as wide as many otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import (
    Chart,
    Say,
    build_chart,
    escape,
    find_axis_range,
    finish_figure,
    format_signed,
    format_value,
    round_values,
    shorten_name,
    use_minus,
    wrap_name,
)
from readback.scores.charts.heat import draw_joint
from readback.scores.charts.means import set_scale_axis
from readback.scores.charts.rows import arrange_rows, drop_shared_parts, finish_rows
from readback.scores.charts.template import BETTER, CLEAR, INK, LINE, PAPER, PLAIN, SIZE, WORSE, mix_colours
from readback.scores.counts import Counted
from readback.scores.plain_table import PlainTable
from readback.types import Criterion

RECORDS = 60  # records that can each have a row
VALUES = 6  # values that lines are drawn between; with more, counts are in a grid
NUMBER = 20  # pixels that a number at a line needs
LOWEST = 160  # pixels of the lowest picture
BROAD = 0.34  # of the way between two values that the broadest line takes
THIN = 0.018  # the least that half a line takes
HEAD = 48  # characters of a line of a condition's name above its side


def draw_dumbbells(
    items: Sequence[str],
    a: Sequence[float],
    b: Sequence[float],
    sides: tuple[str, str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
) -> Chart:
    """Draw each record's score under two conditions, the largest gain on top; a mark's place is that in `items`.

    Takes the first 60 after sorting; how many are left out is in the words beside the picture.
    """
    order = sorted(range(len(items)), key=lambda index: (a[index] - b[index], items[index]))[:RECORDS]
    names = [items[index] for index in order]
    moves = [f"{format_value(a[index])} → {format_value(b[index])}" for index in order]
    changes = [format_signed(b[index] - a[index]) for index in order]
    counts = [f"{move} · {change}" for move, change in zip(moves, changes, strict=True)]
    heads = (say("chart_moved"), say("chart_difference"))
    rows = arrange_rows(names, counts, list(zip(moves, changes, strict=True)), heads)
    title = say("chart_dumbbell", a=sides[0], b=sides[1], n=len(items))
    if len(items) > RECORDS:
        title = f"{title} {say('chart_records_left', n=len(items) - RECORDS)}"

    def draw() -> go.Figure:
        figure = go.Figure()
        if criterion.direction == "down":
            better = -1
        else:
            better = 1
        for sign, colours, dash in ((1, BETTER, "solid"), (-1, WORSE, "dash")):
            xs: list[float | None] = []
            ys: list[float | None] = []
            for row, index in enumerate(order):
                if _compare(a[index], b[index]) == sign * better:
                    xs += [a[index], b[index], None]
                    ys += [row, row, None]
            if xs:
                line = {"color": colours[dark], "width": 4, "dash": dash}
                figure.add_scatter(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip", showlegend=False)
        looks = ((a, sides[0], "circle", PAPER[dark]), (b, sides[1], "diamond", BETTER[dark]))
        for values, side, symbol, fill in looks:
            hovers = []
            for index in order:
                score = f"{escape(use_minus(side))}: {format_value(values[index])}"
                hovers.append([index, f"{shorten_name(items[index])}<br>{score}"])
            figure.add_scatter(
                x=round_values([values[index] for index in order]),
                y=list(range(len(order))),
                mode="markers",
                name=shorten_name(side, 80),
                marker={"symbol": symbol, "size": 11, "color": fill, "line": {"color": INK[dark], "width": 2}},
                cliponaxis=False,
                customdata=hovers,
                hovertemplate="%{customdata[1]}<extra></extra>",
            )
        set_scale_axis(figure, criterion, *find_axis_range(criterion, [*a, *b]))
        return finish_rows(figure, rows, dark, title, criterion.name)

    sentences = [f"{name}: {count}." for name, count in zip(names, counts, strict=True)]
    body = tuple((item, a[index], b[index], b[index] - a[index]) for index, item in enumerate(items))
    table = PlainTable((say("record"), *sides, say("chart_difference")), body)
    return build_chart(draw, title, sentences, table, say)


def draw_slope(counted: Counted, criterion: Criterion, say: Say, dark: bool = False) -> Chart:
    """Draw lines from each value under the first condition (rows of `counted`) to each under the second.

    How many records went there is on the line near its left end, where no two lines meet, and is the line's width.
    More than six values make a grid.
    """
    if len(counted.rows) > VALUES or counted.rows != counted.columns:
        return draw_joint(counted, say, dark)
    values = list(map(use_minus, counted.rows))
    moves = []
    for start, row in enumerate(counted.counts):
        moves += [(start, end, n) for end, n in enumerate(row) if n]
    title = say("chart_slope", a=counted.titles[0], b=counted.titles[1], n=counted.n)

    def draw() -> go.Figure:
        figure = go.Figure()
        if criterion.direction == "down":
            better = -1
        else:
            better = 1
        for key, sign, dash in (("same", 0, "dot"), ("lower", -1, "dash"), ("higher", 1, "solid")):
            if not sign:
                colours = PLAIN
            elif sign == better:
                colours = BETTER
            else:
                colours = WORSE
            some = [move for move in moves if _compare(move[0], move[1]) == sign]
            if some:
                most = max(n for _, _, n in moves)
                _draw_moves(figure, some, most, values, say(f"chart_{key}"), colours[dark], dash, dark)
        heads = _label_ends(figure, counted, values, dark)
        height = max(len(values) * (len(values) + 1) * NUMBER, LOWEST) + LINE * heads
        return finish_figure(figure, title, "", height, dark)

    common = sorted(moves, key=lambda move: -move[2])
    sentences = [f"{values[start]} → {values[end]}: {n:,}." for start, end, n in common]
    body = tuple((values[start], values[end], n) for start, end, n in moves)
    table = PlainTable((*counted.titles, say("n_title")), body)
    return build_chart(draw, title, sentences, table, say, [(start, end) for start, end, _ in moves])


def _compare(a: float, b: float) -> int:
    """Return 1 where b is higher, -1 where it is lower, 0 where both are equal."""
    return (b > a) - (b < a)


def _draw_moves(
    figure: go.Figure,
    moves: Sequence[tuple[int, int, int]],
    most: int,
    values: Sequence[str],
    name: str,
    colour: str,
    dash: str,
    dark: bool,
) -> None:
    """Draw the lines of moves between values, each as wide as many, with their numbers; `most` has the broadest."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    hovers = []
    for start, end, n in moves:
        half = max(BROAD * n / most / 2, THIN)
        xs += [0, 1, 1, 0, 0, None]
        ys += [*round_values([start - half, end - half, end + half, start + half, start - half]), None]
        hovers.append([start, end, f"{values[start]} → {values[end]}: {n:,}"])
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        fill="toself",
        fillcolor=mix_colours(PAPER[dark], colour, 0.55),
        line={"color": colour, "width": 1, "dash": dash},
        hoverinfo="skip",
        name=name,
    )
    near = 1 / (len(values) + 1)  # where no two lines meet
    figure.add_scatter(
        x=[near] * len(moves),
        y=round_values([start + near * (end - start) for start, end, _ in moves]),
        mode="markers+text",
        text=[f"{n:,}" for _, _, n in moves],
        textfont={"color": INK[dark], "size": SIZE, "shadow": ", ".join([f"0 0 2px {PAPER[dark]}"] * 4)},
        marker={"size": 22, "color": CLEAR},
        showlegend=False,
        customdata=hovers,
        hovertemplate="%{customdata[2]}<extra></extra>",
    )


def _label_ends(figure: go.Figure, counted: Counted, values: Sequence[str], dark: bool) -> int:
    """Write the values and counts at both sides, and whose sides they are; return the lines of the longer name."""
    left = [sum(row) for row in counted.counts]
    right = [sum(column) for column in zip(*counted.counts, strict=True)]
    places = list(range(len(values)))
    for side, axis_id in ((0, "y"), (1, "y2")):
        figure.add_scatter(
            x=[side] * len(values),
            y=places,
            yaxis=axis_id,
            mode="markers",
            marker={"size": 9, "color": INK[dark]},
            cliponaxis=False,
            hoverinfo="skip",
            showlegend=False,
        )
    axis = {
        "range": [-0.5, len(values) - 0.5],
        "showgrid": False,
        "tickvals": places,
        "ticklabelstandoff": 8,
    }
    left_texts = [f"<b>{value}</b>  ({n:,})" for value, n in zip(values, left, strict=True)]
    right_texts = [f"({n:,})  <b>{value}</b>" for value, n in zip(values, right, strict=True)]
    heads = [wrap_name(name, HEAD, 6) for name in drop_shared_parts(counted.titles)]
    head_texts = ["<br>".join(f"<b>{escape(line)}</b>" for line in head) for head in heads]
    figure.update_layout(
        xaxis={"range": [0, 1], "showgrid": False, "tickvals": [0, 1], "ticktext": head_texts},
        yaxis={**axis, "ticktext": left_texts},
        yaxis2={**axis, "ticktext": right_texts, "overlaying": "y", "side": "right"},
    )
    return max(map(len, heads))
