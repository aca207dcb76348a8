"""Bars of shares, one for each row, stacked to the left and to the right of a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores.charts._chart import minus, safe
from readback.scores.charts._frame import Frame, zero
from readback.scores.charts._look import PAPER, SIZE, Step, pattern

ROUND = 10  # per cent that an axis is rounded out to
DIGIT = 8.5  # pixels of a digit and its share of the air around a number


@dataclass(frozen=True, slots=True)
class Part:
    """One part of every bar: its name, how often it was given in each row, its look, and how much of it lies left of
    the line: 1 all, 0 none, 0.5 across.
    """

    name: str
    counts: tuple[int, ...]
    step: Step
    left: float = 0.0


def stacked(figure: Any, frame: Frame, parts: Sequence[Part], dark: bool) -> None:
    """The bars, and the axis of their shares in per cent of the row; both directions count up from the line."""
    totals = [sum(counts) for counts in zip(*(part.counts for part in parts), strict=True)]
    shares = [[100 * n / all_ if all_ else 0.0 for n, all_ in zip(part.counts, totals, strict=True)] for part in parts]
    at = [-sum(p.left * s for p, s in zip(parts, column, strict=True)) for column in zip(*shares, strict=True)]
    low = min(at, default=0.0)
    high = max((start + 100 for start in at), default=100.0)
    ends = [-ROUND * -(low // ROUND) if low < 0 else 0.0, ROUND * -(-high // ROUND)]
    pixel = frame.pixels / (ends[1] - ends[0] + 4)
    for part, share in zip(parts, shares, strict=True):
        figure.add_bar(
            x=[round(s, 2) for s in share],
            base=[round(start, 2) for start in at],
            y=[frame.y(row) for row in range(len(at))],
            width=frame.mark,
            orientation="h",
            name=safe(minus(part.name)),
            text=[
                f"{n:,}" if s * pixel >= DIGIT * (len(f"{n:,}") + 1) else ""
                for n, s in zip(part.counts, share, strict=True)
            ],
            textposition="inside",
            insidetextanchor="middle",
            constraintext="none",
            textangle=0,
            insidetextfont={"color": part.step.ink, "size": SIZE, "shadow": halo(part.step.shade)},
            marker={
                "color": part.step.shade,
                "line": {"color": PAPER[dark], "width": 1},
                "pattern": pattern(part.step.pattern, dark),
            },
            customdata=[[row, n] for row, n in enumerate(part.counts)],
            hovertemplate=f"{safe(minus(part.name))}: %{{customdata[1]:,}} (%{{x:.0f}} %)<extra></extra>",
        )
        at = [start + s for start, s in zip(at, share, strict=True)]
    step = 25 if ends[1] - ends[0] > 60 else 10
    ticks = [tick for tick in range(-100, 101, step) if ends[0] - 1e-9 <= tick <= ends[1] + 1e-9]
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(range=[ends[0] - 2, ends[1] + 2], tickvals=ticks, ticktext=[f"{abs(tick)} %" for tick in ticks])
    if low < 0:
        zero(figure, frame, dark)


def halo(colour: str) -> str:
    """What keeps a pattern from running through what is written on it."""
    return ", ".join([f"0 0 4px {colour}"] * 6)
