"""Charts of scores: counts in, a figure and its words out; the axis is the criterion's own scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.criteria import MINUS, number
from readback.stats import Row
from readback.types import Criterion

Say = Callable[..., str]  # the sentence of a key under `scores.`, with its places filled

# From the lowest to the highest step. Orange to blue is told apart by people who see colours differently; every
# step has a pattern of its own as well, so that nothing depends on colour.
LIGHT = ("#8c2d04", "#e6894a", "#b9bec6", "#6baed6", "#2171b5", "#08306b")
DARK = ("#d9641f", "#f0b07a", "#7c8591", "#4f8fbf", "#8ab8e6", "#cfe4fa")
PATTERNS = ("x", "\\", ".", "", "/", "-", "|", "+")
INK = {False: "#1d2127", True: "#e6e8eb"}
GRID = {False: "#d5d9df", True: "#363d46"}
PAPER = {False: "#ffffff", True: "#14171b"}
LINE = 34  # pixels for a condition: its name and, below it, its counts
SHORT, LONG = 44, 160  # characters of a name beside its bar, and when pointed at
SMALL = 0.06  # share below which a number does not fit into its bar


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure, and the same in words for those who do not see it."""

    figure: Any
    alt: str


def distribution(
    rows: Sequence[Row], names: Sequence[str], criterion: Criterion, say: Say, dark: bool = False
) -> Chart:
    """How many answers got each value, as one stacked bar for each row; its parts are shares of the scored ones."""
    figure = go.Figure()
    values = list(dict.fromkeys(value for row in rows for value, _ in row.distribution))
    shades, patterns = steps(values, criterion, dark)
    for value, shade, pattern in zip(values, shades, patterns, strict=True):
        counts = [dict(row.distribution).get(value, 0) for row in rows]
        shares = [100 * count / row.n if row.n else 0 for count, row in zip(counts, rows, strict=True)]
        figure.add_bar(
            x=shares,
            y=list(range(len(rows))),
            orientation="h",
            name=_minus(value),
            text=[str(n) if share >= 100 * SMALL else "" for n, share in zip(counts, shares, strict=True)],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": INK[dark], "size": 13, "shadow": f"0 0 3px {PAPER[dark]}, 0 0 3px {PAPER[dark]}"},
            marker={
                "color": shade,
                "line": {"color": PAPER[dark], "width": 1},
                "pattern": {"shape": pattern, "fgcolor": PAPER[dark], "fgopacity": 0.55, "size": 7, "solidity": 0.25},
            },
            customdata=[[_cut(name, LONG), n] for name, n in zip(names, counts, strict=True)],
            hovertemplate=f"%{{customdata[0]}}<br>{_minus(value)}: %{{customdata[1]}} (%{{x:.0f}} %)<extra></extra>",
        )
    _frame(figure, rows, names, say, dark)
    figure.update_layout(barmode="stack", bargap=0.3)
    figure.update_xaxes(range=[0, 100], ticksuffix=" %", title=say("share_axis"))
    said = [
        say(
            "alt_row",
            name=name,
            counts=counted(row, say),
            values=", ".join(f"{_minus(v)}: {n}" for v, n in row.distribution),
        )
        for name, row in zip(names, rows, strict=True)
    ]
    return Chart(figure, " ".join((say("alt_distribution", criterion=criterion.name), *said)))


