"""Which findings go with lower scores? The score of records with a finding against those without, for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import Chart, Say, Span, chart, decimals, ranged, signed
from readback.scores.charts._dots import Dot, Kind, dots
from readback.scores.charts._frame import dress, framed, zero
from readback.scores.charts._look import BETTER, INK, PLAIN, WORSE
from readback.scores.criteria import scale_text
from readback.scores.export.plain_table import PlainTable
from readback.types import Criterion


class Cost(Protocol):
    """What is drawn of a finding's cost: mean(with) − mean(without) in one condition, its interval, both counts."""

    @property
    def n_with(self) -> int: ...
    @property
    def n_without(self) -> int: ...
    @property
    def mean_with(self) -> float | None: ...
    @property
    def mean_without(self) -> float | None: ...
    @property
    def difference(self) -> float | None: ...
    @property
    def interval(self) -> Span | None: ...


def costs(
    found: Sequence[Cost],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
    width: int | None = None,
) -> Chart:
    """One row for each finding and condition; an interval that does not hold zero is filled, the others are open."""
    counts = [_counts(one, say) for one in found]
    frame = framed(
        names,
        counts,
        [(signed(one.difference), f"{one.n_with:,}", f"{one.n_without:,}") for one in found],
        [say(head) for head in ("chart_by", "chart_n_with", "chart_n_without")],
        width,
    )
    figure = go.Figure()
    marks = [
        Dot(
            at,
            one.difference,
            one.interval,
            _kind(one, one.difference, criterion, say, dark),
            frame.said(at),
        )
        for at, one in enumerate(found)
        if one.difference is not None
    ]
    kinds = dots(figure, frame, marks)
    ends = [0.0, *(end for mark in marks for end in (mark.x, *(mark.span or ())))]
    longest = max(map(abs, ends)) or 1.0
    low, high = min(min(ends), -longest / 5), max(max(ends), longest / 5)
    figure.update_xaxes(range=[low * 1.06, high * 1.06])
    zero(figure, frame, dark)
    title = say("chart_costs_axis", criterion=criterion.name, scale=scale_text(criterion))
    dress(figure, frame, dark, title, legend=[kind.name for kind in kinds])
    said = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    heads = (
        "chart_finding",
        "chart_difference",
        "chart_low",
        "chart_high",
        "chart_with",
        "chart_n_with",
        "chart_without",
        "chart_n_without",
    )
    body = tuple(
        (
            name,
            one.difference,
            *(one.interval or (None, None)),
            one.mean_with,
            one.n_with,
            one.mean_without,
            one.n_without,
        )
        for name, one in zip(names, found, strict=True)
    )
    table = PlainTable(tuple(say(head) for head in heads), body)
    return chart(lambda: figure, say("chart_costs", criterion=criterion.name), said, table, say, frame.width)


def _counts(one: Cost, say: Say) -> str:
    first = f"{signed(one.difference)} {ranged(one.interval, say)}".strip()
    sides = say(
        "chart_sides",
        with_it=decimals(one.mean_with),
        n_with=one.n_with,
        without=decimals(one.mean_without),
        n_without=one.n_without,
    )
    return " · ".join((first, sides))


def _kind(one: Cost, difference: float, criterion: Criterion, say: Say, dark: bool) -> Kind:
    span = one.interval
    if span is None:
        return Kind(say("chart_few"), "x-thin", INK[dark])
    if span[0] <= 0 <= span[1]:
        return Kind(say("chart_open"), "circle-open", PLAIN[dark])
    up = difference > 0
    good = up is (criterion.direction != "down")
    return Kind(
        say("chart_higher" if up else "chart_lower"),
        f"triangle-{'right' if up else 'left'}",
        (BETTER if good else WORSE)[dark],
    )
