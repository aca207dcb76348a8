"""How far apart are they on the same items? Paired differences against a baseline, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import Chart, Say, Span, chart, cut, ranged, safe, signed
from readback.scores.charts._dots import Dot, Kind, dots
from readback.scores.charts._frame import FEW, Frame, dress, framed, zero
from readback.scores.charts._look import BETTER, GRID, INK, PAPER, PLAIN, SIZE, SOFT, WORSE
from readback.scores.charts._stacked import halo
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.criteria import scale_text
from readback.scores.export.plain_table import Cell, PlainTable
from readback.scores.report import is_clear
from readback.types import Criterion, Diagnostic

SIDE = 0.2  # of the longer side of the axis that the other side of zero has at least
LOOKS = {
    "b is higher": ("chart_higher", "triangle-right", 1),
    "a is higher": ("chart_lower", "triangle-left", -1),
    "not separated": ("chart_open", "circle-open", 0),
    "incomplete": ("chart_incomplete", "hourglass-open", 0),
    "equivalent": ("chart_equal", "square", 0),
    "too few": ("chart_few", "x-thin", 0),
    "in question": ("chart_question", "cross-thin", 0),
    "disputed": ("chart_disputed", "diamond-cross-open", 0),
    "constant": ("chart_constant", "diamond-open", 0),
}
UNSURE = {  # a difference that the words call not certain
    "b is higher": ("chart_higher_unsure", "triangle-right-open", 1),
    "a is higher": ("chart_lower_unsure", "triangle-left-open", -1),
}
One = Comparison | Blocked
Why = Callable[[Diagnostic], str]  # a few words on why a comparison is not made


def forest(
    compared: Sequence[One],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
    *,
    baseline: str = "",
    why: Why = lambda diagnostic: diagnostic.code,
    width: int | None = None,
) -> Chart:
    """b − a of each comparison with its interval: right of the line b scores higher; shape and colour say the verdict.

    `names` calls the rows, `baseline` the one they are all compared with (empty where they differ). A margin is
    shaded around zero. What may not be compared is in its row, without a mark, with the reason.
    """
    made = [(at, one) for at, one in enumerate(compared) if isinstance(one, Comparison)]
    counts = [_counts(one, say, why) for one in compared]
    heads = ("chart_by", "chart_votes_short", "n_title", "chart_left_out")
    frame = framed(
        names,
        counts,
        [_short(one, say, len(compared) <= FEW) for one in compared],
        [say(head) for head in heads],
        width,
    )
    given = {"criterion": criterion.name, "scale": scale_text(criterion), "baseline": baseline}

    def draw() -> go.Figure:
        figure = go.Figure()
        shown = [_dot(at, one, frame.said(at), criterion, say, dark) for at, one in made if one.difference is not None]
        kinds = dots(figure, frame, shown)
        ends = axis([one for _, one in made], criterion)
        _blocked(figure, frame, compared, ends, say, why, dark)
        figure.update_xaxes(range=ends)
        margins = {one.margin for _, one in made if one.margin}
        if len(margins) == 1:
            edge = margins.pop()
            figure.add_vrect(x0=-edge, x1=edge, fillcolor=PLAIN[dark], opacity=0.18, line={"width": 0}, layer="below")
        zero(figure, frame, dark)
        dress(figure, frame, dark, say("chart_forest_axis", **given), legend=[kind.name for kind in kinds])
        return figure

    said = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    opening = say("chart_forest" if baseline else "chart_pairs", **given)
    return chart(draw, opening, said, _table(compared, names, say, why), say, frame.width)


def axis(made: Sequence[Comparison], criterion: Criterion) -> Span:
    """From the lowest end to the highest, zero always inside and with room on both sides.

    Differences are drawn in points of the scale; a twentieth of the scale is the least that is shown to each side, so
    that nothing is blown up.
    """
    ends = [
        end
        for one in made
        for end in (one.difference or 0.0, *(one.span or ()), one.margin or 0.0, -(one.margin or 0.0))
    ]
    least = (criterion.high - criterion.low) / 20 if criterion.high is not None and criterion.low is not None else 0.0
    low, high = min([*ends, -least]), max([*ends, least])
    longer = max(-low, high) or 1.0
    return -max(-low, SIDE * longer) * 1.06, max(high, SIDE * longer) * 1.06


def _dot(at: int, one: Comparison, said: str, criterion: Criterion, say: Say, dark: bool) -> Dot:
    key, symbol, sign = _look(one)
    good = sign * (-1 if criterion.direction == "down" else 1)
    colour = (PLAIN if not good or criterion.direction == "none" else BETTER if good > 0 else WORSE)[dark]
    kind = Kind(say(key), symbol, INK[dark] if symbol == "x-thin" else colour)
    return Dot(at, one.difference or 0.0, one.span, kind, said)


def _look(one: Comparison) -> tuple[str, str, int]:
    """Return the words, the shape and the side of a mark; clear only where the words call it so."""
    if one.verdict in UNSURE and not is_clear(one):
        return UNSURE[one.verdict]
    return LOOKS[one.verdict]


def _counts(one: One, say: Say, why: Why) -> str:
    if isinstance(one, Blocked):
        return say("chart_blocked", why=_reason(one, why))
    left = one.only_a + one.only_b
    out = (say("chart_out", n=left),) if left else ()
    if one.difference is None:
        return " · ".join((say(_look(one)[0]), say("n", n=one.n_shared), *out))
    votes = say("chart_votes", wins=one.wins, ties=one.ties, losses=one.losses)
    return " · ".join(
        (f"{signed(one.difference)} {ranged(one.span, say)}".strip(), votes, say("n", n=one.n_shared), *out)
    )


def _short(one: One, say: Say, few: bool) -> tuple[str, ...]:
    """The cells behind a mark; few rows have room for the interval."""
    if isinstance(one, Blocked):
        return "", "", "", ""  # the mark says it, pointing at it the reason
    left = one.only_a + one.only_b
    votes = f"{one.wins:,}/{one.ties:,}/{one.losses:,}" if one.difference is not None else ""
    by = f"{signed(one.difference)} {ranged(one.span, say)}".strip() if few else signed(one.difference)
    return by, votes, f"{one.n_shared:,}", f"{left:,}" if left else ""


def _reason(one: Blocked, why: Why) -> str:
    return "; ".join(dict.fromkeys(why(diagnostic) for diagnostic in one.why))


def _blocked(figure: Any, frame: Frame, compared: Sequence[One], ends: Span, say: Say, why: Why, dark: bool) -> None:
    """A grey word where the mark would be."""
    rows = [(at, one) for at, one in enumerate(compared) if isinstance(one, Blocked)]
    if not rows:
        return
    figure.add_bar(
        x=[ends[1] - ends[0]] * len(rows),
        base=ends[0],
        y=[frame.y(at) for at, _ in rows],
        width=frame.mark * 0.7,
        orientation="h",
        showlegend=False,
        marker={
            "color": "rgba(0,0,0,0)",
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": GRID[dark], "size": 8, "solidity": 0.2},
        },
        text=[say("chart_not_compared")] * len(rows),
        textposition="inside",
        insidetextanchor="middle",
        constraintext="none",
        insidetextfont={"color": SOFT[dark], "size": SIZE, "shadow": halo(PAPER[dark])},
        customdata=[[at, f"{cut(frame.names[at])}<br>{safe(_reason(one, why))}"] for at, one in rows],
        hovertemplate="%{customdata[1]}<extra></extra>",
    )
    figure.update_layout(barmode="overlay", bargap=0)


def _table(compared: Sequence[One], names: Sequence[str], say: Say, why: Why) -> PlainTable:
    heads = (
        "condition",
        "chart_difference",
        "chart_low",
        "chart_high",
        "chart_method",
        "chart_higher",
        "chart_same",
        "chart_lower",
        "n_title",
        "chart_left_out",
        "chart_p",
        "chart_verdict",
    )
    body: list[tuple[Cell, ...]] = []
    for name, one in zip(names, compared, strict=True):
        if isinstance(one, Blocked):
            body.append((name, *[None] * 10, _counts(one, say, why)))
            continue
        p = one.p if one.p_adjusted is None else one.p_adjusted
        body.append(
            (
                name,
                one.difference,
                *(one.span or (None, None)),
                one.span_method,
                one.wins,
                one.ties,
                one.losses,
                one.n_shared,
                one.only_a + one.only_b,
                p,
                say(_look(one)[0]),
            )
        )
    return PlainTable(tuple(say(head) for head in heads), tuple(body))
