"""How charts look: colours that colour-blind people tell apart, patterns beside them, ink that reads on both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
FONT = "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
CHARACTER = 7.8  # pixels of an average character of that size in a wide face (DejaVu Sans)
SIZE = 14  # pixels of every text: what is read from the last row of a meeting room


@dataclass(frozen=True, slots=True)
class Step:
    """How one value of a scale looks: its colour, its pattern, and the colour of what is written on it."""

    shade: str
    pattern: str
    ink: str


def steps(values: Sequence[str], criterion: Criterion, dark: bool = False) -> tuple[Step, ...]:
    """A look for each value: the better end of the scale blue, the worse orange."""
    many = len(values)
    places = [at / (many - 1) if many > 1 else 0.8 for at in range(many)]
    if criterion.direction == "down":
        places.reverse()
    shades = DARK if dark else LIGHT
    few = many <= len(shades)  # few steps take the shades as they are, many what lies between as well
    return tuple(
        Step(shades[round(p * (len(shades) - 1))] if few else shade(p, dark), PATTERNS[at % len(PATTERNS)], ON[dark])
        for at, p in enumerate(places)
    )


def shade(share: float, dark: bool = False) -> str:
    """The colour at a place between the worse (0) and the better end (1)."""
    shades = DARK if dark else LIGHT
    place = min(max(share, 0.0), 1.0) * (len(shades) - 1)
    low = min(int(place), len(shades) - 2)
    return mixed(shades[low], shades[low + 1], place - low)


def tint(share: float, dark: bool = False) -> str:
    """The colour of a count: from nearly paper (0) to the strongest blue (1)."""
    start, end = ("#1f2730", "#8ab8e6") if dark else ("#f2f6fb", "#1a5290")
    return mixed(start, end, min(max(share, 0.0), 1.0))


def mixed(a: str, b: str, share: float) -> str:
    """The colour `share` of the way from a to b."""
    pairs = zip(_channels(a), _channels(b), strict=True)
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in pairs)


def ink_on(colour: str) -> str:
    """Black or white ink, whichever reads better on a colour."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def contrast(a: str, b: str) -> float:
    """The contrast of two colours, 1 to 21. Source: WCAG 2.2, relative luminance and contrast ratio."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pattern(shape: str, dark: bool) -> dict[str, Any]:
    """A marker's pattern in the colour of the paper."""
    return {
        "shape": shape,
        "fillmode": "overlay",
        "fgcolor": PAPER[dark],
        "fgopacity": 0.45,
        "size": 7,
        "solidity": 0.25,
    }


def _luminance(colour: str) -> float:
    r, g, b = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour))
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
