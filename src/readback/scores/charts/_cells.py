"""A grid of cells with numbers in them: the ground of heat maps, joint tables and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import safe, wrapped
from readback.scores.charts._frame import BARE, NARROW, TITLE, WHOLE, look
from readback.scores.charts._look import CHARACTER, GRID, INK, PAPER, SIZE, SOFT, ink_on

HEIGHT = 50  # pixels of a cell: two lines of text
GAP = 0.04  # of a cell that lies between it and the next, on each side
NAME, UPRIGHT = 18, 22  # characters of a row's name on one line, of a column's that is upright
LINE = 18.2  # pixels of a line of text


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: where it is, its text, its colour (None: nothing was counted), what pointing at it says, a frame."""

    row: int
    column: int
    lines: tuple[str, ...]
    fill: str | None
    said: str
    framed: bool = False


def grid(
    cells: Sequence[Cell],
    rows: Sequence[str],
    columns: Sequence[str | Sequence[str]],
    titles: tuple[str, str],
    dark: bool,
    width: int | None = None,
) -> Any:
    """The cells in their rows and columns, named by `rows` and `columns`; `titles` says what the two are.

    A column's name may be broken into lines already. A text that its cell has no room for is left to pointing and to
    the table. Cells with nothing in them are hatched.
    """
    figure = go.Figure()
    beside = max((len(line) for name in rows for line in wrapped(name, NAME, 2)), default=1) * CHARACTER + 40
    each = ((width or NARROW) - beside - 24) / max(len(columns), 1)
    broad = 1 - 2 * GAP * HEIGHT / max(each, HEIGHT)
    for empty in (False, True):
        of_it = [cell for cell in cells if (cell.fill is None) is empty]
        if of_it:
            figure.add_bar(
                x=[cell.column for cell in of_it],
                base=[cell.row - 0.5 + GAP for cell in of_it],
                y=[1 - 2 * GAP] * len(of_it),
                width=broad,
                text=[
                    "<br>".join(map(safe, cell.lines)) if max(map(len, cell.lines)) * CHARACTER <= each + 4 else ""
                    for cell in of_it
                ],
                textposition="inside",
                insidetextanchor="middle",
                constraintext="none",
                textangle=0,
                insidetextfont={
                    "size": SIZE,
                    "color": SOFT[dark] if empty else [ink_on(cell.fill or PAPER[dark]) for cell in of_it],
                },
                marker={
                    "color": "rgba(0,0,0,0)" if empty else [cell.fill for cell in of_it],
                    "line": {"color": GRID[dark], "width": 1},
                    **({"pattern": {"shape": "/", "fgcolor": GRID[dark], "size": 8, "solidity": 0.2}} if empty else {}),
                },
                customdata=[[cell.row, cell.column, cell.said] for cell in of_it],
                hovertemplate="%{customdata[2]}<extra></extra>",
                showlegend=False,
            )
    for cell in cells:
        if cell.framed:
            figure.add_shape(
                type="rect",
                x0=cell.column - broad / 2,
                x1=cell.column + broad / 2,
                y0=cell.row - 0.5 + GAP,
                y1=cell.row + 0.5 - GAP,
                line={"width": 3, "color": INK[dark]},
            )
    heads, steep = _heads(columns, each)
    high = max((len(line) for head in heads for line in head), default=1) * CHARACTER
    above = (high if steep else max(map(len, heads), default=1) * LINE) + TITLE + 20
    figure.update_layout(
        template="none",
        barmode="overlay",
        bargap=0,
        height=round(above + HEIGHT * max(len(rows), 1) + 16),
        margin={"l": round(beside), "r": 12, "t": round(above), "b": 16, "autoexpand": False},
        showlegend=False,
        **look(dark),
    )
    bare = {"showgrid": False, "zeroline": False, "fixedrange": True, "tickfont": {"size": SIZE}, "ticks": "", **WHOLE}
    figure.update_xaxes(
        side="top",
        range=[-0.5, len(columns) - 0.5],
        tickvals=list(range(len(columns))),
        tickangle=-90 if steep else 0,
        ticktext=["<br>".join(map(safe, head)) for head in heads],
        **bare,
    )
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        tickvals=list(range(len(rows))),
        **bare,
        ticktext=["<br>".join(map(safe, wrapped(name, NAME, 2))) for name in rows],
    )
    figure.add_annotation(
        text=safe(_corner(titles, width or NARROW)),
        xref="paper",
        x=0,
        xanchor="left",
        xshift=-beside + 12,
        yref="paper",
        y=1,
        yanchor="bottom",
        yshift=above - TITLE - 4,
        align="left",
        font={"color": SOFT[dark]},
        **BARE,
    )
    return figure


def _heads(columns: Sequence[str | Sequence[str]], each: float) -> tuple[list[list[str]], bool]:
    """The lines of each column's name, and whether they stand upright because they have no room."""
    heads = [wrapped(c, max(4, int(each / CHARACTER)), 3) if isinstance(c, str) else list(c) for c in columns]
    if not any(head[-1].endswith("…") for head in heads):
        return heads, False
    whole = [c if isinstance(c, str) else " ".join(c) for c in columns]
    return [[name if len(name) <= UPRIGHT else f"{name[: UPRIGHT - 1]}…"] for name in whole], True


def _corner(titles: tuple[str, str], width: int) -> str:
    """What rows and columns are: `rows ↓   columns →`."""
    most = int(width / CHARACTER / 2) - 4
    down, across = (name if len(name) <= most else f"{name[: most - 1]}…" for name in titles)
    return f"{down} ↓   {across} →"
