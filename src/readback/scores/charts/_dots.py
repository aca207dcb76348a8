"""Marks with intervals, one for each row, told apart by shape as well as by colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores.charts._chart import Span, safe
from readback.scores.charts._frame import MARK, Frame


@dataclass(frozen=True, slots=True)
class Kind:
    """How marks of one meaning look, and what the legend calls them."""

    name: str
    symbol: str
    colour: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One mark: its row, where it is, its interval, its kind, and what pointing at it says (safe already)."""

    at: int
    x: float
    span: Span | None
    kind: Kind
    said: str


def dots(figure: Any, frame: Frame, marks: Sequence[Dot]) -> list[Kind]:
    """The marks; answers the kinds there are, which the legend names."""
    kinds = list(dict.fromkeys(mark.kind for mark in marks))
    for kind in kinds:
        of_it = [mark for mark in marks if mark.kind == kind]
        spans = [mark.span or (mark.x, mark.x) for mark in of_it]
        figure.add_scatter(
            x=[round(mark.x, 5) for mark in of_it],
            y=[frame.y(mark.at) for mark in of_it],
            mode="markers",
            name=safe(kind.name),
            marker={
                "symbol": kind.symbol,
                "size": 11 if frame.mark < MARK else 14,
                "color": kind.colour,
                "line": {"color": kind.colour, "width": 2},
            },
            error_x={
                "type": "data",
                "symmetric": False,
                "color": kind.colour,
                "thickness": 2.5,
                "width": 0,
                "array": [round(span[1] - mark.x, 5) for mark, span in zip(of_it, spans, strict=True)],
                "arrayminus": [round(mark.x - span[0], 5) for mark, span in zip(of_it, spans, strict=True)],
            }
            if any(mark.span for mark in of_it)
            else None,
            customdata=[[mark.at, mark.said] for mark in of_it],
            hovertemplate="%{customdata[1]}<extra></extra>",
            cliponaxis=False,
        )
    return kinds
