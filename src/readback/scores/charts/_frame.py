"""The frame of charts with one row for each condition: few stand with room, many in compact rows like a table's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from readback.scores.charts._chart import cut, safe, wrapped
from readback.scores.charts._columns import Columns, as_columns, distinct, within
from readback.scores.charts._look import CHARACTER, FONT, GRID, INK, PAPER, SIZE, SOFT

ROOMY = 12  # rows that stand with their name and counts above the mark, so that half a narrow screen holds them
BOLD = 9.4  # pixels of an average bold character
NARROW, WIDE = 460, 980  # pixels that half a laptop's page and a whole one leave for a chart
TEXT_LINE, MARK, AIR = 18.2, 24, 16  # pixels: a line of text, a roomy row's mark, what parts it from the next row
COMPACT, COMPACT_MARK = 26, 16
ENTRY = 52  # pixels that an entry of the legend takes besides its text
BAND, TICKS, TITLE = 26, 26, 20  # pixels of a line of the legend, of an axis's numbers, of a line of its title
HOVER = 110  # characters of a compact row's name when pointed at; the table has all
LEAST = 0.18  # share of the width that the marks of a compact chart always get


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the rows of a chart stand, in pixels from the top; `left` and `right` are the columns of compact rows."""

    names: tuple[str, ...]
    counts: tuple[str, ...]
    tops: tuple[float, ...]  # of each row, and where the last ends
    texts: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # the lines of a roomy row's name and counts
    mark: float
    width: int
    left: Columns | None = None
    right: Columns | None = None

    @property
    def compact(self) -> bool:
        """Whether rows are lines of a table."""
        return self.left is not None

    @property
    def pixels(self) -> float:
        """The width that marks have, at least on the screen this is meant for."""
        return (self.width - 24) * (self.parts[1] - self.parts[0])

    @property
    def parts(self) -> tuple[float, float]:
        """Where the marks begin and end, as shares of the width; before them the names, behind them the counts."""
        if self.left is None or self.right is None:
            return 0.0, 1.0
        return round(self.left.pixels / self.width, 4), round(1 - self.right.pixels / self.width, 4)

    def said(self, at: int) -> str:
        """What pointing at a mark says; a compact row shows its name already, and a hundred names are many bytes."""
        return cut(self.counts[at]) if self.compact else f"{cut(self.names[at])}<br>{cut(self.counts[at])}"

    def y(self, at: int) -> float:
        """Where the middle of a row's mark is."""
        top, text = self.tops[at], sum(map(len, self.texts[at])) if self.texts else 0
        return round(top + (TEXT_LINE * text + 4 + self.mark / 2 if self.texts else COMPACT / 2), 1)


def framed(
    names: Sequence[str],
    counts: Sequence[str],
    short: Sequence[Sequence[str]] = (),
    heads: Sequence[str] = (),
    width: int | None = None,
    mark: int = MARK,
) -> Frame:
    """The frame for rows called `names`, with `counts` said beside each mark.

    Compact rows have `short` in columns headed `heads` instead of the counts, which they say when pointed at. `width`
    is the pixels the chart is expected to have (by default a whole page where rows are compact, else half of one).
    """
    told = distinct(names)
    if len(names) <= ROOMY:
        pixels = width or NARROW
        texts = tuple(
            (
                tuple(wrapped(name, int((pixels - 24) / BOLD), 4)),
                tuple(wrapped(text, int((pixels - 24) / CHARACTER), 3)),
            )
            for name, text in zip(told, counts, strict=True)
        )
        high = [TEXT_LINE * sum(map(len, both)) + mark + AIR for both in texts]
        return Frame(tuple(names), tuple(counts), tuple(accumulate(high, initial=0)), texts, mark, pixels)
    pixels = width or WIDE
    right = within([tuple(cells) for cells in short or [(text,) for text in counts]], heads, pixels * 0.4)
    left = within(*as_columns(told), pixels * (1 - LEAST) - right.pixels)
    tops = tuple(COMPACT * at for at in range(len(names) + 1))
    return Frame(tuple(names), tuple(counts), tops, (), COMPACT_MARK, pixels, left, right)


