"""The frame of charts with one row for each condition: names before the marks, counts behind them, as in a table.

Names and counts have the pixels they need, whatever the width of the screen; the marks have all the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores.charts._chart import cut, safe, wrapped
from readback.scores.charts._columns import CHARACTER as COLUMN
from readback.scores.charts._columns import Columns, as_columns, distinct, within
from readback.scores.charts._look import CHARACTER, FONT, GRID, INK, PAPER, SIZE, SOFT

FEW = 12  # rows that have room between them
BOLD = 9.4  # pixels of an average bold character
WIDE = 980  # pixels that a laptop's page leaves for a chart
NARROW = 460  # and half of it
TEXT_LINE = 18.2  # pixels of a line of text
MARK, COMPACT_MARK = 24, 16  # pixels of a mark, where rows are few or many
ROW, COMPACT, AIR = 38, 26, 8  # pixels of a row, where they are few or many, and around a text of several lines
EDGE = 12  # pixels around the whole
GUTTER = 14  # between texts and marks
ENTRY = 52  # pixels that an entry of the legend takes besides its text
BAND, TICKS, TITLE = 26, 26, 20  # pixels of a line of the legend, of an axis's numbers, of a line of its title
LEAST = 0.18  # share of the width that marks always get


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the rows of a chart stand, in pixels from the top; `left` and `right` are the columns of their texts."""

    names: tuple[str, ...]
    counts: tuple[str, ...]
    left: Columns
    right: Columns
    high: float  # of a row
    mark: float
    width: int

    @property
    def pixels(self) -> float:
        """The width that marks have, at least on the screen this is meant for."""
        return self.width - self.before - self.behind

    @property
    def before(self) -> float:
        """The pixels before the marks."""
        return EDGE + self.left.pixels + GUTTER

    @property
    def behind(self) -> float:
        """The pixels behind the marks."""
        return EDGE + self.right.pixels + GUTTER

    @property
    def ends(self) -> float:
        """Where the last row ends."""
        return max(len(self.names), 1) * self.high

    def said(self, at: int) -> str:
        """What pointing at a mark says; its row shows its name already, and a hundred names are many bytes."""
        return cut(self.counts[at])

    def top(self, at: int) -> float:
        """Where a row begins."""
        return at * self.high

    def y(self, at: int) -> float:
        """Where the middle of a row's mark is."""
        return round((at + 0.5) * self.high, 1)


def framed(
    names: Sequence[str],
    counts: Sequence[str],
    short: Sequence[Sequence[str]] = (),
    heads: Sequence[str] = (),
    width: int | None = None,
    mark: int | None = None,
) -> Frame:
    """The frame for rows called `names`, with `counts` said of each mark when it is pointed at.

    `short` are the counts in columns headed `heads`. `width` is the pixels the chart is expected to have at least (by
    default a whole page), `mark` those of a mark's height.
    """
    pixels, few = width or WIDE, len(names) <= FEW
    right = within([tuple(cells) for cells in short or [(text,) for text in counts]], heads, pixels * 0.4)
    left = within(*as_columns(distinct(names)), pixels * (1 - LEAST) - right.pixels)
    lines = max((side.lines for side in (left, right)), default=1)
    high = max(ROW if few else COMPACT, TEXT_LINE * lines + AIR, (mark or 0) + AIR)
    each = mark or (MARK if few else COMPACT_MARK)
    return Frame(tuple(names), tuple(counts), left, right, round(high, 1), each, pixels)