def means(rows: Sequence[Row], names: Sequence[str], criterion: Criterion, say: Say, dark: bool = False) -> Chart:
    """The mean of each row on the whole scale, with its interval where there is one."""
    figure = go.Figure()
    shown = [(at, row, row.mean) for at, row in enumerate(rows) if row.mean is not None]
    ends = [row.interval for _, row, _ in shown]
    figure.add_scatter(
        x=[mean for _, _, mean in shown],
        y=[at for at, _, _ in shown],
        mode="markers+text",
        text=[_minus(f"{mean:.2f}") for _, _, mean in shown],
        textposition="top center",
        textfont={"color": INK[dark], "size": 13},
        marker={"symbol": "diamond", "size": 11, "color": LIGHT[4] if not dark else DARK[4]},
        error_x=None
        if not any(ends)
        else {
            "type": "data",
            "symmetric": False,
            "array": [end[1] - mean if end else 0 for (_, _, mean), end in zip(shown, ends, strict=True)],
            "arrayminus": [mean - end[0] if end else 0 for (_, _, mean), end in zip(shown, ends, strict=True)],
        },
        customdata=[[_cut(names[at], LONG), row.n] for at, row, _ in shown],
        hovertemplate="%{customdata[0]}<br>%{x:.4f} (n %{customdata[1]})<extra></extra>",
        showlegend=False,
    )
    _frame(figure, rows, names, say, dark)
    low, high = span(criterion, [mean for _, _, mean in shown])
    room = (high - low) * 0.04
    figure.update_xaxes(range=[low - room, high + room], title=say("mean_axis", criterion=_cut(criterion.name)))
    if criterion.values:
        figure.update_xaxes(tickvals=list(criterion.values), ticktext=[_minus(number(v)) for v in criterion.values])
    said = [
        say(
            "alt_mean", name=name, mean="–" if row.mean is None else _minus(f"{row.mean:.2f}"), counts=counted(row, say)
        )
        for name, row in zip(names, rows, strict=True)
    ]
    return Chart(figure, " ".join((say("alt_means", criterion=criterion.name), *said)))


def steps(values: Sequence[str], criterion: Criterion, dark: bool = False) -> tuple[list[str], list[str]]:
    """A colour and a pattern for each value: the better end of the scale blue, the worse orange."""
    palette = DARK if dark else LIGHT
    many = len(values)
    places = [round(at * (len(palette) - 1) / (many - 1)) if many > 1 else len(palette) - 2 for at in range(many)]
    if criterion.direction == "down":
        places.reverse()
    return [palette[at] for at in places], [PATTERNS[at % len(PATTERNS)] for at in range(many)]


def span(criterion: Criterion, seen: Sequence[float]) -> tuple[float, float]:
    """The axis: the whole scale, or what was seen where no scale is known."""
    low, high = criterion.low, criterion.high
    if low is not None and high is not None and low < high:
        return low, high
    ends = (*seen, *(value for value in (low, high) if value is not None)) or (0.0,)
    return (min(ends), max(ends)) if min(ends) < max(ends) else (min(ends) - 1, max(ends) + 1)


def counted(row: Row, say: Say) -> str:
    """n, and whatever is not scored, in words: on every mark."""
    parts = [say("n", n=row.n)]
    parts += [
        say(name, n=n)
        for name, n in (("n_failed", row.failed), ("n_missing", row.missing), ("n_na", row.not_applicable))
        if n
    ]
    return ", ".join(parts)


def _frame(figure: Any, rows: Sequence[Row], names: Sequence[str], say: Say, dark: bool) -> None:
    """What both charts share: a line for each row with its name and counts, our colours, nothing moving."""
    figure.update_layout(
        template="plotly_dark" if dark else "plotly_white",
        height=110 + LINE * 1.4 * max(len(rows), 1),
        margin={"l": 8, "r": 16, "t": 36, "b": 48},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": INK[dark], "size": 14},
        legend={"orientation": "h", "traceorder": "normal", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
        hoverlabel={"font": {"size": 14}},
        dragmode=False,
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[f"{_cut(name)}<br>{counted(row, say)}" for name, row in zip(names, rows, strict=True)],
        range=[len(rows) - 0.5, -0.5],  # the first row on top
        automargin=True,
        showgrid=False,
        zeroline=False,
    )
    figure.update_xaxes(gridcolor=GRID[dark], zeroline=False, fixedrange=True)
    figure.update_yaxes(fixedrange=True)


def _cut(name: str, most: int = SHORT) -> str:
    """A name as a tick shows it: short, and never read as markup."""
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
