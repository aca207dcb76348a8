"""Lay out charts with one row for each condition: names before the marks, counts behind them, as in a table.

Every column of text is the labels of an axis of its own, which Plotly measures and sets beside the next one
(`automargin`, `autoshift`); the marks have the rest of the width. What is decided here is where a text is broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import Say, escape, finish_figure, shorten_name, wrap_name
from readback.scores.charts.template import INK, LINE, SOFT
from readback.scores.summary_row import Row

FEW = 12  # rows that have room between them
ROW, COMPACT, AIR = 38, 26, 8  # pixels of a row, where they are few or many, and around a text of several lines
MARK = 0.62  # of a row's height that its bar takes
PART = " · "  # what separates the factors of a condition's name
SINGLE, COLUMN = 40, 24  # characters of a line of the only column, and of one among several
HEAD = 12  # characters that a part of a head may widen its column to
LEAST = 5  # characters that every column keeps
LINES = 6  # of a cell; what is longer still is cut, and the table has it whole
WIDTH = 92  # characters that names and counts may take together, so that the marks have room
PIECE = re.compile(r"[^ _/-]+[ _/-]?")  # what a head is broken after


@dataclass(frozen=True, slots=True)
class Column:
    """A column of texts: the lines of its head (none: no head) and those of each row's cell."""

    head: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a chart, from top to bottom at y = 0, 1, 2 …; `left` and `right` are their columns of texts."""

    names: tuple[str, ...]
    counts: tuple[str, ...]
    left: tuple[Column, ...]
    right: tuple[Column, ...]
    height: float  # pixels of a row

    @property
    def bottom(self) -> float:
        """The y where the last row ends."""
        return max(len(self.names), 1) - 0.5

    @property
    def head_lines(self) -> int:
        """The lines of the highest head."""
        return max((len(column.head) for column in (*self.left, *self.right)), default=0)

    @property
    def top(self) -> float:
        """The y where the heads begin, or the first row."""
        return round(-0.5 - LINE * self.head_lines / self.height, 3)

    def format_hover(self, index: int) -> str:
        """Return what a mark says when pointed at; its row shows its name already, which would be many bytes."""
        return shorten_name(self.counts[index])


def arrange_rows(
    names: Sequence[str],
    counts: Sequence[str],
    cells: Sequence[Sequence[str]] = (),
    heads: Sequence[str] = (),
    height: int = 0,
) -> Rows:
    """Return the rows called `names`; each mark says its `counts` when it is pointed at.

    `cells` are the counts in columns headed `heads`. `height` is the least height of a row in pixels.
    """
    right = wrap_columns([tuple(row) for row in cells or [(text,) for text in counts]], heads, WIDTH)
    rest = WIDTH - sum(_measure_width(column) + 1 for column in right)
    left = wrap_columns(*split_names(drop_shared_parts(names)), rest)
    lines = max((len(cell) for column in (*left, *right) for cell in column.cells), default=1)
    usual = ROW if len(names) <= FEW else COMPACT
    needed = LINE * lines + AIR if lines > 1 else 0
    return Rows(tuple(names), tuple(counts), left, right, max(usual, needed, height))


def finish_rows(figure: go.Figure, rows: Rows, dark: bool, title: str, subtitle: str) -> go.Figure:
    """Give a figure with rows their texts, its heading and its height."""
    axis = {"range": [rows.bottom, rows.top], "showgrid": False}
    figure.update_layout(yaxis={**axis, "showticklabels": False})
    # Shifts add up from the marks outwards, so the nearest column comes first.
    sides = [(column, "left", 0) for column in reversed(rows.left)] + [(column, "right", 1) for column in rows.right]
    for number, (column, side, position) in enumerate(sides, 2):
        places, texts = _label_column(rows, column, dark)
        figure.layout[f"yaxis{number}"] = {
            **axis,
            "overlaying": "y",
            "anchor": "free",
            "autoshift": True,
            "side": side,
            "position": position,
            "tickmode": "array",
            "tickvals": places,
            "ticktext": texts,
            "ticklabelstandoff": AIR,
        }
        # An axis that no trace uses is not drawn.
        figure.add_scatter(x=[None], y=[None], yaxis=f"y{number}", showlegend=False, hoverinfo="skip")
    labels = sum(_measure_width(column) + 1 for column in (*rows.left, *rows.right))
    return finish_figure(figure, title, subtitle, rows.height * (rows.bottom - rows.top), dark, labels)


def draw_vertical_line(figure: go.Figure, rows: Rows, x: float, dark: bool) -> None:
    """Draw a line beside all rows, over the grid and under the marks."""
    line = {"color": INK[dark], "width": 2}
    figure.add_shape(type="line", x0=x, x1=x, y0=-0.5, y1=rows.bottom, layer="between", line=line)


def add_unscored(
    cells: Sequence[tuple[str, ...]], heads: tuple[str, ...], rows: Sequence[Row], say: Say
) -> tuple[Sequence[tuple[str, ...]], tuple[str, ...]]:
    """Return the cells and heads with a column of what is not scored, if anything is not."""
    unscored = [_format_unscored(row) for row in rows]
    if not any(unscored):
        return cells, heads
    with_unscored = [(*row_cells, text) for row_cells, text in zip(cells, unscored, strict=True)]
    return with_unscored, (*heads, say("chart_unscored_short"))


def drop_shared_parts(names: Sequence[str]) -> list[str]:
    """Return names without the parts that all of them share, if something is left to tell them apart.

    A name that is made otherwise than most, such as that of a file among factors, stays as it is.
    """
    rows = [name.split(PART) for name in names]
    count = _find_usual_length(rows)
    similar = [row for row in rows if len(row) == count]
    differing = [index for index, column in enumerate(zip(*similar, strict=True)) if len(set(column)) > 1]
    if len(similar) < 2 or not differing:
        return list(names)
    shortened = []
    for row in rows:
        if len(row) == count:
            parts = [row[index] for index in differing]
        else:
            parts = row
        shortened.append(PART.join(parts))
    return shortened


def split_names(names: Sequence[str]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """Return names of the form `factor=value · factor=value` as cells of columns headed by the factors.

    Names that are only values make columns without heads, where most names have as many; a name that has more or
    fewer is one cell. Names that have little in common are one column.
    """
    rows = [tuple(name.split(PART)) for name in names]
    count = _find_usual_length(rows)
    similar = [row for row in rows if len(row) == count]
    if 2 * len(similar) <= len(rows) or count == 1:
        return [(name,) for name in names], ()
    heads = [_find_factor(column) for column in zip(*similar, strict=True)]
    cells: list[tuple[str, ...]] = []
    for name, row in zip(names, rows, strict=True):
        if len(row) != count:
            cells.append((name,))
        else:
            cells.append(tuple(part.partition("=")[2] if head else part for head, part in zip(heads, row, strict=True)))
    return cells, tuple(heads) if any(heads) else ()


def wrap_columns(rows: Sequence[tuple[str, ...]], heads: Sequence[str], width: int) -> tuple[Column, ...]:
    """Return cells as columns of about `width` characters in all: the widest are broken into more lines.

    A row with fewer cells than the others has its text in the last column.
    """
    count = max(map(len, rows), default=1)
    titles = tuple(heads) or ("",) * count
    most = SINGLE if count == 1 else COLUMN
    padded = [row if len(row) == count else (*[""] * (count - 1), row[0]) for row in rows]
    widths = []
    for title, column in zip(titles, _list_columns(padded, count), strict=True):
        piece = max(map(len, PIECE.findall(title)), default=0)
        widths.append(max(min(max(map(len, column), default=1), most), min(HEAD, piece), 1))
    while sum(widths) + count > width and max(widths) > LEAST:
        widths[widths.index(max(widths))] -= 1
    columns = []
    for title, column, limit in zip(titles, _list_columns(padded, count), widths, strict=True):
        cells = tuple(tuple(wrap_name(text, limit, LINES)) if text.split() else ("",) for text in column)
        columns.append(Column(tuple(wrap_name(title, limit, 4)) if title else (), cells))
    return tuple(columns)


def _list_columns(rows: Sequence[tuple[str, ...]], count: int) -> Iterator[tuple[str, ...]]:
    for index in range(count):
        yield tuple(row[index] for row in rows)


def _measure_width(column: Column) -> int:
    """Return the characters of the longest line of a column."""
    return max((len(line) for lines in (column.head, *column.cells) for line in lines), default=0)


def _find_usual_length(rows: Sequence[Sequence[str]]) -> int:
    """Return how many parts most names have."""
    if rows:
        return Counter(map(len, rows)).most_common(1)[0][0]
    return 0


def _find_factor(parts: Sequence[str]) -> str:
    """Return the factor that all parts name before a `=`, or ""."""
    factors = {part.partition("=")[0] for part in parts}
    if len(factors) == 1 and all("=" in part for part in parts):
        return factors.pop()
    return ""


def _label_column(rows: Rows, column: Column, dark: bool) -> tuple[list[float], list[str]]:
    """Return the places and texts of the labels that are a column: its head, at the foot of all heads, and cells."""
    places: list[float] = list(range(len(column.cells)))
    texts = ["<br>".join(map(escape, cell)) for cell in column.cells]
    if column.head:
        lines = [" "] * (rows.head_lines - len(column.head)) + [escape(line) for line in column.head]
        coloured = "<br>".join(f'<span style="color:{SOFT[dark]}">{line}</span>' for line in lines)
        places.insert(0, round((rows.top - 0.5) / 2, 3))
        texts.insert(0, coloured)
    return places, texts


def _format_unscored(row: Row) -> str:
    """Return what is not scored, in a compact row: failed, missing and inapplicable ones; "" if all is scored."""
    kinds = (row.failed, row.missing, row.not_applicable)
    if any(kinds):
        return "/".join(f"{n:,}" for n in kinds)
    return ""
