"""Scores against the length of the prompt or the answer, on the scores page: by ranges, with a rank correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from readback.scores import charts, report, summary
from readback.scores import loading as scores
from readback.scores.slices.lengths import Lengths, inside, lengths
from readback.scores.slices.text_sizes import condition_of
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.ui.common.state.caches import Key
from readback.ui.common.state.work import Job, whole
from readback.ui.scores import score_chart, score_view
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_drilldown import address_of
from readback.ui.scores.score_view import Chosen
from readback.words import t

KEEP = 32  # measured pairs of a condition and a criterion
FIRST = ("prompt-tokens", "answer-tokens", "prompt-characters", "answer-characters")


def possible(scored: ScoreTable, workspace: Workspace) -> bool:
    """Whether prompts can be built, or answers read, for any condition that was scored."""
    return workspace.dataset is not None and any(
        condition_of(workspace, scored, one) for one in scored.columns.conditions
    )


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """One condition's scores by one length, as the pickers say."""
    name, judge = view.criterion.name, view.judge
    there = [
        row.condition
        for row in summary.rows(scored, None, name, judge)
        if condition_of(workspace, scored, row.condition)
    ]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        called = score_view.pick("a", t("scores.condition"), [address_of(scored, one) for one in there],
                                 lambda one: _called(scored, there, one), 360)  # fmt: skip
        condition = next((one for one in there if address_of(scored, one) == called), None)
        if condition is None:
            show.draw(show.h("<p>{}</p>", t("scores.lengths_none")))
            return
        by = {f"{one.of}-{one.unit}": one for one in _lengths(scored, workspace, condition, name, judge)}
        size = score_view.pick("size", t("scores.length_of"), [one for one in FIRST if by[one].n],
                               lambda one: t(f"scores.length_{one.replace('-', '_')}"))  # fmt: skip
    if not size:
        show.draw(show.h("<p>{}</p>", t("scores.lengths_unmeasured", why=_left(by[FIRST[0]], by[FIRST[1]]))))
        return
    found, unit = by[size], t(f"scores.length_{size.replace('-', '_')}")
    made = charts.draw_lengths(found, view.criterion, score_view.say, score_view.dark(), unit=unit)

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        if len(at) < 2 or at[1] >= len(found.ranges):
            return None
        value = found.values[::-1][at[0] - 1] if at[0] else None
        low, high = found.ranges[at[1]]
        return {"of": called, "long": f"{low}-{high}", "value": value, "under": "more"}

    said = _said(found, report.short(scored, condition), name, unit)
    how = t("scores.lengths_how", rows=found.n, left=_left(found), tokens="" if found.exact else t("scores.estimated"))
    score_chart.draw("more", made, said, how, opens)


def drilldown_items(scored: ScoreTable, workspace: Workspace, drilldown: Mapping[str, str]) -> frozenset[str] | None:
    """The items whose text is as long as the open drill-down says; None where it says nothing of length."""
    low, _, high = drilldown.get("long", "").partition("-")
    of, _, unit = st.query_params.get("size", FIRST[0]).partition("-")
    condition = next((one for one in scored.columns.conditions if _is(scored, one, drilldown.get("of", ""))), None)
    if condition is None or not (low.isdecimal() and high.isdecimal()) or f"{of}-{unit}" not in FIRST:
        return None
    side, kind = ("prompt" if of == "prompt" else "answer"), ("tokens" if unit == "tokens" else "characters")
    return inside(workspace, scored, condition, side, kind, int(low), int(high))  # type: ignore[arg-type]


def _is(scored: ScoreTable, condition: ConditionKey, of: str) -> bool:
    return address_of(scored, condition) == of


def _called(scored: ScoreTable, there: Sequence[ConditionKey], of: str) -> str:
    return next((scored.label(one) for one in there if address_of(scored, one) == of), of)


def _lengths(
    scored: ScoreTable, workspace: Workspace, condition: ConditionKey, criterion: str, judge: str
) -> tuple[Lengths, ...]:
    """Measured in the background, once; a click stops it."""
    key = (choice.key(), scores.fingerprint(workspace), condition, criterion, judge)
    made: tuple[Lengths, ...] = whole(
        _measuring(key, workspace, scored), "scores.measuring", "lengths", "scores.measuring_stopped",
        "scores.measure_again", lambda: _measuring.clear(key),
    )  # fmt: skip
    return made


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _measuring(key: tuple[Key, str, ConditionKey, str, str], _workspace: Workspace, _scored: ScoreTable) -> Job:
    return Job(lambda progress: lengths(_workspace, _scored, *key[2:], progress))


def _said(found: Lengths, condition: str, criterion: str, unit: str) -> str:
    """The link in one sentence with its numbers, and no more than they say."""
    given = {"condition": condition, "criterion": criterion, "unit": unit, "n": found.n}
    if found.rho is None:
        return t("scores.lengths_constant", **given)
    if found.interval is None:
        return t("scores.lengths_few", rho=report.signed(found.rho), **given)
    low, high = found.interval
    key = "up" if low > 0 else "down" if high < 0 else "open"
    span = t("scores.interval", low=report.signed(low), high=report.signed(high))
    return t(f"scores.lengths_{key}", rho=report.signed(found.rho), interval=span, **given)


def _left(*found: Lengths) -> str:
    """What was left out, by reason."""
    parts: dict[str, Any] = {why: n for one in found for why, n in one.left_out.items() if n}
    said = [t(f"scores.left_{why.replace(' ', '_')}", n=n) for why, n in parts.items()]
    return ", ".join(said) or t("scores.left_nothing")