def dress(figure: Any, frame: Frame, dark: bool, title: str, legend: Sequence[str] = ()) -> None:
    """All but the marks: names, counts, axes, legend; `legend` is what the entries of the legend say."""
    lines = -int(-sum(len(entry) * CHARACTER + ENTRY for entry in legend) // (frame.width - BAND))
    says = wrapped(title, int((frame.width - 24) / CHARACTER), 3)
    heads = max((len(head) for side in (frame.left, frame.right) for head in side.heads), default=0)
    band = max(TICKS, SIZE * 1.3 * heads + 6)  # the heads of columns are beside the numbers of the axis
    above = BAND * lines + band + TITLE * len(says) + 6
    rows = {"range": [frame.ends, 0], "showgrid": False, "zeroline": False, "fixedrange": True}
    about = {
        "text": "<br>".join(map(safe, says)), "x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper",
        "xshift": EDGE - frame.before, "yanchor": "bottom", "yshift": band + 2, "align": "left", **BARE,
    }  # fmt: skip
    layout = figure.layout.to_plotly_json()
    axes = [key for key in {**layout, "xaxis": None, "yaxis": None} if key.startswith(("xaxis", "yaxis"))]
    across = {
        "gridcolor": GRID[dark], "zeroline": False, "fixedrange": True, "tickfont": {"size": SIZE}, "side": "top",
        "range": layout.get("xaxis", {}).get("range"), **WHOLE,
    }  # fmt: skip
    own = {"x": across, "y": {"showticklabels": False, **rows}}
    first = 2 + sum(key.startswith("yaxis") for key in axes if key != "yaxis")
    sides = [(frame.left, 0, -frame.left.pixels - GUTTER), (frame.right, 1, GUTTER)]
    columns = dict(enumerate((one for side in sides for one in _columns(frame, *side, rows, dark)), first))
    nothing = {"type": "scatter", "x": [None], "y": [None], "showlegend": False, "hoverinfo": "skip"}
    figure.add_traces([{**nothing, "yaxis": f"y{number}"} for number in columns])
    # All at once: whatever Plotly is told of a layout, it looks at the whole figure.
    figure.layout = {
        **layout,
        **{key: {**layout.get(key, {}), **own[key[0]]} for key in axes},
        "template": "none",
        "height": round(above + frame.ends + EDGE),
        "margin": {"l": frame.before, "r": frame.behind, "t": above, "b": EDGE, "autoexpand": False},
        "showlegend": bool(legend),
        "legend": LEGEND,
        "annotations": [*layout.get("annotations", ()), about, *(head for _, head in columns.values() if head)],
        **look(dark),
        **{f"yaxis{number}": axis for number, (axis, _) in columns.items()},
    }


def zero(figure: Any, frame: Frame, dark: bool) -> None:
    """The line at zero, over the grid and under the marks."""
    ends = {"x0": 0, "x1": 0, "y0": 0, "y1": frame.ends}  # "between" takes no shares of an axis
    figure.add_shape(type="line", xref="x", yref="y", layer="between", line={"color": INK[dark], "width": 2}, **ends)


def look(dark: bool) -> dict[str, Any]:
    """What the layouts of all charts share."""
    return {
        "paper_bgcolor": PAPER[dark],  # a downloaded picture reads on every slide
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK[dark], "size": SIZE, "family": FONT},
        "hoverlabel": {
            "font": {"size": SIZE, "family": FONT, "color": INK[dark]},
            "bgcolor": PAPER[dark],
            "bordercolor": SOFT[dark],
            "align": "left",
        },
        "hovermode": "closest",
        "dragmode": False,
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": SOFT[dark], "activecolor": INK[dark]},
    }


# No label is hidden where it passes the edge, and none has to be measured for that, which took longer than the bars.
WHOLE: Mapping[str, Any] = {"ticklabeloverflow": "allow"}
BARE: Mapping[str, Any] = {"showarrow": False, "borderpad": 0}  # an annotation that is only its text
LEGEND: Mapping[str, Any] = {
    "orientation": "h",
    "traceorder": "normal",
    "itemclick": False,
    "itemdoubleclick": False,
    "itemwidth": 30,
    "x": 0,
    "xref": "container",
    "xanchor": "left",
    "y": 1,
    "yref": "container",
    "yanchor": "top",
    "font": {"size": SIZE},
}


def _columns(
    frame: Frame, side: Columns, at: int, start: float, rows: Mapping[str, Any], dark: bool
) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Texts in columns, each the labels of an axis of its own, so that they keep their pixels at any width: the axis,
    and the annotation that is its head.
    """
    places = [frame.y(row) for row in range(len(frame.names))]
    for column, begins in enumerate(side.starts):
        shift = round(start + begins * COLUMN)
        texts = ["<br>".join(map(safe, row[column].split("\n"))) for row in side.shown]
        axis = {
            **rows, "overlaying": "y", "anchor": "free", "position": at, "shift": shift, "side": "right",
            "tickmode": "array", "tickvals": places, "ticktext": texts, "tickfont": {"size": SIZE},
            "showline": False, "ticks": "", "ticklabelstandoff": 0, "automargin": False, **WHOLE,
        }  # fmt: skip
        head = {
            "text": "<br>".join(map(safe, side.heads[column])), "x": at, "xref": "paper", "xanchor": "left",
            "xshift": shift, "y": 1, "yref": "paper", "yanchor": "bottom", "yshift": 4, "align": "left",
            "font": {"color": SOFT[dark]}, **BARE,
        } if side.heads and side.heads[column] else None  # fmt: skip
        yield axis, head
