"""Define how charts look: colours that colour-blind people tell apart, a Plotly template, a toolbar, larger type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.types import Criterion

# From the lowest to the highest step, orange to blue. Each has at least 4.5:1 against the paper, and so against ON,
# what is written on it; every step has a pattern of its own as well, so that nothing depends on colour.
LIGHT = ("#8c2d04", "#b84e0a", "#6b7380", "#2f78b4", "#1a5290", "#08306b")
DARK = ("#d9641f", "#f0b07a", "#8b939e", "#5b9bcb", "#8ab8e6", "#cfe4fa")
PATTERNS = ("x", "\\", ".", "", "/", "-", "|", "+")
INK = {False: "#1d2127", True: "#e6e8eb"}
SOFT = {False: "#565d68", True: "#a9b1bc"}
GRID = {False: "#d5d9df", True: "#363d46"}
PAPER = {False: "#ffffff", True: "#14171b"}
ON = PAPER  # the ink on a step
BETTER = {False: LIGHT[4], True: DARK[4]}
WORSE = {False: LIGHT[1], True: DARK[0]}
PLAIN = {False: LIGHT[2], True: DARK[2]}
CLEAR = "rgba(0,0,0,0)"
FONT = "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

SIZE = 14  # pixels of every text: what is read from the last row of a meeting room
LINE = 19  # pixels of a line of text of that size
EDGE = 12  # pixels around a figure
TICKS = 32  # pixels of an axis with its numbers

# Keys of a figure whose values are lengths in pixels.
LENGTHS = frozenset({"b", "height", "itemwidth", "l", "minsize", "r", "size", "t", "ticklabelstandoff"})


@cache
def build_template(dark: bool) -> go.layout.Template:
    """Return the Plotly template of all charts.

    The legend stands at the top left of the figure and carries the heading as its title: Plotly then keeps room for
    both, however many lines they have. `layout.title` of several lines with `automargin` is cut off (plotly.js 4).
    """
    text = {"color": INK[dark], "size": SIZE, "family": FONT}
    axis = {
        "automargin": True,
        "fixedrange": True,
        "gridcolor": GRID[dark],
        "tickfont": {"size": SIZE},
        # Labels are never hidden where they pass the edge, and none has to be measured for it.
        "ticklabeloverflow": "allow",
        "ticks": "",
        "zeroline": False,
    }
    layout = {
        "paper_bgcolor": PAPER[dark],  # a downloaded picture reads on every slide
        "plot_bgcolor": CLEAR,
        "font": text,
        "hoverlabel": {"font": text, "bgcolor": PAPER[dark], "bordercolor": SOFT[dark], "align": "left"},
        "hovermode": "closest",
        "dragmode": False,
        "modebar": {"bgcolor": CLEAR, "color": SOFT[dark], "activecolor": INK[dark]},
        "margin": {"l": EDGE, "r": EDGE, "t": EDGE, "b": EDGE},
        "uniformtext": {"minsize": SIZE, "mode": "hide"},  # a number that its bar has no room for is left to the hover
        "barmode": "overlay",
        "bargap": 0,
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "traceorder": "normal",
            "itemclick": False,
            "itemdoubleclick": False,
            "itemwidth": 30,
            "x": 0.01,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": SIZE},
            "title": {"side": "top", "font": text},
        },
        "xaxis": {**axis, "side": "top"},
        "yaxis": axis,
    }
    bar_text = {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
    return go.layout.Template(layout=layout, data={"bar": [{"type": "bar", **bar_text}]})


def build_toolbar_config(name: str, kind: str = "svg") -> dict[str, Any]:
    """Return the `config` for `st.plotly_chart`: one button that downloads the picture as `kind` (svg or png).

    The picture is made in the browser from what is drawn (Plotly.toImage), so it works under our content security
    policy. An SVG stays sharp in print; a PNG has twice the pixels of the screen.
    """
    filename = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "chart"
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": kind, "filename": filename, "scale": 1 if kind == "svg" else 2},
        "locale": "en",
    }


def enlarge(figure: go.Figure, factor: float) -> go.Figure:
    """Return a copy of a figure whose texts, marks, margins and height are `factor` times as large."""
    return type(figure)(_scale_lengths(figure.to_dict(), factor))


def _scale_lengths(value: Any, factor: float) -> Any:
    if isinstance(value, Mapping):
        scaled = {}
        for key, entry in value.items():
            if key in LENGTHS:
                scale = _scale_length
            else:
                scale = _scale_lengths
            scaled[key] = scale(entry, factor)
        return scaled
    if isinstance(value, list | tuple) and any(isinstance(entry, Mapping) for entry in value):
        return [_scale_lengths(entry, factor) for entry in value]
    return value


def _scale_length(value: Any, factor: float) -> Any:
    """Scale a length, or the lengths of each mark; keys such as "t" may also hold something else."""
    if isinstance(value, list | tuple):
        return [_scale_length(entry, factor) for entry in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _scale_lengths(value, factor)
    return round(value * factor)


@dataclass(frozen=True, slots=True)
class Step:
    """How one value of a scale looks: its colour, its pattern, and the colour of what is written on it."""

    shade: str
    pattern: str
    ink: str


def choose_steps(values: Sequence[str], criterion: Criterion, dark: bool = False) -> tuple[Step, ...]:
    """Return a look for each value: the better end of the scale blue, the worse orange."""
    count = len(values)
    shares = [index / (count - 1) if count > 1 else 0.8 for index in range(count)]
    if criterion.direction == "down":
        shares.reverse()
    shades = DARK if dark else LIGHT
    steps = []
    for index, share in enumerate(shares):
        # Few steps take the shades as they are, many what lies between as well.
        if count <= len(shades):
            colour = shades[round(share * (len(shades) - 1))]
        else:
            colour = mix_shades(share, dark)
        steps.append(Step(colour, PATTERNS[index % len(PATTERNS)], ON[dark]))
    return tuple(steps)


def mix_shades(share: float, dark: bool = False) -> str:
    """Return the colour at a place between the worse (0) and the better end (1)."""
    shades = DARK if dark else LIGHT
    place = min(max(share, 0.0), 1.0) * (len(shades) - 1)
    low = min(int(place), len(shades) - 2)
    return mix_colours(shades[low], shades[low + 1], place - low)


def tint_blue(share: float, dark: bool = False) -> str:
    """Return the colour of a count: from nearly paper (0) to the strongest blue (1)."""
    if dark:
        start, end = ("#1f2730", "#8ab8e6")
    else:
        start, end = ("#f2f6fb", "#1a5290")
    return mix_colours(start, end, min(max(share, 0.0), 1.0))


def tint_share(share: float, dark: bool = False) -> str:
    """Return the colour of a place between the worse (0) and the better end (1): the better, the stronger.

    It is one colour: with two, means close to the middle of the scale would look like a good and a bad one.
    """
    return mix_colours(PAPER[dark], BETTER[dark], 0.06 + 0.74 * min(max(share, 0.0), 1.0))


def mix_colours(a: str, b: str, share: float) -> str:
    """Return the colour `share` of the way from a to b."""
    pairs = zip(_split_channels(a), _split_channels(b), strict=True)
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in pairs)


def choose_ink(colour: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    return max(("#000000", "#ffffff"), key=lambda ink: compute_contrast(ink, colour))


def compute_contrast(a: str, b: str) -> float:
    """Compute the contrast of two colours, 1 to 21. Source: WCAG 2.2, relative luminance and contrast ratio."""
    high, low = sorted((_compute_luminance(a), _compute_luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def build_pattern(shape: str, dark: bool) -> dict[str, Any]:
    """Return a marker's pattern in the colour of the paper."""
    return {
        "shape": shape,
        "fillmode": "overlay",
        "fgcolor": PAPER[dark],
        "fgopacity": 0.45,
        "size": 7,
        "solidity": 0.25,
    }


def build_hatching(dark: bool) -> dict[str, Any]:
    """Return the marker of a bar that stands for nothing: clear, with thin strokes."""
    strokes = {"shape": "/", "fgcolor": GRID[dark], "size": 8, "solidity": 0.2}
    return {"color": CLEAR, "pattern": strokes}


def build_halo(colour: str) -> str:
    """Return the shadow of a text that keeps a pattern from running through it."""
    return ", ".join([f"0 0 4px {colour}"] * 6)


def _compute_luminance(colour: str) -> float:
    linear = []
    for channel in _split_channels(colour):
        share = channel / 255
        linear.append(share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4)
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _split_channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
