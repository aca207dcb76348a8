"""Draw the head to head on Results: who won side by side, who is strongest, whether the place counted."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import charts
from readback.scores.pairwise import outcomes as pairwise
from readback.scores.pairwise.outcomes import PairwiseComparison, count_places
from readback.scores.sentences import report
from readback.scores.table import ConditionKey, Outcome, ScoreTable
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.results import chart, choices, drilldown
from readback.ui.results.chart import Point, Target
from readback.ui.results.drilldown import format_address
from readback.words import t

SIDES = {"first": "a", "tie": "tie", "second": "b"}  # the parts of a list, by their words in the address


def draw_pairwise(scored: ScoreTable) -> None:
    """Draw wins and losses of each pair, then the ranking where three or more met, then what the place did."""
    comparisons = pairwise.compare_contestants(scored)
    pairs: list[PairwiseComparison] = []  # the first comparison of a pair is that of all judges
    for comparison in comparisons:
        if not pairs or (comparison.a, comparison.b) != (pairs[-1].a, pairs[-1].b):
            pairs.append(comparison)
    names = []
    for pair in pairs:
        names.append(t("scores.pair", a=report.short(scored, pair.a), b=report.short(scored, pair.b)))
    votes = [(pair.wins_a, pair.ties, pair.wins_b) for pair in pairs]
    figure = charts.draw_wins(votes, names, choices.say, choices.is_dark())

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(pairs))
        if row is None:
            return None
        a, b = pairs[row].a, pairs[row].b
        return {"of": format_address(scored, a), "against": format_address(scored, b), "under": "more"}

    method = t("scores.pairwise_how", rows=sum(pair.n for pair in pairs))
    chart.draw_chart("more", figure, _format_wins(scored, pairs), method, find_target)
    columns = _build_columns(
        with_judge=any(comparison.judge for comparison in comparisons),
        with_place=any(comparison.first_known for comparison in comparisons),
    )
    rows = [_build_row(scored, comparison) for comparison in comparisons]
    table.table("pairwise", columns, rows, caption=t("scores.view_duels"))
    _draw_ranking(scored)
    _draw_place(pairs)


def _format_wins(scored: ScoreTable, pairs: Sequence[PairwiseComparison]) -> str:
    """Return one pair with its numbers; of several how many are told apart."""
    if len(pairs) > 1:
        clear = sum(pair.interval is not None and not pair.interval[0] <= 0.5 <= pair.interval[1] for pair in pairs)
        return t("scores.pairwise_several", n=len(pairs), apart=clear, open=len(pairs) - clear)
    pair = pairs[0]
    values = {
        "a": report.short(scored, pair.a),
        "b": report.short(scored, pair.b),
        "n": pair.n,
        "wins_a": pair.wins_a,
        "wins_b": pair.wins_b,
        "ties": pair.ties,
    }
    if pair.share is None or pair.interval is None or pair.p is None:
        return t("scores.pairwise_ties", **values)
    low, high = pair.interval
    key = "scores.pairwise_open"
    if low > 0.5:
        key = "scores.pairwise_first_wins"
    elif high < 0.5:
        key = "scores.pairwise_second_wins"
    percents = {"share": 100 * pair.share, "low": 100 * low, "high": 100 * high}
    return t(key, decisive=pair.decisive, p=report.p_text(pair.p), **percents, **values)


def _draw_ranking(scored: ScoreTable) -> None:
    """Draw the strength of each, where three or more met and can be set on one line."""
    ranking = pairwise.rank_contestants(scored)
    if ranking is None or len(ranking.conditions) < 3:
        return
    st.header(t("scores.ranking"), anchor=False)
    if not ranking.connected:
        show.draw(show.h("<p>{}</p>", t("scores.ranking_apart")))
        return
    names = [report.short(scored, condition) for condition in ranking.conditions]
    shares = [_compute_win_share(strength) for strength in ranking.strengths]
    spans = [(_compute_win_share(low), _compute_win_share(high)) for low, high in ranking.intervals]
    figure = charts.draw_strengths(shares, spans, names, choices.say, choices.is_dark())

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(names))
        if row is None:
            return None
        return {"of": format_address(scored, ranking.conditions[row]), "under": "more"}

    share = _compute_win_share(ranking.strengths[0] - ranking.strengths[1])
    overlap = ranking.intervals[0][0] <= ranking.intervals[1][1]
    if overlap:
        key = "scores.ranking_close"
    else:
        key = "scores.ranking_said"
    sentence = t(key, first=names[0], second=names[1], share=100 * share, last=names[-1])
    method = t("scores.ranking_how", method=ranking.method, seed=ranking.seed, rows=len(scored.outcomes))
    chart.draw_chart("ranking", figure, sentence, method, find_target)


def _draw_place(pairs: Sequence[PairwiseComparison]) -> None:
    """Draw whether the answer that is shown first wins more often than half the time."""
    counts = count_places(pairs)
    if counts.interval is None or counts.p is None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("scores.place_unknown")))
        return
    st.header(t("scores.place"), anchor=False)
    low, high = counts.interval
    key = "scores.place_open"
    if low > 0.5:
        key = "scores.place_first"
    elif high < 0.5:
        key = "scores.place_second"
    percents = {"share": 100 * counts.first / counts.decisive, "low": 100 * low, "high": 100 * high}
    lines = [t(key, n=counts.decisive, first=counts.first, p=report.p_text(counts.p), **percents)]
    if counts.turned_interval is not None:
        low, high = counts.turned_interval
        percents = {"share": 100 * counts.turned / counts.swapped, "low": 100 * low, "high": 100 * high}
        lines.append(t("scores.place_turned", n=counts.swapped, turned=counts.turned, **percents))
    show.draw(show.join([show.h('<p class="rb-said">{}</p>', line) for line in lines]))
    show.draw(show.h('<p class="rb-small rb-how">{}</p>', t("scores.place_how")))


def _build_columns(*, with_judge: bool, with_place: bool) -> tuple[Column, ...]:
    columns = [Column("a", t("scores.pairwise_a")), Column("b", t("scores.against"))]
    if with_judge:
        columns.append(Column("judge", t("scores.judge")))
    columns += [
        Column("wins_a", t("scores.won_a"), number=True, show=lambda row: _link_count(row, "wins_a", "first")),
        Column("ties", t("scores.ties"), number=True, show=lambda row: _link_count(row, "ties", "tie")),
        Column("wins_b", t("scores.won_b"), number=True, show=lambda row: _link_count(row, "wins_b", "second")),
        Column("n", t("scores.n_title"), number=True, show=lambda row: _link_count(row, "n", None)),
        Column(
            "share",
            t("scores.share_a"),
            number=True,
            show=lambda row: _format_percent(row["share"]),
            help=t("scores.share_a_help"),
        ),
        Column("low", t("scores.interval_title"), number=True, show=_format_span),
        Column("p", t("scores.p_title"), number=True, show=_format_p, help=t("scores.p_sign")),
    ]
    if with_place:
        columns.append(
            Column(
                "first",
                t("scores.pairwise_place"),
                number=True,
                show=_format_first,
                help=t("scores.pairwise_place_help"),
            )
        )
    return tuple(columns)


def _build_row(scored: ScoreTable, comparison: PairwiseComparison) -> Mapping[str, Any]:
    low, high = comparison.interval or (None, None)
    judge = comparison.judge
    if not judge and comparison.judges > 1:
        judge = t("scores.all_judges", n=comparison.judges)
    return {
        "a": report.short(scored, comparison.a),
        "b": report.short(scored, comparison.b),
        "judge": judge,
        "n": comparison.n,
        "wins_a": comparison.wins_a,
        "wins_b": comparison.wins_b,
        "ties": comparison.ties,
        "share": comparison.share,
        "low": low,
        "high": high,
        "p": comparison.p,
        "first": comparison.first_wins / comparison.first_known if comparison.first_known else None,
        "first_wins": comparison.first_wins,
        "first_known": comparison.first_known,
        "of": format_address(scored, comparison.a),
        "against": format_address(scored, comparison.b),
        "whole": comparison.judges > 1 or not comparison.judge,
    }


def _link_count(row: Mapping[str, Any], key: str, side: str | None) -> Markup | str:
    judge = None if row["whole"] else row["judge"]
    return drilldown.link_count(row[key], of=row["of"], against=row["against"], kept=side, under="more", value=judge)


def _format_first(row: Mapping[str, Any]) -> str:
    if row["first"] is None:
        return "–"
    return f"{_format_percent(row['first'])} ({row['first_wins']:,}/{row['first_known']:,})"


def _format_p(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return "–"
    return report.p_text(row["p"]).removeprefix("= ")


def _format_percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{100 * share:.1f} %"


def _format_span(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return "–"
    return t("scores.span", low=f"{100 * row['low']:.1f}", high=f"{100 * row['high']:.1f} %")


def _compute_win_share(strength: float) -> float:
    """Compute the chance to win against one of strength 0, ties half a win each."""
    return 1 / (1 + math.exp(-strength))


# What is behind a number: the outcomes, record by record.


def draw_outcomes(scored: ScoreTable) -> None:
    """Draw the outcomes behind a number of the table, for the drill-down that is open."""
    parts = drilldown.read_drilldown()
    scope, against = parts.get("of", ""), parts.get("against", "")
    items = frozenset(scored.columns.items)
    rows = []
    for outcome in scored.outcomes:
        if _is_of_pair(scored, outcome, scope, against, parts.get("value", "")):
            rows.append(_build_outcome_row(scored, outcome, scope, items))
    if against:
        key = "scores.pairwise_drilldown"
    else:
        key = "scores.pairwise_drilldown_one"
    title = t(key, a=_name_address(scored, scope), b=_name_address(scored, against))
    drilldown.draw_heading(title)
    if parts.get("kept") in SIDES:
        side = parts.get("kept", "")
    else:
        side = ""
    counts = {"": len(rows), **{name: sum(row["side"] == code for row in rows) for name, code in SIDES.items()}}
    drilldown.draw_filter({name: t(f"scores.pairwise_kept_{name or 'all'}", n=n) for name, n in counts.items()}, side)
    columns = [Column("item", t("scores.record"), show=_link_record), Column("winner", t("scores.pairwise_winner"))]
    if any(row["judge"] for row in rows):
        columns.append(Column("judge", t("scores.judge")))
    if any(row["first"] for row in rows):
        columns.append(Column("first", t("scores.pairwise_first")))
    columns += [Column("file", t("scores.file")), Column("line", t("scores.line"), number=True)]
    listed = [row for row in rows if not side or row["side"] == SIDES[side]]
    table.table("outcomes", tuple(columns), listed, caption=title)
    drilldown.draw_close_button()


def _build_outcome_row(scored: ScoreTable, outcome: Outcome, scope: str, items: Collection[str]) -> Mapping[str, Any]:
    """Return a row of the list, seen from the side that the drill-down names first."""
    sides: dict[str, ConditionKey] = {"a": outcome.a, "b": outcome.b}
    side: str = outcome.outcome
    if side == "tie":
        winner = t("scores.tie")
    else:
        winner = report.short(scored, sides[side])
    if format_address(scored, outcome.a) != scope:
        side = {"a": "b", "b": "a"}.get(side, "tie")
    return {
        "item": outcome.item,
        "winner": winner,
        "side": side,
        "judge": outcome.judge,
        "first": report.short(scored, sides[outcome.first]) if outcome.first else "",
        "file": outcome.place.file or "",
        "line": outcome.place.line,
        "is_scored": outcome.item in items,
    }


def _is_of_pair(scored: ScoreTable, outcome: Outcome, scope: str, against: str, judge: str) -> bool:
    """Return whether an outcome is of the pair, or of anybody that `scope` met where `against` is ""."""
    sides = {format_address(scored, outcome.a), format_address(scored, outcome.b)}
    if against:
        is_pair = sides == {scope, against}
    else:
        is_pair = scope in sides
    return is_pair and judge in ("", outcome.judge)


def _name_address(scored: ScoreTable, scope: str) -> str:
    """Return what a condition of the outcomes is called that the address calls `scope`."""
    for outcome in scored.outcomes:
        for condition in (outcome.a, outcome.b):
            if format_address(scored, condition) == scope:
                return report.short(scored, condition)
    return scope


def _link_record(row: Mapping[str, Any]) -> Markup | str:
    if not row["is_scored"]:
        return str(row["item"])
    return drilldown.link_onward(row["item"], item=row["item"], arm=None)
