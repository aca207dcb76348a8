"""Draw what is known of the answer on Results, the first charts with their sentences, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.rules import build_finding
from readback.html.templates import render_template
from readback.scores import chart_sentences, charts, conclusion, in_view, pooled, summary
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing.comparison import DISPUTED, Blocked, Compared, Comparison
from readback.scores.conclusion import BestOf
from readback.scores.drawn_pairs import is_level, is_of_another, list_fairness, list_pairs
from readback.scores.reported.counted_failures import find_summarised_failures
from readback.scores.reported.matching_rows import agrees, match_rows
from readback.scores.sentences import not_compared, report
from readback.scores.sentences.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.values.criteria import MINUS, scale_text
from readback.types import Diagnostic, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.results import chart, choices, drilldown, lead, means, views
from readback.ui.results.chart import Point, Target
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.ui.results.lead import Concluded
from readback.words import t

PAIRS = 3  # planned pairs that are looked at under other criteria
STATED = 3  # means that files state and that treat failed rows in another way
MOST = 6  # other criteria that a pair is looked at under
Body = list[Mapping[str, Any]]
Table = tuple[tuple[Column, ...], Body]


def draw_notes(
    scored: ScoreTable,
    workspace: Workspace,
    plan: Sequence[Line],
    rows: Sequence[Row],
    concluded: Concluded,
    view: View,
) -> None:
    """Draw what must be known of the answer: who scored, what was planned and has no scores, what is left out."""
    if scored.pool is not None:
        link = drilldown.link(t("scores.pool_way"), view="agreement")
        show.draw(show.h('<p class="rb-small">{} {}</p>', _format_pool(scored, view), link))
    exclusions = lead.list_exclusions(scored, concluded, view)
    if notes := " ".join([*exclusions, *_list_notes(scored, workspace, plan, rows, concluded, view)]):
        show.draw(show.h('<p class="rb-small">{}</p>', notes))


def _list_notes(
    scored: ScoreTable,
    workspace: Workspace,
    plan: Sequence[Line],
    rows: Sequence[Row],
    concluded: Concluded,
    view: View,
) -> Iterator[str]:
    """Yield what must be known of the first words: what was planned and has no scores, the scale, what a row is."""
    name = view.criterion.name
    if not plan and len([row for row in rows if row.n]) > 1:
        best = concluded.conclusions
        level = is_level(list_pairs(best))
        is_answer = isinstance(best, BestOf) and (not best.headline or level)  # then the first words have said it
        if best is not None and not is_answer:
            yield means.format_lead(scored, rows, view.criterion)
        if not level:
            yield t("scores.not_planned")
        if criteria := lead.list_planned_criteria(workspace):
            yield t("scores.plan_elsewhere", criteria=", ".join(criteria))
    if unscored := lead.list_unscored_plans(scored, workspace):
        names = ", ".join(dict.fromkeys(missing for _, missing in unscored))
        yield t("scores.plan_absent", n=len(unscored), names=names)
    file_table = choices.get_file_table(scored)
    left_out = in_view.left_out(file_table, name, view.judge)
    # Else the first words have said which conditions are on another scale.
    if left_out and not_compared.find_scales(file_table, name) is None:
        yield left_out
    summarised = [
        failures.line(file_table.label(failures.row.condition))
        for failures in find_summarised_failures(file_table, summary.rows(file_table))
        if failures.row.criterion == name
    ]
    yield from summarised[:STATED]
    if len(summarised) > STATED:
        yield t("scores.counted_others", n=len(summarised) - STATED)
    yield from _list_own_numbers(file_table, name)
    if name in scored.inferred:
        yield t("scores.inferred", criterion=name, scale=scale_text(view.criterion))
    count = choices.count_conditions(scored, view)
    if view.by and count > in_view.MOST:
        yield t("scores.many", n=count, factor=view.by)


def _list_own_numbers(file_table: ScoreTable, criterion: str) -> Iterator[str]:
    """Yield how many means that files state under a criterion are those of the rows, and what cannot be computed."""
    own = [
        (means, row)
        for means, row in match_rows(file_table, summary.rows(file_table))
        if row is not None and row.criterion == criterion
    ]
    if own:
        count = sum(agrees(means, row) for means, row in own)
        yield t("scores.own_all" if count == len(own) else "scores.own_some", n=len(own), same=count)
    others = [entry.name for entry in file_table.summaries if entry.criterion == criterion]
    if others:
        yield t("scores.own_not_computed", n=len(others), names=", ".join(dict.fromkeys(others)))


def _format_pool(scored: ScoreTable, view: View) -> str:
    """Return that items count with the mean of those who scored them, and how far these agree."""
    name = view.criterion.name
    sentences = [t("scores.pool_said")]
    agreed = measure_pool(choices.get_file_table(scored), name, pooled.members(scored, name, view.judge))
    interval = t("scores.no_interval")
    if agreed.interval:
        low, high = map(report.signed, agreed.interval)
        interval = t("scores.interval", low=low, high=high)
    if agreed.alpha is not None:
        key = "scores.pool_agree"
    else:
        key = "scores.pool_agree_none"
    alpha = report.signed(agreed.alpha)
    sentences.append(t(key, metric=agreed.metric, alpha=alpha, interval=interval, n=agreed.units))
    if agreed.alpha is not None and agreed.alpha < DISPUTED:
        sentences.append(t("scores.pool_agree_low"))
    return " ".join(sentences)


def list_charts(
    scored: ScoreTable, rows: Sequence[Row], compared: Compared, concluded: Concluded, view: View
) -> Mapping[str, Callable[[], None]]:
    """Return the first of the further views: how scores are spread, how far they are apart, and each record."""
    if not view.baseline:
        return {
            "distribution": lambda: _draw_distribution(scored, rows, view),
            "means": lambda: _draw_means(scored, rows, view),
        }

    def draw_each() -> None:
        st.header(t("scores.record_view"), anchor=False)
        views.draw_records(scored, rows, view, list_pairs(concluded.conclusions))

    return {
        "distribution": lambda: _draw_distribution(scored, rows, view),
        "differences": lambda: _draw_differences(scored, rows, compared, concluded, view),
        "each": draw_each,
    }


def draw_warnings(scored: ScoreTable, rows: Sequence[Row], view: View) -> None:
    """Draw what belongs to the means: those of reference answers, and what makes intervals uncertain."""
    _draw_references(scored, view)
    warnings = list(means.list_warnings(rows))
    if warnings:
        show.draw(show.h('<p class="rb-small">{}</p>', " ".join(warnings)))


def _draw_distribution(scored: ScoreTable, rows: Sequence[Row], view: View) -> None:
    names = choices.name_rows(scored, rows)
    figure = charts.draw_distribution(rows, names, view.criterion, choices.say, choices.is_dark())

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(rows))
        if row is None:
            return None
        return {"of": format_address(scored, rows[row].condition)}

    st.header(t("scores.distribution"), anchor=False)
    sentence = chart_sentences.distribution(scored, rows, view.criterion)
    chart.draw_chart("distribution", figure, sentence, chart_sentences.counted(rows), find_target)


def _draw_differences(
    scored: ScoreTable, rows: Sequence[Row], compared: Compared, concluded: Concluded, view: View
) -> None:
    lines = list_lines(compared, rows)
    if _have_one_baseline(lines):
        baseline = report.short(scored, lines[0].a)
    else:
        baseline = ""
    figure = charts.draw_forest(
        lines,
        choices.name_lines(scored, lines),
        view.criterion,
        choices.say,
        choices.is_dark(),
        baseline=baseline,
        explain=_explain,
    )

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(lines))
        if row is None or isinstance(lines[row], Blocked):
            return None
        return {"of": format_address(scored, lines[row].b), "against": format_address(scored, lines[row].a)}

    st.header(t("scores.differences"), anchor=False)
    if is_of_another(compared, concluded.conclusions):
        sentence = chart_sentences.name_other_baseline(scored, compared, concluded.conclusions)
        show.draw(show.h("<p>{}</p>", sentence))
    sentence = chart_sentences.differences(scored, compared, view.criterion, list_fairness(concluded.conclusions))
    chart.draw_chart("differences", figure, sentence, chart_sentences.how(compared.comparisons), find_target)
    show.draw(_render_blocked(scored, compared.blocked))


def _draw_means(scored: ScoreTable, rows: Sequence[Row], view: View) -> None:
    """Draw the mean of the only condition where differences would be: there is nothing to set it against."""
    names = choices.name_rows(scored, rows)
    figure = charts.draw_means(rows, names, view.criterion, choices.say, choices.is_dark())

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(rows))
        if row is None:
            return None
        return {"of": format_address(scored, rows[row].condition)}

    st.header(t("scores.means"), anchor=False)
    sentence = means.format_lead(scored, rows, view.criterion)
    chart.draw_chart("means", figure, sentence, chart_sentences.of_means(rows), find_target)


def _draw_references(scored: ScoreTable, view: View) -> None:
    """Draw a line for each reference answer: why it is set apart, and its numbers."""
    for row in choices.list_reference_rows(view):
        why = scored.apart[row.condition]
        name = choices.name_condition(scored, row.condition)
        sentence = t(f"scores.apart_{why.by}", name=name, n=why.n, metric=why.criterion)
        if row.span:
            interval = t("scores.interval", **means.format_ends(row))
        else:
            interval = t("scores.no_interval")
        numbers = t("scores.apart_mean", mean=means.format_mean(row.mean), interval=interval)
        count = drilldown.link(t("scores.n_answers", n=row.n), of=format_address(scored, row.condition), state="scored")
        show.draw(show.h('<p class="rb-apart">{} {} {}.</p>', sentence, numbers, count))


def list_lines(compared: Compared, rows: Sequence[Row]) -> list[Line]:
    """Return the comparisons in the order of the rows, those with another baseline last; then what is not compared."""
    order = {row.condition: index for index, row in enumerate(rows)}
    if compared.comparisons:
        first = compared.comparisons[0].a
    else:
        first = None
    comparisons = sorted(compared.comparisons, key=lambda line: (line.a != first, order.get(line.b, len(order))))
    return [*comparisons, *compared.blocked]


def _have_one_baseline(lines: Sequence[Line]) -> bool:
    return len({line.a for line in lines}) == 1


def _explain(diagnostic: Diagnostic) -> str:
    return build_finding(diagnostic).message


def _render_blocked(scored: ScoreTable, blocked: Sequence[Blocked]) -> Markup:
    """Return what is not compared, greyed, with the reason."""
    if not blocked:
        return Markup("")
    entries = []
    for line in blocked:
        pair = t("scores.pair", a=report.short(scored, line.a), b=report.short(scored, line.b))
        entries.append((pair, choices.format_reasons(line.why)))
    return render_template("ui/results/not_compared.html.jinja", t=t, entries=entries)


# The same two conditions under the other criteria of a judge: whether what one gains another loses.


def draw_other_criteria(scored: ScoreTable, workspace: Workspace, plan: Sequence[Line], compared: Compared) -> None:
    """Draw the pairs in view under the other criteria: the only one that is drawn, else the planned ones."""
    pairs = list(compared.comparisons)
    if len(pairs) != 1:
        pairs = [line for line in plan if isinstance(line, Comparison)][:PAIRS]
    for pair in pairs:
        show.draw(_render_other_criteria(scored, workspace, pair))


def _render_other_criteria(scored: ScoreTable, workspace: Workspace, pair: Comparison) -> Markup:
    """Return a pair under the other criteria of the same judge, each with its interval: marked as exploratory."""
    others = conclusion.other_criteria(scored, workspace, pair.a, pair.b, pair.criterion, pair.judge)[:MOST]
    if not others:
        return Markup("")
    every = (pair, *others)
    ups = [comparison.criterion for comparison in every if comparison.verdict == "b is higher"]
    downs = [comparison.criterion for comparison in every if comparison.verdict == "a is higher"]
    warning = ""
    if ups and downs and all(scored.criteria[comparison.criterion].direction == "up" for comparison in every):
        warning = t("scores.trade_off", up=", ".join(ups), down=", ".join(downs))
    return render_template(
        "ui/results/other_criteria.html.jinja",
        t=t,
        pair=t("scores.pair", a=report.short(scored, pair.a), b=report.short(scored, pair.b)),
        warning=warning,
        lines=[_format_other_criterion(scored, comparison) for comparison in others],
    )


def _format_other_criterion(scored: ScoreTable, comparison: Comparison) -> str:
    if not comparison.difference:
        sentence = t("scores.trade_same", n=comparison.n_shared)
        return t("scores.trade_line", criterion=comparison.criterion, said=sentence)
    rises = comparison.difference > 0
    better = comparison.losses
    if rises is (scored.criteria[comparison.criterion].direction != "down"):
        better = comparison.wins
    sentence = t(
        "scores.trade_plain",
        high=report.short(scored, comparison.b if rises else comparison.a),
        by=report.signed(abs(comparison.difference)),
        interval=report.interval(comparison, turned=not rises),
        n=comparison.n_shared,
        better=better,
        worse=comparison.wins + comparison.losses - better,
        same=comparison.ties,
    )
    return t("scores.trade_line", criterion=comparison.criterion, said=sentence)


# The numbers of both charts; every count opens what it counts.


def draw_tables(scored: ScoreTable, rows: Sequence[Row], compared: Compared, view: View) -> None:
    """Draw the numbers of both charts as tables."""
    if view.by:
        title = t("scores.table_by", factor=view.by)
    else:
        title = t("scores.table")
    st.header(show.md(title), anchor=False)
    table.table("means", *_tabulate_rows(scored, rows), caption=title, tools=len(rows) > in_view.MOST)
    lines = list_lines(compared, rows)
    if not lines:
        return
    title = t("scores.table_pairs")
    if _have_one_baseline(lines):
        title = t("scores.table_differences", baseline=report.short(scored, lines[0].a))
    st.header(show.md(title), anchor=False)
    table.table("differences", *_tabulate_lines(scored, lines), caption=title, tools=len(lines) > in_view.MOST)
    mean_of = {row.condition: row.mean for row in rows}
    subtractions = []
    for comparison in compared.comparisons:
        subtractions.append((mean_of.get(comparison.a), mean_of.get(comparison.b), comparison.difference))
    if rounded := report.subtraction(subtractions):
        show.draw(show.h('<p class="rb-small">{} {}</p>', rounded, t("scores.shared_only")))


def _tabulate_rows(scored: ScoreTable, rows: Sequence[Row]) -> Table:
    """Return the factors that vary, the mean with its interval, the counts, and how often each value was given."""
    factors = _list_factors(scored, [row.condition for row in rows])
    # A row may have only the values that it was given.
    values = sorted(dict.fromkeys(value for row in rows for value, _ in row.distribution), key=_get_low_end)
    columns = []
    for name in factors:
        columns.append(Column(f"f_{name}", t("scores.condition") if name == "condition" else name))
    columns += [
        Column("mean", t("scores.mean"), number=True, show=lambda row: means.format_mean(row["mean"])),
        Column("low", t("scores.interval_title"), number=True, show=_format_span, help=t("scores.interval_help")),
    ]
    if any(row.interval_on_scale for row in rows):
        title, help_text = t("scores.on_scale_title"), t("scores.on_scale_help")
        columns.append(Column("on_low", title, number=True, show=_format_span_on_scale, help=help_text))
    columns += [
        _build_count_column("n", t("scores.n_title"), state="scored"),
        _build_count_column("failed", t("scores.failed"), state="failed"),
        _build_count_column("missing", t("scores.missing"), state="missing"),
    ]
    if any(row.not_applicable for row in rows):
        columns.append(_build_count_column("na", t("scores.na"), state="na"))
    for value in values:
        title = t("scores.value", value=value.replace("-", MINUS))
        columns.append(_build_count_column(f"v_{value}", title, value=value))
    body: Body = []
    for row in rows:
        low, high = row.span or (None, None)
        on_low, on_high = row.interval_on_scale or (None, None)
        body.append(
            {
                **{f"f_{name}": dict(row.condition).get(name, "") for name in factors},
                "mean": row.mean,
                "low": low,
                "high": high,
                "on_low": on_low,
                "on_high": on_high,
                "n": row.n,
                "failed": row.failed,
                "missing": row.missing,
                "na": row.not_applicable,
                **{f"v_{value}": n for value, n in row.distribution},
                "of": format_address(scored, row.condition),
            }
        )
    return tuple(columns), body


def _tabulate_lines(scored: ScoreTable, lines: Sequence[Line]) -> Table:
    """Return each comparison with its paired difference, its counts as drill-downs, and its test; or why there is none.

    Where all are against one condition the heading names it; else a row names both sides.
    """
    factors = _list_factors(scored, [line.b for line in lines])
    columns = []
    has_one_baseline = _have_one_baseline(lines)
    if not has_one_baseline:
        columns.append(Column("a", t("scores.baseline_title")))
    if has_one_baseline and len(factors) > 1:
        columns += [Column(f"f_{name}", name) for name in factors]
    else:
        columns.append(Column("b", t("scores.condition")))
    columns += [
        Column("difference", t("scores.difference"), number=True, show=lambda row: report.plus(row.get("difference"))),
        Column("low", t("scores.interval_title"), number=True, show=_format_span, help=t("scores.interval_help")),
        Column("wins", t("scores.higher"), number=True, show=lambda row: _link_pairs(row, "wins", "higher")),
        Column("ties", t("scores.same"), number=True, show=lambda row: _link_pairs(row, "ties", "same")),
        Column("losses", t("scores.lower"), number=True, show=lambda row: _link_pairs(row, "losses", "lower")),
        Column(
            "n_shared",
            t("scores.shared"),
            number=True,
            show=lambda row: _link_pairs(row, "n_shared", None),
            help=t("scores.shared_help"),
        ),
        Column("p_adjusted", t("scores.p_title"), number=True, show=_format_p, help=t("scores.p_help")),
        Column("kind", t("scores.kind"), show=_render_kind),
    ]
    body: Body = []
    for line in lines:
        by_factor = {f"f_{name}": dict(line.b).get(name, "") for name in factors}
        body.append({**_build_line_row(scored, line), **by_factor})
    return tuple(columns), body


def _build_line_row(scored: ScoreTable, line: Line) -> Mapping[str, Any]:
    sides = {"a": report.short(scored, line.a), "b": report.short(scored, line.b)}
    if isinstance(line, Blocked):
        return {**sides, "kind": t("scores.blocked"), "why": choices.format_reasons(line.why)}
    low, high = line.span or (None, None)
    return {
        **sides,
        "difference": line.difference,
        "low": low,
        "high": high,
        "wins": line.wins,
        "ties": line.ties,
        "losses": line.losses,
        "n_shared": line.n_shared,
        "p_adjusted": line.p_adjusted,
        "kind": t("scores.kind_planned" if line.planned else "scores.kind_exploratory", n=line.family),
        "of": format_address(scored, line.b),
        "against": format_address(scored, line.a),
        "why": "",
    }


def _build_count_column(key: str, title: str, **params: str) -> Column:
    def link_count(row: Mapping[str, Any]) -> Markup | str:
        return drilldown.link_count(row.get(key) or 0, of=row["of"], **params)

    return Column(key, title, number=True, show=link_count)


def _link_pairs(row: Mapping[str, Any], key: str, side: str | None) -> Markup | str:
    if "of" not in row:
        return "–"
    return drilldown.link_count(row[key], of=row["of"], against=row["against"], kept=side)


def _render_kind(row: Mapping[str, Any]) -> Markup | str:
    if not row["why"]:
        return str(row["kind"])
    return show.h('<span class="rb-blocked">{}: {}</span>', row["kind"], row["why"])


def _format_span(row: Mapping[str, Any]) -> str:
    if row.get("low") is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))


def _format_span_on_scale(row: Mapping[str, Any]) -> str:
    if row["on_low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["on_low"]), high=report.signed(row["on_high"]))


def _format_p(row: Mapping[str, Any]) -> str:
    p = row.get("p_adjusted")
    if p is None:
        return "–"
    return report.p_text(p).removeprefix("= ")


def _get_low_end(value: str) -> float:
    return float(value.split(" to ")[0])


def _list_factors(scored: ScoreTable, conditions: Sequence[ConditionKey]) -> list[str]:
    """Return the factors that vary among conditions, or the first if none does."""
    factors = list(dict.fromkeys(name for condition in conditions for name, _ in condition))
    varying = [name for name in factors if len({dict(condition).get(name) for condition in conditions}) > 1]
    return varying or factors[:1]
