"""The pictures of a report: one small SVG for each row of a chart's table, all on one scale, drawn from its numbers.

No script and no other file is needed, and each mark carries the number it is drawn from (`data-n`, `data-x`,
`data-low`, `data-high`), so that a test and a reader can hold them against the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 360, 20  # pixels of one picture
ROOM = 8  # pixels at both ends of an axis
INK = "currentColor"


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale: from `low` to `high`, with a line at `at` (zero, mostly) where that is on it."""

    low: float
    high: float
    at: float | None = None

    def x(self, value: float) -> float:
        """Where a value lies, in pixels."""
        if self.high > self.low:
            share = (value - self.low) / (self.high - self.low)
        else:
            share = 0.5
        return round(ROOM + min(max(share, 0.0), 1.0) * (WIDTH - 2 * ROOM), 2)


def draw_shares(counts: Sequence[int], shades: Sequence[Sequence[str]], values: Sequence[str]) -> str:
    """How often each value was given, as parts of one bar; nothing where nothing was."""
    whole, at, parts = sum(counts), 0.0, []
    for count, (light, dark), value in zip(counts, shades, values, strict=True):
        wide = WIDTH * count / whole if whole else 0.0
        if count:
            parts.append(
                f'<rect x="{at:.2f}" y="2" width="{wide:.2f}" height="{HEIGHT - 4}" data-n="{count}" '
                f'style="--light:{light};--dark:{dark}" class="part"><title>{escape(value)}: {count:,}</title></rect>'
            )
        at += wide
    label = ", ".join(f"{value}: {count:,}" for value, count in zip(values, counts, strict=True))
    return _format_svg(label, "".join(parts))


def draw_mark(axis: Axis, x: float | None, span: Sequence[float] | None, label: str, look: str = "open") -> str:
    """Draw a value with its interval; `look` is higher, lower or open. The picture is empty without a value."""
    parts = []
    if axis.at is not None:
        zero = axis.x(axis.at)
        parts.append(f'<line x1="{zero}" x2="{zero}" y1="0" y2="{HEIGHT}" class="zero"/>')
    middle = HEIGHT / 2
    if span is not None:
        a, b = axis.x(span[0]), axis.x(span[1])
        parts.append(
            f'<line x1="{a}" x2="{b}" y1="{middle}" y2="{middle}" class="span" data-low="{span[0]!r}" '
            f'data-high="{span[1]!r}"/>'
        )
    if x is not None:
        at = axis.x(x)
        d = f"M{at - 5} {middle}L{at} {middle - 5}L{at + 5} {middle}L{at} {middle + 5}Z"
        parts.append(f'<path d="{d}" class="mark {escape(look)}" data-x="{x!r}"/>')
    return _format_svg(label, "".join(parts))


def draw_scale(axis: Axis, ticks: Sequence[float]) -> str:
    """Draw the axis with its numbers, for the head of the column."""
    parts = []
    for tick in ticks:
        x = axis.x(tick)
        if x < WIDTH / 6:
            anchor = "start"
        elif x > WIDTH * 5 / 6:
            anchor = "end"
        else:
            anchor = "middle"
        parts.append(f'<text x="{x}" y="14" text-anchor="{anchor}">{format_number(tick)}</text>')
    return _format_svg(", ".join(map(format_number, ticks)), "".join(parts))


def fit_axis(values: Sequence[float], low: float | None = None, high: float | None = None) -> Axis:
    """Fit a scale to all values; its ends are `low` and `high` where the values lie between them."""
    first, last = (
        min((*values, *(v for v in (low,) if v is not None)), default=0.0),
        max((*values, *(v for v in (high,) if v is not None)), default=1.0),
    )
    if first < last:
        return Axis(first, last)
    return Axis(first - 1, last + 1)


def fit_axis_about_zero(values: Sequence[float]) -> Axis:
    """Fit a scale of differences: it holds all values and zero."""
    low, high = min((0.0, *values)), max((0.0, *values))
    room = (high - low) * 0.05 or 1.0
    return Axis(low - room, high + room, 0.0)


def format_number(value: float) -> str:
    """Format a number at an axis."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "\u2212")


def _format_svg(label: str, inner: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">{inner}</svg>'
    )
