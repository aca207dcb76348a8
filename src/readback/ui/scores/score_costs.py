"""Findings x scores on the scores page: which prompt faults go with lower scores, said to be no more than that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from readback.checks.costs import Change, Cost, costs, marked
from readback.scores import charts, report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import choice
from readback.ui.scores import (
    score_chart,
    score_drilldown,
    score_drilldown_links,
    score_drilldown_lists,
    score_means,
    score_view,
)
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_drilldown import address_of
from readback.ui.scores.score_view import Chosen
from readback.words import t

DRAWN = 20  # rows of the chart; the table has all


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """For each rule and condition the records with a finding beside those without; then what a changed prompt did."""
    audit = choice.whole_audit()
    if audit is None:
        show.empty(t("scores.costs_unchecked"), t("scores.costs_check"), "findings")
        return
    found = costs(workspace, choice.dataset(), audit, scored, view.criterion.name, view.judge)
    if not found.within:
        show.draw(show.h("<p>{}</p>", t("scores.costs_none")))
        return
    compared = [one for one in found.within if one.difference is not None]
    shown = sorted(compared, key=lambda one: (one.interval is None, one.difference))[:DRAWN]
    if shown:
        names = [f"{one.code} · {report.short(scored, one.condition)}" for one in shown]
        made = charts.draw_costs(shown, names, view.criterion, score_view.say, score_view.dark())
        sure = any(one.interval for one in compared)
        said = t("scores.costs_said" if sure else "scores.costs_few", n=len(compared), shown=len(shown))

        def opens(point: Point) -> Mapping[str, str | None] | None:
            at = score_chart.place(point)
            return _drilldown(scored, shown[at[0]]) if at and at[0] < len(shown) else None

        score_chart.draw("more", made, said, t("scores.costs_method"), opens)
    table.table("costs", _columns(), [_within(scored, one) for one in found.within], caption=t("scores.view_costs"))
    means = ((one.mean_with, one.mean_without, one.difference) for one in found.within)
    if rounded := report.subtraction(means):
        show.draw(show.h('<p class="rb-small">{}</p>', rounded))
    if found.changes:
        show.draw(show.h("<p>{}</p>", t("scores.costs_changes")))
        body = [_change(scored, one) for one in found.changes]
        table.table("changes", _change_columns(), body, caption=t("scores.costs_changes_title"))
    if found.unknown:
        show.draw(show.h('<p class="rb-small">{}</p>', t("scores.costs_unknown", n=found.unknown)))


def listed(scored: ScoreTable, workspace: Workspace, view: Chosen) -> None:
    """The scores of the records with a finding in a condition, for the drill-down that is open."""
    opened = score_drilldown_links.opened()
    audit, key = choice.whole_audit(), score_drilldown.key_of(scored, opened.get("of", ""))
    if audit is None or key is None:
        return
    judged = (view.criterion.name, view.judge)
    only = marked(workspace, choice.dataset(), audit, scored, opened["and"], key, judged)
    title = t("scores.costs_behind", code=opened["and"], condition=report.short(scored, key))
    score_drilldown_lists.of_items(scored, workspace, *judged, opened["of"], only, title)


def _drilldown(scored: ScoreTable, one: Cost) -> Mapping[str, str | None]:
    return {"of": address_of(scored, one.condition), "and": one.code, "under": "more"}


def _with(row: Mapping[str, Any]) -> Markup | str:
    return score_drilldown_links.count(row["n_with"], **row["drilldown"])


def _within(scored: ScoreTable, one: Cost) -> Mapping[str, Any]:
    return {
        "drilldown": _drilldown(scored, one),
        "code": one.code, "condition": report.short(scored, one.condition), "n_with": one.n_with,
        "n_without": one.n_without, "mean_with": one.mean_with, "mean_without": one.mean_without, **_sure(one),
    }  # fmt: skip


def _change(scored: ScoreTable, one: Change) -> Mapping[str, Any]:
    a, b = report.short(scored, one.a), report.short(scored, one.b)
    return {"code": one.code, "a": a, "b": b, "n": one.n, **_sure(one)}


def _sure(one: Cost | Change) -> dict[str, Any]:
    low, high = one.interval or (None, None)
    return {"difference": one.difference, "low": low, "high": high, "p": one.p_adjusted}


def _columns() -> tuple[Column, ...]:
    return (
        Column("code", t("scores.finding"), show=_to_finding),
        Column("condition", t("scores.condition")),
        Column("n_with", t("scores.chart_n_with"), number=True, show=_with),
        Column("n_without", t("scores.chart_n_without"), number=True),
        Column("mean_with", t("scores.chart_with"), number=True, show=lambda row: score_means.mean(row["mean_with"])),
        Column(
            "mean_without", t("scores.chart_without"), number=True,
            show=lambda row: score_means.mean(row["mean_without"]),
        ),
        *_sure_columns(),
    )  # fmt: skip


def _change_columns() -> tuple[Column, ...]:
    return (
        Column("code", t("scores.finding"), show=_to_finding),
        Column("b", t("scores.condition")),
        Column("a", t("scores.against")),
        Column("n", t("scores.n_title"), number=True),
        *_sure_columns(),
    )


def _sure_columns() -> tuple[Column, ...]:
    return (
        Column("difference", t("scores.difference"), number=True, show=lambda row: report.plus(row["difference"])),
        Column("low", t("scores.interval_title"), number=True, show=_span),
        Column(
            "p", t("scores.p_adjusted"), number=True, show=lambda row: "–" if row["p"] is None else f"{row['p']:.2g}"
        ),
    )


def _span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))


def _to_finding(row: Mapping[str, Any]) -> Any:
    return show.link("findings", row["code"], code=row["code"])
