"""The further views of the scores page: means, main effects, two factors, two criteria, each record, stated means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from readback.scores import charts, counts, stats
from readback.scores.comparing import paired_items
from readback.scores.criteria import MINUS
from readback.scores.duels import outcomes as duels
from readback.scores.stated import aggregates
from readback.scores.stats import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui import score_behind, score_chart, score_said, score_sentences, score_view, show, table
from readback.ui.score_behind import door
from readback.ui.score_chart import Point
from readback.ui.score_view import Chosen
from readback.ui.table import Column
from readback.ui.words import t

FEW = 60  # records that are drawn one by one

Door = dict[str, str | None]


def means(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The mean of each row with its interval, on the whole scale."""
    made = charts.means(rows, score_view.names(scored, rows), view.criterion, score_view.say, score_view.dark(),
                        charts.WIDE)  # fmt: skip
    said = score_said.lead(scored, rows, view.criterion)
    score_chart.draw("more", made, said, score_sentences.of_means(rows), _to(scored, rows))


def effects(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """Every value of every factor with its mean over all rows that share it."""
    name, judge = view.criterion.name, view.judge
    by = {
        factor: tuple(row for row in found if all(value for _, value in row.condition))
        for factor, found in stats.main_effects(scored, name, judge).items()
    }
    by = {factor: found for factor, found in by.items() if len(found) > 1}
    listed = [row for found in by.values() for row in found]
    made = charts.effects(by, view.criterion, score_view.say, score_view.dark(), charts.WIDE)
    widths = {factor: max(r.mean or 0 for r in found) - min(r.mean or 0 for r in found) for factor, found in by.items()}
    said = ""
    if widths:
        most = max(widths, key=widths.__getitem__)
        said = t("scores.effects_said", factor=most, by=score_said.signed(widths[most]), n=len(by))
    score_chart.draw("more", made, said, score_sentences.of_means(listed), _to(scored, listed))


def heat(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The mean of every pair of values of two factors."""
    factors = scored.varying
    with st.container(horizontal=True):
        down = score_view.pick("rows", t("scores.rows"), factors)
        rest = tuple(factor for factor in factors if factor != down)
        across = score_view.pick("columns", t("scores.columns"), rest)
    found = counts.heat(scored, down, across, view.criterion.name, view.judge)
    made = charts.heat(found, view.criterion, score_view.say, score_view.dark(), width=charts.WIDE)

    def opens(point: Point) -> Door | None:
        at = score_chart.place(point)
        if len(at) < 2:
            return None
        return {"of": f"{down}={found.rows[at[0]]} · {across}={found.columns[at[1]]}", "under": "more"}

    flat = [mean for line in found.means for mean in line if mean is not None]
    said = t("scores.heat_said", rows=down, columns=across, low=score_said.mean(min(flat, default=None)),
             high=score_said.mean(max(flat, default=None)))  # fmt: skip
    score_chart.draw("more", made, said, t("scores.distribution_method", rows=sum(map(sum, found.counts))), opens)


def joint(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """How often the values of two criteria came together."""
    others = tuple(name for name in scored.columns.criteria if name != view.criterion.name)
    second = score_view.pick("second", t("scores.second"), others)
    found = counts.joint(scored, view.criterion.name, second, view.judge)
    made = charts.joint(found, score_view.say, score_view.dark(), charts.WIDE)
    cells = [(n, r, c) for r, line in enumerate(found.counts) for c, n in enumerate(line)]
    said = t("scores.joint_none")
    if found.n:
        n, r, c = max(cells)
        a, b = found.rows[r].replace("-", MINUS), found.columns[c].replace("-", MINUS)
        given = {"first": view.criterion.name, "a": a, "second": second, "b": b}
        said = t("scores.joint_said", n=n, all=found.n, share=100 * n / found.n, **given)
    score_chart.draw("more", made, said, t("scores.joint_method", n=found.n, left=found.left_out))


def slope(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """Each record under the baseline and under one other condition."""
    doors = [door(scored, row.condition) for row in rows if door(scored, row.condition) != view.baseline]
    chosen = score_view.pick("b", t("scores.other_condition"), doors, lambda one: score_behind.called(scored, one), 360)
    a, b = score_behind.key_of(scored, view.baseline), score_behind.key_of(scored, chosen)
    if a is None or b is None:
        return
    found = paired_items.items(scored, a, b, view.criterion.name, view.judge)
    sides = (score_behind.called(scored, view.baseline), score_behind.called(scored, chosen))
    up, down = int((found.b > found.a).sum()), int((found.b < found.a).sum())
    same = len(found.items) - up - down
    if 0 < len(found.items) <= FEW:
        made = charts.dumbbell(found.items, found.a.tolist(), found.b.tolist(), sides, view.criterion, score_view.say,
                               score_view.dark(), charts.WIDE)  # fmt: skip
    else:
        moved = counts.transitions(found.a, found.b, view.criterion, None, sides)
        made = charts.slope(moved, view.criterion, score_view.say, score_view.dark(), charts.WIDE)
    said = t("scores.slope_said", n=len(found.items), a=sides[0], b=sides[1], up=up, down=down, same=same)

    def opens(point: Point) -> Door | None:
        at = score_chart.place(point)
        one = found.items[at[0]] if len(at) == 1 and at[0] < len(found.items) else None
        return {"item": one, "arm": sides[1]} if one else {"of": chosen, "against": view.baseline, "under": "more"}

    how = t("scores.slope_method", a=found.only_a, b=found.only_b)
    score_chart.draw("more", made, said, how, opens)


def head_to_head(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """Who won where two conditions were judged side by side."""
    found = duels.told(scored)
    body: list[Mapping[str, Any]] = [
        {
            "a": score_said.short(scored, one.a), "b": score_said.short(scored, one.b), "judge": one.judge, "n": one.n,
            "wins_a": one.wins_a, "wins_b": one.wins_b, "ties": one.ties, "share": one.share,
            "low": one.interval[0] if one.interval else None, "high": one.interval[1] if one.interval else None,
        }
        for one in found
    ]  # fmt: skip
    columns = (
        Column("a", t("scores.condition")),
        Column("b", t("scores.against")),
        Column("judge", t("scores.judge")),
        Column("wins_a", t("scores.won_a"), number=True),
        Column("ties", t("scores.ties"), number=True),
        Column("wins_b", t("scores.won_b"), number=True),
        Column("n", t("scores.n_title"), number=True),
        Column("share", t("scores.share_a"), number=True, show=lambda row: score_said.mean(row["share"])),
        Column("low", t("scores.interval_title"), number=True, show=_span),
    )
    show.draw(show.h("<p>{}</p>", t("scores.duels_said", n=len(found))))
    table.table("duels", columns, body, caption=t("scores.view_duels"))


def reported(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The means that files state, where no rows stand behind them."""
    stated(scored)


def stated(scored: ScoreTable) -> None:
    """Means without rows as a table, with what cannot be computed; they are in no chart and in no comparison."""
    found = aggregates.aggregates(scored)
    if not found:
        show.draw(show.h("<p>{}</p>", t("scores.reported_all_have_rows", n=len(scored.reported))))
        return
    show.draw(show.h("<p>{}</p>", t("scores.reported_said", n=len(found))))
    rows: list[Mapping[str, Any]] = [
        {
            "condition": scored.label(one.stated.condition) if scored.columns.conditions else _named(one),
            "criterion": one.stated.criterion, "mean": None if one.stated.mean != one.stated.mean else one.stated.mean,
            "n": one.stated.n, "low": one.span[0] if one.span else None, "high": one.span[1] if one.span else None,
            "cannot": ", ".join(one.cannot), "file": one.stated.place.file,
        }
        for one in found
    ]  # fmt: skip
    columns = (
        Column("condition", t("scores.condition")),
        Column("criterion", t("scores.criterion")),
        Column("mean", t("scores.mean"), number=True, show=lambda row: score_said.mean(row["mean"])),
        Column("n", t("scores.n_title"), number=True),
        Column("low", t("scores.interval_title"), number=True, show=_span),
        Column("cannot", t("scores.cannot")),
        Column("file", t("scores.file")),
    )
    table.table("reported", columns, rows, caption=t("scores.view_reported"))


def _named(one: aggregates.Aggregate) -> str:
    return " · ".join(value for _, value in one.stated.condition)


def _span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=score_said.signed(row["low"]), high=score_said.signed(row["high"]))


def _to(scored: ScoreTable, rows: Sequence[Row]) -> Any:
    def opens(point: Point) -> Door | None:
        at = score_chart.place(point)
        return {"of": door(scored, rows[at[0]].condition), "under": "more"} if at and at[0] < len(rows) else None

    return opens
