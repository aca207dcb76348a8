"""The first sight of the scores page: the first words, two charts with their sentences, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st
from markupsafe import Markup

from readback.checks.rules import finding
from readback.scores import chart_sentences, conclusion, in_view, not_compared, pooled, report, summary
from readback.scores import charts as drawn
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing.comparison import DISPUTED, Blocked, Compared, Comparison
from readback.scores.criteria import scale_text
from readback.scores.drawn_pairs import is_of_another, list_fairness, list_pairs
from readback.scores.report import Line
from readback.scores.reported.failures_left_out import find_left_out
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Diagnostic, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.scores import (
    score_chart,
    score_drilldown_links,
    score_lead,
    score_means,
    score_tables,
    score_view,
    score_views,
)
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_drilldown import address_of
from readback.ui.scores.score_lead import Concluded
from readback.ui.scores.score_view import Chosen
from readback.words import t

MOST = 6  # other criteria that a pair is looked at under


def lead(
    scored: ScoreTable,
    workspace: Workspace,
    plan: Sequence[Line],
    rows: Sequence[Row],
    concluded: Concluded,
    view: Chosen,
) -> None:
    """The first words: the planned comparisons; where none was planned which condition is best, and that nothing was
    planned.
    """
    if plan:
        show.draw(score_lead.draw(scored, workspace, concluded, view.criterion))
    else:
        show.draw(score_lead.unplanned(scored, workspace, rows, concluded, view))
    if scored.pool is not None:
        show.draw(show.h('<p class="rb-small">{} {}</p>', *_pooled(scored, view)))
    if notes := " ".join(_notes(scored, workspace, plan, rows, view)):
        show.draw(show.h('<p class="rb-small">{}</p>', notes))


def _notes(
    scored: ScoreTable, workspace: Workspace, plan: Sequence[Line], rows: Sequence[Row], view: Chosen
) -> Iterator[str]:
    """What must be known of the first words: what was planned and what of it has no scores, the scale, and what a row
    of the charts is.
    """
    name = view.criterion.name
    if not plan and len([row for row in rows if row.n]) > 1:
        yield _unplanned(scored, workspace)
    if absent := score_lead.without_scores(scored, workspace):
        names = ", ".join(dict.fromkeys(name for _, name in absent))
        yield t("scores.plan_absent", n=len(absent), names=names)
    of_files = score_view.of_files(scored)
    left = in_view.left_out(of_files, name, view.judge)
    if left and not_compared.find_scales(of_files, name) is None:  # else the first words have said which is where
        yield left
    for one in find_left_out(of_files, summary.rows(of_files)):
        if one.row.criterion == name:
            yield one.line(of_files.label(one.row.condition))
    if name in scored.inferred:
        yield t("scores.inferred", criterion=name, scale=scale_text(view.criterion))
    if view.by and (conditions := score_view.conditions(scored, view)) > score_view.MOST:
        yield t("scores.many", n=conditions, factor=view.by)


def _pooled(scored: ScoreTable, view: Chosen) -> tuple[Markup, Markup]:
    """That items count with the mean of those who scored them, how many these are, and how far they agree."""
    name, pool = view.criterion.name, view.judge.removeprefix("*")
    found = pooled.raters(scored, name, view.judge)
    who = t(f"scores.{pool}", n=found.judges)
    each = str(found.most) if found.fewest == found.most else t("scores.span", low=found.fewest, high=found.most)
    agreed = measure_pool(score_view.of_files(scored), name, pooled.members(scored, name, view.judge))
    span = t("scores.no_interval")
    if agreed.interval:
        span = t("scores.interval", **dict(zip(("low", "high"), map(report.signed, agreed.interval), strict=True)))
    key = "scores.pool_agree" if agreed.alpha is not None else "scores.pool_agree_none"
    given = {"metric": agreed.metric, "alpha": report.signed(agreed.alpha), "interval": span, "n": agreed.units}
    way = score_drilldown_links.link(t("scores.pool_way"), view="agreement")
    said = [t("scores.pool_said", who=who, each=each), t(key, **given)]
    if agreed.alpha is not None and agreed.alpha < DISPUTED:
        said.append(t("scores.pool_agree_low"))
    return show.h("{}", " ".join(said)), way


def _apart(scored: ScoreTable, view: Chosen) -> None:
    """A line for each reference answer: why it is set apart, and its numbers."""
    for row in score_view.apart(view):
        why = scored.apart[row.condition]
        said = t(f"scores.apart_{why.by}", name=score_view.called(scored, row.condition), n=why.n, metric=why.criterion)
        sure = t("scores.interval", **score_means.ends(row)) if row.span else t("scores.no_interval")
        numbers = t("scores.apart_mean", mean=score_means.mean(row.mean), interval=sure)
        count = score_drilldown_links.count(row.n, of=address_of(scored, row.condition), state="scored")
        show.draw(show.h('<p class="rb-apart">{} {} n {}.</p>', said, numbers, count))


def charts(scored: ScoreTable, rows: Sequence[Row], compared: Compared, concluded: Concluded, view: Chosen) -> None:
    """How scores are spread, how far they are apart, and each record; each over the whole width."""
    _distribution(scored, rows, view)
    _differences(scored, rows, compared, concluded, view)
    if view.baseline:
        st.header(t("scores.record_view"), anchor=False)
        score_views.slope(scored, rows, view, list_pairs(concluded.found))
    _apart(scored, view)
    for warning in score_means.warnings(rows):
        show.draw(show.h('<p class="rb-small">{}</p>', warning))


def trade(scored: ScoreTable, workspace: Workspace, plan: Sequence[Line], compared: Compared) -> None:
    """The pairs in view under the other criteria: the only one that is drawn, else the planned ones."""
    planned = [one for one in plan if isinstance(one, Comparison)][: score_lead.FIRST]
    for pair in compared.comparisons if len(compared.comparisons) == 1 else planned:
        show.draw(draw(scored, workspace, pair))


def tables(scored: ScoreTable, rows: Sequence[Row], compared: Compared, view: Chosen) -> None:
    """The numbers of both charts; every count opens what it counts."""
    title = t("scores.table_by", factor=view.by) if view.by else t("scores.table")
    st.header(show.md(title), anchor=False)
    table.table("means", *score_tables.numbers(scored, rows), caption=title, tools=len(rows) > score_view.MOST)
    if compared.comparisons or compared.blocked:
        lines = _lines(compared, rows)
        title = t("scores.table_pairs")
        if len({one.a for one in lines}) == 1:
            title = t("scores.table_differences", baseline=report.short(scored, lines[0].a))
        st.header(show.md(title), anchor=False)
        made = score_tables.differences(scored, lines)
        table.table("differences", *made, caption=title, tools=len(lines) > score_view.MOST)
        means = {row.condition: row.mean for row in rows}
        said = [(means.get(one.a), means.get(one.b), one.difference) for one in compared.comparisons]
        if rounded := report.subtraction(said):
            show.draw(show.h('<p class="rb-small">{} {}</p>', rounded, t("scores.shared_only")))


def _distribution(scored: ScoreTable, rows: Sequence[Row], view: Chosen) -> None:
    made = drawn.draw_distribution(
        rows, score_view.names(scored, rows), view.criterion, score_view.say, score_view.dark()
    )

    def opens(point: Point) -> dict[str, str | None] | None:
        at = score_chart.place(point)
        return {"of": address_of(scored, rows[at[0]].condition)} if at and at[0] < len(rows) else None

    st.header(t("scores.distribution"), anchor=False)
    said = chart_sentences.distribution(scored, rows, view.criterion)
    score_chart.draw("distribution", made, said, chart_sentences.counted(rows), opens)


def _differences(
    scored: ScoreTable, rows: Sequence[Row], compared: Compared, concluded: Concluded, view: Chosen
) -> None:
    if not view.baseline:
        _means(scored, rows, view)
        return
    lines = _lines(compared, rows)
    of_one = len({one.a for one in lines}) == 1
    made = drawn.draw_forest(
        lines, score_view.name_lines(scored, lines), view.criterion, score_view.say, score_view.dark(),
        baseline=report.short(scored, lines[0].a) if of_one else "", explain=_why
    )  # fmt: skip

    def opens(point: Point) -> dict[str, str | None] | None:
        at = score_chart.place(point)
        one = lines[at[0]] if at and at[0] < len(lines) else None
        if one is None or isinstance(one, Blocked):
            return None
        return {"of": address_of(scored, one.b), "against": address_of(scored, one.a)}

    st.header(t("scores.differences"), anchor=False)
    if is_of_another(compared, concluded.found):
        show.draw(show.h("<p>{}</p>", chart_sentences.name_other_baseline(scored, compared, concluded.found)))
    said = chart_sentences.differences(scored, compared, view.criterion, list_fairness(concluded.found))
    score_chart.draw("differences", made, said, chart_sentences.how(compared.comparisons), opens)
    show.draw(_blocked(scored, compared.blocked))


def _lines(compared: Compared, rows: Sequence[Row]) -> list[Line]:
    """The comparisons in the order of the rows beside them, those with another baseline last; then what is not
    compared.
    """
    order = {row.condition: at for at, row in enumerate(rows)}
    first = compared.comparisons[0].a if compared.comparisons else None
    made = sorted(compared.comparisons, key=lambda one: (one.a != first, order.get(one.b, len(order))))
    return [*made, *compared.blocked]


def _means(scored: ScoreTable, rows: Sequence[Row], view: Chosen) -> None:
    """With one condition there is nothing to set against it: its mean is where the differences would."""
    made = drawn.draw_means(rows, score_view.names(scored, rows), view.criterion, score_view.say, score_view.dark())

    def opens(point: Point) -> dict[str, str | None] | None:
        at = score_chart.place(point)
        return {"of": address_of(scored, rows[at[0]].condition)} if at and at[0] < len(rows) else None

    st.header(t("scores.means"), anchor=False)
    score_chart.draw(
        "means", made, score_means.lead(scored, rows, view.criterion), chart_sentences.of_means(rows), opens
    )


def _blocked(scored: ScoreTable, blocked: Sequence[Blocked]) -> Markup:
    """What is not compared, greyed, with the reason."""
    lines = [
        show.h('<li><span class="rb-blocked">{}</span> <span class="rb-small">{}</span></li>',
               t("scores.pair", a=report.short(scored, one.a), b=report.short(scored, one.b)),
               " ".join(finding(diagnostic).message for diagnostic in one.why))
        for one in blocked
    ]  # fmt: skip
    if not lines:
        return Markup("")
    return show.h('<ul class="rb-not-compared" aria-label="{}">{}</ul>', t("scores.blocked"), show.join(lines))


def _why(diagnostic: Diagnostic) -> str:
    return finding(diagnostic).message


def _unplanned(scored: ScoreTable, workspace: Workspace) -> str:
    elsewhere = score_lead.elsewhere(scored, workspace)
    plan = t("scores.plan_elsewhere", criteria=", ".join(elsewhere)) if elsewhere else ""
    return " ".join(part for part in (t("scores.not_planned"), plan) if part)


# The same two conditions under the other criteria of a judge: whether what one gains another loses.


def draw(table: ScoreTable, workspace: Workspace, pair: Comparison) -> Markup:
    """The same pair under the other criteria of the same judge, each with its interval: exploratory, and said to be."""
    others = conclusion.other_criteria(table, workspace, pair.a, pair.b, pair.criterion, pair.judge)[:MOST]
    if not others:
        return Markup("")
    both = (pair, *others)
    ups = [one.criterion for one in both if one.verdict == "b is higher"]
    downs = [one.criterion for one in both if one.verdict == "a is higher"]
    split = bool(ups and downs) and all(table.criteria[one.criterion].direction == "up" for one in both)
    said = t("scores.trade_off", up=", ".join(ups), down=", ".join(downs)) if split else ""
    off = show.h("<p>{}</p>", said) if said else ""
    items = [show.h("<li>{}</li>", _traded(table, one)) for one in others]
    name = t("scores.pair", a=report.short(table, pair.a), b=report.short(table, pair.b))
    return show.h(
        '<div class="rb-trade"><h3>{}: {} <span class="rb-small">({})</span></h3>{}<ul>{}</ul></div>',
        t("scores.trade"), name, t("scores.exploratory"), off, show.join(items),
    )  # fmt: skip


def _traded(table: ScoreTable, one: Comparison) -> str:
    if not one.difference:
        return t("scores.trade_line", criterion=one.criterion, said=t("scores.trade_same", n=one.n_shared))
    up = one.difference > 0
    better = one.wins if up is (table.criteria[one.criterion].direction != "down") else one.losses
    said = t(
        "scores.trade_plain", high=report.short(table, one.b if up else one.a), by=report.signed(abs(one.difference)),
        interval=report.interval(one, turned=not up), n=one.n_shared, better=better,
        worse=one.wins + one.losses - better, same=one.ties,
    )  # fmt: skip
    return t("scores.trade_line", criterion=one.criterion, said=said)
