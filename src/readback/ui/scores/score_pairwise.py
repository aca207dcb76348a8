"""Head to head on the scores page: who won side by side, who is strongest, and whether the place counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import charts, report
from readback.scores.pairwise import outcomes as pairwise
from readback.scores.pairwise.outcomes import PairwiseComparison
from readback.scores.pairwise.position_bias import place_counts
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_chart, score_drilldown_links, score_view
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_drilldown import address_of
from readback.ui.scores.score_view import Chosen
from readback.words import t


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """Every pair that was judged side by side."""
    shown(scored)


def shown(scored: ScoreTable) -> None:
    """Wins and losses of each pair, then the ranking where three or more met, then what the place did."""
    found = pairwise.told(scored)
    pairs = [one for at, one in enumerate(found) if not at or (one.a, one.b) != (found[at - 1].a, found[at - 1].b)]
    names = [_pair(scored, one) for one in pairs]
    votes = [(one.wins_a, one.ties, one.wins_b) for one in pairs]
    made = charts.draw_wins(votes, names, score_view.say, score_view.dark())

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        one = pairs[at[0]] if at and at[0] < len(pairs) else None
        return {"of": address_of(scored, one.a), "against": address_of(scored, one.b), "under": "more"} if one else None

    how = t("scores.pairwise_how", rows=sum(one.n for one in pairs))
    score_chart.draw("more", made, _said(scored, pairs), how, opens)
    table.table("pairwise", _columns(any(one.judge for one in found), any(one.first_known for one in found)),
                [_row(scored, one) for one in found], caption=t("scores.view_duels"))  # fmt: skip
    _ranking(scored)
    _place(pairs)


def _said(scored: ScoreTable, pairs: Sequence[PairwiseComparison]) -> str:
    """One pair with its numbers; of several how many are told apart."""
    if len(pairs) > 1:
        apart = sum(_apart(one) for one in pairs)
        return t("scores.pairwise_several", n=len(pairs), apart=apart, open=len(pairs) - apart)
    one = pairs[0]
    a, b = report.short(scored, one.a), report.short(scored, one.b)
    given = {"a": a, "b": b, "n": one.n, "wins_a": one.wins_a, "wins_b": one.wins_b, "ties": one.ties}
    if one.share is None or one.interval is None or one.p is None:
        return t("scores.pairwise_ties", **given)
    low, high = one.interval
    key = "pairwise_first_wins" if low > 0.5 else "pairwise_second_wins" if high < 0.5 else "pairwise_open"
    return t(f"scores.{key}", share=100 * one.share, low=100 * low, high=100 * high, decisive=one.decisive,
             p=report.p_text(one.p), **given)  # fmt: skip


def _ranking(scored: ScoreTable) -> None:
    """The strength of each, where three or more met and can be set on one line."""
    found = pairwise.ranked(scored)
    if found is None or len(found.conditions) < 3:
        return
    st.header(t("scores.ranking"), anchor=False)
    if not found.connected:
        show.draw(show.h("<p>{}</p>", t("scores.ranking_apart")))
        return
    names = [report.short(scored, one) for one in found.conditions]
    shares = [_logistic(one) for one in found.strengths]
    spans = [(_logistic(low), _logistic(high)) for low, high in found.intervals]
    made = charts.draw_strengths(shares, spans, names, score_view.say, score_view.dark())

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        return {"of": address_of(scored, found.conditions[at[0]]), "under": "more"} if at else None

    between = _logistic(found.strengths[0] - found.strengths[1])
    overlap = found.intervals[0][0] <= found.intervals[1][1]
    key = "ranking_close" if overlap else "ranking_said"
    said = t(f"scores.{key}", first=names[0], second=names[1], share=100 * between, last=names[-1])
    how = t("scores.ranking_how", method=found.method, seed=found.seed, rows=len(scored.outcomes))
    score_chart.draw("ranking", made, said, how, opens)


def _place(pairs: Sequence[PairwiseComparison]) -> None:
    """Whether the answer that is shown first wins more often than half the time."""
    found = place_counts(pairs)
    if found.interval is None or found.p is None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("scores.place_unknown")))
        return
    st.header(t("scores.place"), anchor=False)
    low, high = found.interval
    key = "place_first" if low > 0.5 else "place_second" if high < 0.5 else "place_open"
    lines = [t(f"scores.{key}", n=found.known, first=found.first, share=100 * found.first / found.known,
               low=100 * low, high=100 * high, p=report.p_text(found.p))]  # fmt: skip
    if found.turned_interval is not None:
        low, high = found.turned_interval
        lines.append(t("scores.place_turned", n=found.swapped, turned=found.turned, low=100 * low, high=100 * high,
                       share=100 * found.turned / found.swapped))  # fmt: skip
    show.draw(show.join([show.h('<p class="rb-said">{}</p>', line) for line in lines]))
    show.draw(show.h('<p class="rb-small rb-how">{}</p>', t("scores.place_how")))


def _columns(judges: bool, placed: bool) -> tuple[Column, ...]:
    return (
        Column("a", t("scores.pairwise_a")),
        Column("b", t("scores.against")),
        *((Column("judge", t("scores.judge")),) if judges else ()),
        Column("wins_a", t("scores.won_a"), number=True, show=lambda row: _count(row, "wins_a", "first")),
        Column("ties", t("scores.ties"), number=True, show=lambda row: _count(row, "ties", "tie")),
        Column("wins_b", t("scores.won_b"), number=True, show=lambda row: _count(row, "wins_b", "second")),
        Column("n", t("scores.n_title"), number=True, show=lambda row: _count(row, "n", None)),
        Column("share", t("scores.share_a"), number=True, show=lambda row: _percent(row["share"]),
               help=t("scores.share_a_help")),
        Column("low", t("scores.interval_title"), number=True, show=lambda row: _span(row["low"], row["high"])),
        Column("p", t("scores.p_title"), number=True, show=_p, help=t("scores.p_sign")),
        *((Column("first", t("scores.pairwise_place"), number=True, show=_first, help=t("scores.pairwise_place_help")),)
          if placed else ()),
    )  # fmt: skip


def _row(scored: ScoreTable, one: PairwiseComparison) -> Mapping[str, Any]:
    low, high = one.interval or (None, None)
    judge = one.judge or (t("scores.all_judges", n=one.judges) if one.judges > 1 else "")
    return {
        "a": report.short(scored, one.a), "b": report.short(scored, one.b), "judge": judge, "n": one.n,
        "wins_a": one.wins_a, "wins_b": one.wins_b, "ties": one.ties, "share": one.share, "low": low, "high": high,
        "p": one.p, "first": one.first_wins / one.first_known if one.first_known else None,
        "first_wins": one.first_wins, "first_known": one.first_known, "of": address_of(scored, one.a),
        "against": address_of(scored, one.b), "whole": one.judges > 1 or not one.judge,
    }  # fmt: skip


def _count(row: Mapping[str, Any], key: str, kept: str | None) -> Markup | str:
    return score_drilldown_links.count(row[key], of=row["of"], against=row["against"], kept=kept, under="more",
                             value=None if row["whole"] else row["judge"])  # fmt: skip


def _pair(scored: ScoreTable, one: PairwiseComparison) -> str:
    return t("scores.pair", a=report.short(scored, one.b), b=report.short(scored, one.a))


def _apart(one: PairwiseComparison) -> bool:
    return one.interval is not None and not one.interval[0] <= 0.5 <= one.interval[1]


def _first(row: Mapping[str, Any]) -> str:
    return "–" if row["first"] is None else f"{_percent(row['first'])} ({row['first_wins']:,}/{row['first_known']:,})"


def _p(row: Mapping[str, Any]) -> str:
    return "–" if row["p"] is None else report.p_text(row["p"]).removeprefix("= ")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _span(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "–"
    return t("scores.span", low=f"{100 * low:.1f}", high=f"{100 * high:.1f} %")


def _logistic(strength: float) -> float:
    """The chance to win against one of strength 0, ties half a win each."""
    return 1 / (1 + math.exp(-strength))
