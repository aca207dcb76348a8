"""Charts of scores: counts in, a figure and its words out; the axis is the criterion's own scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.criteria import MINUS, number
from readback.scores.stats import Row
from readback.types import Criterion

Say = Callable[..., str]  # the sentence of a key under `scores.`, with its places filled

# From the lowest to the highest step. Orange to blue is told apart by people who see colours differently; every
# step has a pattern of its own as well, so that nothing depends on colour.
LIGHT = ("#8c2d04", "#e6894a", "#b9bec6", "#6baed6", "#2171b5", "#08306b")
DARK = ("#d9641f", "#f0b07a", "#7c8591", "#4f8fbf", "#8ab8e6", "#cfe4fa")
ON_LIGHT = ("#ffffff", "#1d2127", "#1d2127", "#1d2127", "#ffffff", "#ffffff")  # what is written on each step
ON_DARK = ("#14171b", "#14171b", "#14171b", "#14171b", "#14171b", "#14171b")
PATTERNS = ("x", "\\", ".", "", "/", "-", "|", "+")
INK = {False: "#1d2127", True: "#e6e8eb"}
GRID = {False: "#d5d9df", True: "#363d46"}
PAPER = {False: "#ffffff", True: "#14171b"}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
LINE, TOP, BOTTOM = 72, 44, 56  # pixels for a row (two lines of text, then its mark), above all, and for the axis
BELOW, THICK = 0.24, 0.36  # where the mark stands in its row, and how thick a bar is, as shares of the row
SHORT, LONG = 48, 160  # characters of a name beside its bar, and when pointed at
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
    for value, step in zip(values, steps(values, criterion, dark), strict=True):
        counts = [dict(row.distribution).get(value, 0) for row in rows]
        shares = [100 * count / row.n if row.n else 0 for count, row in zip(counts, rows, strict=True)]
        figure.add_bar(
            x=shares,
            y=[at + BELOW for at in range(len(rows))],
            width=THICK,
            orientation="h",
            name=_minus(value),
            text=[str(n) if share >= 100 * SMALL else "" for n, share in zip(counts, shares, strict=True)],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": step.ink, "size": 13, "shadow": f"0 0 2px {step.shade}, 0 0 4px {step.shade}"},
            marker={
                "color": step.shade,
                "line": {"color": PAPER[dark], "width": 1},
                "pattern": {
                    "shape": step.pattern,
                    "fgcolor": PAPER[dark],
                    "fgopacity": 0.45,
                    "size": 7,
                    "solidity": 0.25,
                },
            },
            customdata=[[_cut(name, LONG), n] for name, n in zip(names, counts, strict=True)],
            hovertemplate=f"%{{customdata[0]}}<br>{_minus(value)}: %{{customdata[1]}} (%{{x:.0f}} %)<extra></extra>",
        )
    _frame(figure, rows, names, say, dark)
    figure.update_layout(barmode="stack")
    figure.update_xaxes(range=[0, 100], tickvals=[0, 25, 50, 75, 100], title=_title(say("share_axis")))
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
        y=[at + BELOW for at, _, _ in shown],
        mode="markers+text",
        text=[_minus(f"{mean:.2f}") for _, _, mean in shown],
        textposition="middle right",
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
        cliponaxis=False,
    )
    _frame(figure, rows, names, say, dark)
    low, high = span(criterion, [mean for _, _, mean in shown])
    room = (high - low) * 0.04
    figure.update_xaxes(range=[low - room, high + room], title=_title(say("mean_axis")))
    if criterion.values:
        figure.update_xaxes(tickvals=list(criterion.values), ticktext=[_minus(number(v)) for v in criterion.values])
    said = [
        say(
            "alt_mean", name=name, mean="–" if row.mean is None else _minus(f"{row.mean:.2f}"), counts=counted(row, say)
        )
        for name, row in zip(names, rows, strict=True)
    ]
    return Chart(figure, " ".join((say("alt_means", criterion=criterion.name), *said)))


@dataclass(frozen=True, slots=True)
class Step:
    """How one value of a scale looks: its colour, its pattern, and the colour of what is written on it."""

    shade: str
    pattern: str
    ink: str


def steps(values: Sequence[str], criterion: Criterion, dark: bool = False) -> tuple[Step, ...]:
    """A look for each value: the better end of the scale blue, the worse orange."""
    shades, inks = (DARK, ON_DARK) if dark else (LIGHT, ON_LIGHT)
    many = len(values)
    places = [round(at * (len(shades) - 1) / (many - 1)) if many > 1 else len(shades) - 2 for at in range(many)]
    if criterion.direction == "down":
        places.reverse()
    return tuple(Step(shades[place], PATTERNS[at % len(PATTERNS)], inks[place]) for at, place in enumerate(places))


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
    """What both charts share: each row's name and counts above its mark, so that a narrow screen holds them."""
    keys = [trace.name for trace in figure.data if trace.name]
    wide = any(len(key) > 4 for key in keys)
    legend = 22 * (-(-len(keys) // (3 if wide else 6)) - 1) if keys else 0  # the lines it takes beyond the first
    figure.update_layout(
        template="plotly_dark" if dark else "plotly_white",
        height=TOP + legend + LINE * max(len(rows), 1) + BOTTOM,
        margin={"l": 12, "r": 24, "t": TOP + legend, "b": BOTTOM},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": INK[dark], "size": 14, "family": FONT},
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "entrywidth": 82 if wide else 26,
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
        },
        hoverlabel={"font": {"size": 14, "family": FONT}},
        dragmode=False,
    )
    for at, (name, row) in enumerate(zip(names, rows, strict=True)):
        figure.add_annotation(
            text=f'{_cut(name)}<br><span style="font-size:12px">{counted(row, say)}</span>',
            x=0,
            xref="paper",
            xanchor="left",
            y=at - 0.48,
            yanchor="top",
            align="left",
            showarrow=False,
            borderpad=0,
        )
    figure.update_yaxes(  # the first row on top
        range=[len(rows) - 0.5, -0.5], showticklabels=False, showgrid=False, zeroline=False, fixedrange=True
    )
    figure.update_xaxes(gridcolor=GRID[dark], zeroline=False, fixedrange=True)


def _cut(name: str, most: int = SHORT) -> str:
    """A name as a tick shows it: short, and never read as markup."""
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "font": {"size": 14}}


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