def dress(figure: Any, frame: Frame, dark: bool, title: str, legend: Sequence[str] = ()) -> None:
    """All but the marks: names, counts, axes, legend; `legend` is what the entries of the legend say."""
    lines = -int(-sum(len(entry) * CHARACTER + ENTRY for entry in legend) // (frame.width - BAND))
    says = wrapped(title, int((frame.width - 24) / CHARACTER), 3)
    heads = max((len(head) for side in (frame.left, frame.right) if side for head in side.heads), default=0)
    band = max(TICKS, SIZE * 1.3 * heads + 6)  # the heads of columns are beside the numbers of the axis
    above = band + TITLE * len(says) + 6 if frame.compact else 6
    below = 12 if frame.compact else TICKS + TITLE * len(says) + 10
    high = max(frame.tops[-1], COMPACT)
    figure.update_layout(
        template="none",
        height=round(BAND * lines + above + high + below),
        margin={"l": 12, "r": 12, "t": BAND * lines + above, "b": below, "autoexpand": False},
        showlegend=bool(legend),
        legend=LEGEND,
        **look(dark),
    )
    figure.update_yaxes(range=[high, 0], showticklabels=False, showgrid=False, zeroline=False, fixedrange=True)
    figure.update_xaxes(
        gridcolor=GRID[dark],
        zeroline=False,
        fixedrange=True,
        domain=frame.parts,
        tickfont={"size": SIZE},
        side="top" if frame.compact else "bottom",
    )
    said = {"text": "<br>".join(map(safe, says)), "xref": "paper", "yref": "paper", **BARE}
    if frame.compact:
        _table(figure, frame, dark)
        figure.add_annotation(x=0, xanchor="left", y=1, yanchor="bottom", yshift=band + 2, align="left", **said)
    else:
        _above(figure, frame, dark)
        figure.add_annotation(x=0.5, xanchor="center", y=0, yanchor="top", yshift=-TICKS, **said)


def zero(figure: Any, frame: Frame, dark: bool) -> None:
    """The line at zero, over the grid and under the marks."""
    ends = {"x0": 0, "x1": 0, "y0": 0, "y1": max(frame.tops[-1], COMPACT)}  # "between" takes no shares of an axis
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


def _above(figure: Any, frame: Frame, dark: bool) -> None:
    """Each row's name and counts above its mark, on a band of paper that the lines of the grid stop at."""
    ends = dict(zip(("x0", "x1"), figure.layout.xaxis.range or (0, 1), strict=True))
    for at, (name, counts) in enumerate(frame.texts):
        whole = {"hovertext": cut(frame.names[at])} if name[-1].endswith("…") else {}
        soft = [f'<span style="color:{SOFT[dark]}">{safe(line)}</span>' for line in counts]
        top, high = frame.tops[at], TEXT_LINE * (len(name) + len(counts))
        figure.add_shape(
            type="rect",
            layer="between",
            **ends,
            y0=top,
            y1=round(top + high + 2, 1),
            fillcolor=PAPER[dark],
            line={"width": 0},
        )
        figure.add_annotation(
            text="<br>".join((*(f"<b>{safe(line)}</b>" for line in name), *soft)),
            x=0,
            xref="paper",
            xanchor="left",
            y=top,
            yanchor="top",
            align="left",
            **BARE,
            **whole,
        )


def _table(figure: Any, frame: Frame, dark: bool) -> None:
    """Names and counts as columns beside the marks; the whole name when pointed at, where it is cut."""
    down = {"y0": frame.y(0), "dy": COMPACT}  # a hundred numbers fewer for each column
    ends = ((0.0, frame.parts[0] - 0.008), (frame.parts[1] + 0.012, 1.0))
    for side, axis, ends_at in ((frame.left, "x2", ends[0]), (frame.right, "x3", ends[1])):
        if side is None:
            continue
        for at, start in enumerate(side.starts):
            whole = side is frame.left and side.clipped and not at
            more = {
                "hovertext": [cut(name, HOVER) for name in frame.names],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
            figure.add_scatter(
                x=[start] * len(frame.names),
                **down,
                text=[safe(row[at]) for row in side.shown],
                mode="text",
                xaxis=axis,
                textposition="middle right",
                showlegend=False,
                **(more if whole else {"hoverinfo": "skip"}),
            )
            if side.heads and side.heads[at]:
                figure.add_annotation(
                    text="<br>".join(map(safe, side.heads[at])),
                    x=start,
                    xref=axis,
                    xanchor="left",
                    y=1,
                    yref="paper",
                    yanchor="bottom",
                    yshift=4,
                    align="left",
                    font={"color": SOFT[dark]},
                    hovertext=cut(side.titles[at]),
                    **BARE,
                )
        hidden = {"visible": False, "fixedrange": True, "anchor": "y"}
        layout = {"domain": [max(ends_at[0], 0), max(ends_at[1], 0.01)], "range": [0, max(sum(side.widths), 1)]}
        figure.update_layout({f"xaxis{axis[1]}": layout | hidden})
