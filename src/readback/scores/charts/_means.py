"""Where do the means lie? Marks with intervals on the whole scale, for conditions, factors or judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import (
    Chart,
    Say,
    chart,
    counted,
    decimals,
    extent,
    ranged,
    value_text,
    with_unscored,
)
from readback.scores.charts._dots import Dot, Kind, dots
from readback.scores.charts._frame import FEW, Frame, dress, framed
from readback.scores.charts._look import BETTER, GRID
from readback.scores.criteria import scale_text
from readback.scores.export.plain_table import PlainTable
from readback.scores.summary_row import Row
from readback.types import Criterion

MANY = 12  # values of a scale that are all written at its axis


def means(
    rows: Sequence[Row],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
    width: int | None = None,
) -> Chart:
    """The mean of each row on the whole scale, with the interval that pages use: the clustered one, if there is one."""
    title = say("alt_means", criterion=criterion.name, n=sum(row.n for row in rows))
    return _drawn(title, rows, names, criterion, say, dark, width)[0]


def leniency(
    rows: Sequence[Row], criterion: Criterion, say: Say, dark: bool = False, width: int | None = None
) -> Chart:
    """How high each judge scores on the mean: one row for each judge of the same items."""
    names = [row.judge or say("no_judge") for row in rows]
    title = say("chart_leniency", criterion=criterion.name)
    return _drawn(title, [_bare(row) for row in rows], names, criterion, say, dark, width)[0]


def effects(
    by: Mapping[str, Sequence[Row]], criterion: Criterion, say: Say, dark: bool = False, width: int | None = None
) -> Chart:
    """The main effects: every value of every factor with its mean over all rows that share it, on one axis.

    A mark's place counts through the factors one after another.
    """
    rows = [row for levels in by.values() for row in levels]
    names = [
        f"{factor} · {dict(row.condition).get(factor, '') or '–'}" for factor, levels in by.items() for row in levels
    ]
    made, frame = _drawn(say("chart_effects", criterion=criterion.name), rows, names, criterion, say, dark, width)
    at = 0
    for levels in list(by.values())[:-1]:
        at += len(levels)
        line = {"color": GRID[dark], "width": 2}
        y = frame.top(at)
        made.figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=y, y1=y, line=line)
    return made


def _drawn(
    title: str,
    rows: Sequence[Row],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool,
    width: int | None,
) -> tuple[Chart, Frame]:
    """One mark for each row, on the whole scale."""
    said = [" · ".join((f"{decimals(row.mean)} {ranged(row.span, say)}".strip(), counted(row, say))) for row in rows]
    few = len(rows) <= FEW  # then there is room for the interval
    spans = [ranged(row.span, say) if few else "" for row in rows]
    cells = [(f"{decimals(row.mean)} {span}".strip(), f"{row.n:,}") for row, span in zip(rows, spans, strict=True)]
    short, heads = with_unscored(cells, (say("mean"), say("n_title")), rows, say)
    frame = framed(names, said, short, heads, width)

    def draw() -> go.Figure:
        figure = go.Figure()
        kind = Kind("", "diamond", BETTER[dark])
        shown = [
            Dot(at, row.mean, row.span, kind, frame.said(at)) for at, row in enumerate(rows) if row.mean is not None
        ]
        dots(figure, frame, shown)
        low, high = extent(criterion, [end for dot in shown for end in (dot.x, *(dot.span or ()))])
        room = (high - low) * 0.04
        figure.update_xaxes(range=[low - room, high + room])
        if 0 < len(criterion.values) <= MANY:
            figure.update_xaxes(tickvals=list(criterion.values), ticktext=[value_text(v) for v in criterion.values])
        dress(figure, frame, dark, say("mean_axis", scale=scale_text(criterion)))
        return figure

    return chart(draw, title, _said(rows, names, say), _table(rows, names, say), say, frame.width), frame


def _bare(row: Row) -> Row:
    """The row as a judge's alone."""
    from dataclasses import replace

    return replace(row, condition=(("judge", row.judge),))


def _said(rows: Sequence[Row], names: Sequence[str], say: Say) -> list[str]:
    return [
        say(
            "alt_mean",
            name=name,
            mean=f"{decimals(row.mean)} {ranged(row.span, say)}".strip(),
            counts=counted(row, say),
        )
        for name, row in zip(names, rows, strict=True)
    ]


def _table(rows: Sequence[Row], names: Sequence[str], say: Say) -> PlainTable:
    heads = ("condition", "mean", "chart_low", "chart_high", "chart_method", "n_title", "failed", "missing", "na")
    return PlainTable(
        tuple(say(head) for head in heads),
        tuple(
            (
                name,
                row.mean,
                *(row.span or (None, None)),
                row.span_method,
                row.n,
                row.failed,
                row.missing,
                row.not_applicable,
            )
            for name, row in zip(names, rows, strict=True)
        ),
    )
