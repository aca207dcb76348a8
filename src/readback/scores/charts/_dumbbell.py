"""What became of each record? Two marks and the way between them, for so few records that each has its row."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import Chart, Say, chart, cut, extent, minus, safe, signed, tidy, value_text
from readback.scores.charts._frame import dress, framed
from readback.scores.charts._look import BETTER, INK, PAPER, PLAIN, WORSE
from readback.scores.export.plain_table import PlainTable
from readback.types import Criterion

RECORDS = 60  # records that can each have a row


def dumbbell(
    items: Sequence[str],
    a: Sequence[float],
    b: Sequence[float],
    sides: tuple[str, str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
    width: int | None = None,
) -> Chart:
    """Each record's score under two conditions, the largest gain on top; a mark's place is that in `items`.

    Takes the first 60 after sorting; what is left out is said in the words beside the picture.
    """
    order = sorted(range(len(items)), key=lambda at: (a[at] - b[at], items[at]))[:RECORDS]
    names = [items[at] for at in order]
    changes = [f"{value_text(a[at])} → {value_text(b[at])} · {signed(b[at] - a[at])}" for at in order]
    heads = (say("chart_moved"), say("chart_difference"))
    frame = framed(names, changes, [tuple(text.split(" · ")) for text in changes], heads, width)
    figure = go.Figure()
    better = -1 if criterion.direction == "down" else 1
    for sign, colour, dash in ((1, BETTER, "solid"), (-1, WORSE, "dash"), (0, PLAIN, "dot")):
        rows = [row for row, at in enumerate(order) if (b[at] > a[at]) - (b[at] < a[at]) == sign * better]
        xs = [x for row in rows for x in (a[order[row]], b[order[row]], None)]
        ys = [y for row in rows for y in (frame.y(row), frame.y(row), None)]
        if rows and sign:
            figure.add_scatter(
                x=xs,
                y=ys,
                mode="lines",
                line={"color": colour[dark], "width": 4, "dash": dash},
                hoverinfo="skip",
                showlegend=False,
            )
    for values, name, symbol, fill in ((a, sides[0], "circle", PAPER[dark]), (b, sides[1], "diamond", BETTER[dark])):
        figure.add_scatter(
            x=tidy([values[at] for at in order]),
            y=[frame.y(row) for row in range(len(order))],
            mode="markers",
            name=cut(name, 40),
            marker={"symbol": symbol, "size": 11, "color": fill, "line": {"color": INK[dark], "width": 2}},
            cliponaxis=False,
            customdata=[[at, f"{cut(items[at])}<br>{safe(minus(name))}: {value_text(values[at])}"] for at in order],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )
    low, high = extent(criterion, [*a, *b])
    room = (high - low) * 0.04
    figure.update_xaxes(range=[low - room, high + room])
    if 0 < len(criterion.values) <= 12:
        figure.update_xaxes(tickvals=list(criterion.values), ticktext=[value_text(v) for v in criterion.values])
    dress(figure, frame, dark, criterion.name, legend=[cut(name, 40) for name in sides])
    more = [say("chart_records_left", n=len(items) - RECORDS)] if len(items) > RECORDS else []
    opening = " ".join((say("chart_dumbbell", a=sides[0], b=sides[1], n=len(items)), *more))
    said = [f"{name}: {text}." for name, text in zip(names, changes, strict=True)]
    body = tuple((items[at], a[at], b[at], b[at] - a[at]) for at in range(len(items)))
    table = PlainTable((say("record"), sides[0], sides[1], say("chart_difference")), body)
    return chart(lambda: figure, opening, said, table, say, frame.width)
