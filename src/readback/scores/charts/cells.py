"""Draw a grid of cells with numbers in them: the ground of heat maps, joint tables and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import escape, finish_figure, wrap_name
from readback.scores.charts.template import GRID, INK, LINE, SIZE, SOFT, build_hatching, choose_ink

HEIGHT = 50  # pixels of a cell: two lines of text
SPACE = 0.04  # of a cell that lies between it and the next, on each side
NAME = 22  # characters of a line of a row's or an upright column's name
WIDTH = 104  # characters that the names of all columns may take beside each other


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its place, its lines of text, its colour (None: nothing was counted), its hover text, a frame."""

    row: int
    column: int
    lines: tuple[str, ...]
    fill: str | None
    hover: str
    framed: bool = False


def draw_grid(
    cells: Sequence[Cell],
    rows: Sequence[str],
    columns: Sequence[str | Sequence[str]],
    titles: tuple[str, str],
    title: str,
    dark: bool,
) -> go.Figure:
    """Draw cells in rows and columns, named by `rows` and `columns`; `titles` says what the two are.

    A column's name may be broken into lines already. A text that its cell has no room for is left to pointing and to
    the table. Cells without a colour are hatched.
    """
    figure = go.Figure()
    filled = [cell for cell in cells if cell.fill is not None]
    if filled:
        _draw_bars(figure, filled, {"color": [cell.fill for cell in filled]}, dark)
    empty = [cell for cell in cells if cell.fill is None]
    if empty:
        _draw_bars(figure, empty, build_hatching(dark), dark)
    for cell in cells:
        if cell.framed:
            x, y, half = cell.column, cell.row, 0.5 - SPACE
            line = {"width": 3, "color": INK[dark]}
            figure.add_shape(type="rect", x0=x - half, x1=x + half, y0=y - half, y1=y + half, line=line)
    heads, upright = _wrap_heads(columns)
    figure.update_xaxes(
        range=[-0.5, len(columns) - 0.5],
        showgrid=False,
        tickvals=list(range(len(columns))),
        tickangle=-90 if upright else 0,
        ticktext=["<br>".join(map(escape, head)) for head in heads],
    )
    figure.update_yaxes(
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        tickvals=list(range(len(rows))),
        ticklabelstandoff=4,
        ticktext=["<br>".join(map(escape, wrap_name(name, NAME, 2))) for name in rows],
    )
    # a line is about two characters high
    if upright:
        above = NAME / 2
    else:
        above = max(map(len, heads), default=1)
    height = HEIGHT * max(len(rows), 1) + LINE * above
    return finish_figure(figure, title, f"{titles[0]} ↓ · {titles[1]} →", height, dark)


def _draw_bars(figure: go.Figure, cells: Sequence[Cell], marker: dict[str, object], dark: bool) -> None:
    inks = [SOFT[dark] if cell.fill is None else choose_ink(cell.fill) for cell in cells]
    figure.add_bar(
        x=[cell.column for cell in cells],
        base=[cell.row - 0.5 + SPACE for cell in cells],
        y=[1 - 2 * SPACE] * len(cells),
        width=1 - 2 * SPACE,
        text=["<br>".join(map(escape, cell.lines)) for cell in cells],
        insidetextfont={"size": SIZE, "color": inks},
        marker={**marker, "line": {"color": GRID[dark], "width": 1}},
        customdata=[[cell.row, cell.column, cell.hover] for cell in cells],
        hovertemplate="%{customdata[2]}<extra></extra>",
        showlegend=False,
    )


def _wrap_heads(columns: Sequence[str | Sequence[str]]) -> tuple[list[list[str]], bool]:
    """Return the lines of each column's name, and whether they stand upright because they have no room."""
    width = max(4, WIDTH // max(len(columns), 1))
    heads = [wrap_name(column, width, 3) if isinstance(column, str) else list(column) for column in columns]
    if not any(head[-1].endswith("…") for head in heads):
        return heads, False
    names = [column if isinstance(column, str) else " ".join(column) for column in columns]
    return [wrap_name(name, NAME, 2) for name in names], True
