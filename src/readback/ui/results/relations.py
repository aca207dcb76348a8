"""Draw what goes with higher or lower scores, on Results: lengths of texts, fields of records, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.costs import Change, Cost, costs, marked
from readback.scores import charts, summary
from readback.scores import loading as scores
from readback.scores.comparing import comparability
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.difference import FEW, decide
from readback.scores.sentences import report
from readback.scores.slices.by_field import Slice, Sliced, list_fields, slice_scores
from readback.scores.slices.lengths import Lengths, measure_lengths
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.workspace_condition import find_workspace_condition
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import choice
from readback.ui.common.state.caches import Key
from readback.ui.common.state.work import Job, whole
from readback.ui.results import chart, choices, drilldown, means, records
from readback.ui.results.chart import Point, Target
from readback.ui.results.choices import View
from readback.ui.results.drilldown import SIZES, format_address
from readback.words import t

KEEP = 32  # measured pairs of a condition and a criterion
DRAWN = 20  # rows of the chart of findings; the table has all


# Scores against the length of the prompt or the answer: by ranges, with a rank correlation.


def has_lengths(scored: ScoreTable, workspace: Workspace) -> bool:
    """Return whether prompts can be built, or answers read, for any condition that was scored."""
    return workspace.dataset is not None and any(
        find_workspace_condition(workspace, scored, condition) for condition in scored.columns.conditions
    )


def draw_lengths(scored: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw one condition's scores by one length, as the pickers say."""
    criterion, judge = view.criterion.name, view.judge
    conditions = {}
    for row in summary.rows(scored, None, criterion, judge):
        if find_workspace_condition(workspace, scored, row.condition):
            conditions[format_address(scored, row.condition)] = row.condition
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scope = choices.pick_option(
            "a", t("scores.condition"), list(conditions), lambda name: scored.label(conditions[name]), 360
        )
        if scope not in conditions:
            show.draw(show.h("<p>{}</p>", t("scores.lengths_none")))
            return
        condition = conditions[scope]
        measured = {
            f"{size.text}-{size.unit}": size for size in _measure(scored, workspace, condition, criterion, judge)
        }
        size = choices.pick_option(
            "size", t("scores.length_of"), [name for name in SIZES if measured[name].n], _name_size
        )
    if not size:
        why = _format_left_out(measured[SIZES[0]], measured[SIZES[1]])
        show.draw(show.h("<p>{}</p>", t("scores.lengths_unmeasured", why=why)))
        return
    by_length, unit = measured[size], _name_size(size)
    figure = charts.draw_lengths(by_length, view.criterion, choices.say, choices.is_dark(), unit=unit)

    def find_target(point: Point) -> Target | None:
        places = chart.read_places(point)
        if len(places) < 2 or places[1] >= len(by_length.ranges):
            return None
        if places[0]:
            value = by_length.values[::-1][places[0] - 1]
        else:
            value = None
        low, high = by_length.ranges[places[1]]
        return {"of": scope, "long": f"{low}-{high}", "value": value, "under": "more"}

    sentence = _format_correlation(by_length, report.short(scored, condition), criterion, unit)
    if by_length.exact:
        tokens = ""
    else:
        tokens = t("scores.estimated")
    method = t("scores.lengths_how", rows=by_length.n, left=_format_left_out(by_length), tokens=tokens)
    chart.draw_chart("more", figure, sentence, method, find_target)


def _measure(
    scored: ScoreTable, workspace: Workspace, condition: ConditionKey, criterion: str, judge: str
) -> tuple[Lengths, ...]:
    """Measure in the background, once; a click stops it."""
    key = (choice.key(), scores.fingerprint(workspace), condition, criterion, judge)
    measured: tuple[Lengths, ...] = whole(
        _start_measuring(key, workspace, scored),
        "scores.measuring",
        "lengths",
        "scores.measuring_stopped",
        "scores.measure_again",
        lambda: _start_measuring.clear(key),
    )
    return measured


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _start_measuring(key: tuple[Key, str, ConditionKey, str, str], _workspace: Workspace, _scored: ScoreTable) -> Job:
    return Job(lambda progress: measure_lengths(_workspace, _scored, *key[2:], progress))


def _name_size(size: str) -> str:
    return t(f"scores.length_{size.replace('-', '_')}")


def _format_correlation(by_length: Lengths, condition: str, criterion: str, unit: str) -> str:
    """Return the correlation in one sentence with its numbers, and no more than they say."""
    values = {"condition": condition, "criterion": criterion, "unit": unit, "n": by_length.n}
    if by_length.rho is None:
        return t("scores.lengths_constant", **values)
    if by_length.interval is None:
        return t("scores.lengths_few", rho=report.signed(by_length.rho), **values)
    low, high = by_length.interval
    key = "scores.lengths_open"
    if low > 0:
        key = "scores.lengths_up"
    elif high < 0:
        key = "scores.lengths_down"
    span = t("scores.interval", low=report.signed(low), high=report.signed(high))
    return t(key, rho=report.signed(by_length.rho), interval=span, **values)


def _format_left_out(*sizes: Lengths) -> str:
    """Return what was left out, by reason."""
    counts: dict[str, Any] = {}
    for size in sizes:
        counts |= {why: n for why, n in size.left_out.items() if n}
    parts = [t(f"scores.left_{why.replace(' ', '_')}", n=n) for why, n in counts.items()]
    return ", ".join(parts) or t("scores.left_nothing")


# The paired difference for each value of a record's field: exploratory, and adjusted for it.


def draw_slices(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: View) -> None:
    """Draw a field, a condition, and for each value of the field its paired difference from the baseline."""
    by_name = {field.name: field for field in list_fields(workspace, scored).fields}
    if not by_name:
        show.draw(show.h("<p>{}</p>", t("scores.slices_none")))
        return
    name = choices.pick_option("field", t("scores.field"), tuple(by_name))
    second = choices.pick_second_condition(scored, rows, view, "slice_b")
    a, b = drilldown.find_condition(scored, view.baseline), drilldown.find_condition(scored, second)
    if a is None or b is None:
        return
    if reasons := comparability.find_obstacles(scored, a, b, view.criterion.name, view.judge):
        sentence = t("scores.blocked_line", why=choices.format_reasons(reasons))
        show.draw(show.h('<p class="rb-blocked">{}</p>', sentence))
        return
    slice_set = slice_scores(scored, by_name[name].value_of, view.criterion.name, view.judge, a, b)
    comparisons = [_compare_slice(slice_set, part) for part in slice_set.slices]
    drawn = [index for index, comparison in enumerate(comparisons) if comparison.n_shared >= FEW]

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(drawn))
        if row is None:
            return None
        return {"of": second, "against": view.baseline, "and": str(drawn[row]), "under": "more"}

    sentence, method = (
        _format_slices(scored, slice_set, comparisons, name),
        _format_slice_method(slice_set, comparisons),
    )
    if len(drawn) < len(comparisons):
        sentence = f"{sentence} {t('scores.slices_undrawn', n=len(comparisons) - len(drawn), few=FEW)}"
    if drawn:
        figure = charts.draw_forest(
            [comparisons[index] for index in drawn],
            [slice_set.slices[index].value for index in drawn],
            view.criterion,
            choices.say,
            choices.is_dark(),
            baseline=report.short(scored, a),
        )
        chart.draw_chart("more", figure, sentence, method, find_target)
    else:
        show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small">{}</p>', sentence, method))
    body = []
    for part in slice_set.slices:
        sides = {"mean_a": part.mean_a, "mean_b": part.mean_b}
        body.append({"value": part.value, "n": part.n, **sides, "p": part.p_adjusted})
    columns = (
        Column("value", name),
        Column("n", t("scores.n_title"), number=True),
        Column("mean_b", report.short(scored, b), number=True, show=lambda row: means.format_mean(row["mean_b"])),
        Column("mean_a", report.short(scored, a), number=True, show=lambda row: means.format_mean(row["mean_a"])),
        Column("p", t("scores.p_title"), number=True, help=t("scores.p_slices"), show=_format_p),
    )
    table.table("slices", columns, body, caption=t("scores.view_slices"))


def draw_slice_records(scored: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw the records of one value of the field under both conditions, for the drill-down that is open."""
    parts = drilldown.read_drilldown()
    by_name = {field.name: field for field in list_fields(workspace, scored).fields}
    field = by_name.get(st.query_params.get("field", ""), next(iter(by_name.values()), None))
    a, b = (drilldown.find_condition(scored, parts.get(key, "")) for key in ("against", "of"))
    index = parts["and"]
    if field is None or a is None or b is None or not index.isdecimal():
        return
    slice_set = slice_scores(scored, field.value_of, view.criterion.name, view.judge, a, b).slices
    if int(index) < len(slice_set):
        value = slice_set[int(index)].value
    else:
        value = ""
    items = frozenset(item for item, item_value in field.value_of.items() if item_value == value)
    names = {"b": report.short(scored, b), "a": report.short(scored, a)}
    title = t("scores.slices_behind", field=field.name, value=value, **names)
    records.draw_pairs(scored, workspace, view.criterion.name, view.judge, parts, title, items)
    drilldown.draw_close_button()


def _compare_slice(slice_set: Sliced, part: Slice) -> Comparison:
    """Return a slice as the forest draws comparisons; what stands out does so after the adjustment too."""
    comparison = Comparison(
        slice_set.a,
        slice_set.b or slice_set.a,
        slice_set.criterion,
        slice_set.judge,
        part.n,
        0,
        0,
        "too few",
        part.mean_a,
        part.mean_b,
        part.difference,
        part.interval,
        part.method,
        wins=part.wins,
        ties=part.ties,
        losses=part.losses,
        p=part.p,
        p_method=part.p_method,
        p_adjusted=part.p_adjusted,
        family=len(slice_set.slices),
    )
    return decide(comparison)


def _format_slices(scored: ScoreTable, slice_set: Sliced, comparisons: Sequence[Comparison], name: str) -> str:
    """Return how many values stand out after the adjustment, and between what the differences lie."""
    values = {
        "field": name,
        "n": len(comparisons),
        "a": report.short(scored, slice_set.a),
        "b": report.short(scored, slice_set.b or slice_set.a),
    }
    differences = []
    for comparison, part in zip(comparisons, slice_set.slices, strict=True):
        if comparison.difference is not None and comparison.verdict != "too few":
            differences.append((comparison.difference, part.value))
    if not differences:
        return t("scores.slices_few", **values)
    clear = sum(comparison.verdict in ("b is higher", "a is higher") for comparison in comparisons)
    (low, low_value), (high, high_value) = min(differences), max(differences)
    ends = {"low": report.plus(low), "low_value": low_value, "high": report.plus(high), "high_value": high_value}
    return t("scores.slices_said", apart=clear, few=len(comparisons) - len(differences), **ends, **values)


def _format_slice_method(slice_set: Sliced, comparisons: Sequence[Comparison]) -> str:
    counts = {"rows": slice_set.n - slice_set.without, "without": slice_set.without}
    methods = ", ".join(dict.fromkeys(comparison.method for comparison in comparisons if comparison.method))
    tests = ", ".join(dict.fromkeys(comparison.p_method for comparison in comparisons if comparison.p_method))
    if tests:
        return t("scores.slices_how", method=methods, tests=tests, **counts)
    return t("scores.slices_how_few", **counts)


def _format_p(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return "–"
    return report.p_text(row["p"]).removeprefix("= ")


# Findings x scores: which prompt faults go with lower scores; no more than that can be said.


def draw_costs(scored: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw for each rule and condition the records with a finding beside those without; then what a change did."""
    audit = choice.whole_audit()
    if audit is None:
        show.empty(t("scores.costs_unchecked"), t("scores.costs_check"), "findings")
        return
    cost_table = costs(workspace, choice.dataset(), audit, scored, view.criterion.name, view.judge)
    if not cost_table.within:
        show.draw(show.h("<p>{}</p>", t("scores.costs_none")))
        return
    _draw_cost_chart(scored, cost_table.within, view)
    rows = [_build_cost_row(scored, cost) for cost in cost_table.within]
    table.table("costs", _list_cost_columns(), rows, caption=t("scores.view_costs"))
    differences = ((cost.mean_with, cost.mean_without, cost.difference) for cost in cost_table.within)
    if rounded := report.subtraction(differences):
        show.draw(show.h('<p class="rb-small">{}</p>', rounded))
    if cost_table.changes:
        show.draw(show.h("<p>{}</p>", t("scores.costs_changes")))
        changes = [_build_change_row(scored, change) for change in cost_table.changes]
        table.table("changes", _list_change_columns(), changes, caption=t("scores.costs_changes_title"))
    if cost_table.unknown:
        show.draw(show.h('<p class="rb-small">{}</p>', t("scores.costs_unknown", n=cost_table.unknown)))


def _draw_cost_chart(scored: ScoreTable, within: Sequence[Cost], view: View) -> None:
    compared = [cost for cost in within if cost.difference is not None]
    drawn = sorted(compared, key=lambda cost: (cost.interval is None, cost.difference))[:DRAWN]
    if not drawn:
        return
    names = [f"{cost.code} · {report.short(scored, cost.condition)}" for cost in drawn]
    figure = charts.draw_costs(drawn, names, view.criterion, choices.say, choices.is_dark())
    if any(cost.interval for cost in compared):
        key = "scores.costs_said"
    else:
        key = "scores.costs_few"
    sentence = t(key, n=len(compared), shown=len(drawn))

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(drawn))
        if row is None:
            return None
        return _find_cost_target(scored, drawn[row])

    chart.draw_chart("more", figure, sentence, t("scores.costs_method"), find_target)


def draw_cost_records(scored: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw the scores of the records with a finding in a condition, for the drill-down that is open."""
    parts = drilldown.read_drilldown()
    audit, key = choice.whole_audit(), drilldown.find_condition(scored, parts.get("of", ""))
    if audit is None or key is None:
        return
    judgment = (view.criterion.name, view.judge)
    items = marked(workspace, choice.dataset(), audit, scored, parts["and"], key, judgment)
    title = t("scores.costs_behind", code=parts["and"], condition=report.short(scored, key))
    records.draw_item_scores(scored, workspace, *judgment, parts["of"], items, title)


def _find_cost_target(scored: ScoreTable, cost: Cost) -> Target:
    return {"of": format_address(scored, cost.condition), "and": cost.code, "under": "more"}


def _build_cost_row(scored: ScoreTable, cost: Cost) -> Mapping[str, Any]:
    return {
        "drilldown": _find_cost_target(scored, cost),
        "code": cost.code,
        "condition": report.short(scored, cost.condition),
        "n_with": cost.n_with,
        "n_without": cost.n_without,
        "mean_with": cost.mean_with,
        "mean_without": cost.mean_without,
        **_split_difference(cost),
    }


def _build_change_row(scored: ScoreTable, change: Change) -> Mapping[str, Any]:
    a, b = report.short(scored, change.a), report.short(scored, change.b)
    return {"code": change.code, "a": a, "b": b, "n": change.n, **_split_difference(change)}


def _split_difference(cost: Cost | Change) -> dict[str, Any]:
    low, high = cost.interval or (None, None)
    return {"difference": cost.difference, "low": low, "high": high, "p": cost.p_adjusted}


def _list_cost_columns() -> tuple[Column, ...]:
    return (
        Column("code", t("scores.finding"), show=_link_finding),
        Column("condition", t("scores.condition")),
        Column("n_with", t("scores.chart_n_with"), number=True, show=_link_records),
        Column("n_without", t("scores.chart_n_without"), number=True),
        Column("mean_with", t("scores.chart_with"), number=True, show=lambda row: means.format_mean(row["mean_with"])),
        Column(
            "mean_without",
            t("scores.chart_without"),
            number=True,
            show=lambda row: means.format_mean(row["mean_without"]),
        ),
        *_list_difference_columns(),
    )


def _list_change_columns() -> tuple[Column, ...]:
    return (
        Column("code", t("scores.finding"), show=_link_finding),
        Column("b", t("scores.condition")),
        Column("a", t("scores.against")),
        Column("n", t("scores.n_title"), number=True),
        *_list_difference_columns(),
    )


def _list_difference_columns() -> tuple[Column, ...]:
    return (
        Column("difference", t("scores.difference"), number=True, show=lambda row: report.plus(row["difference"])),
        Column("low", t("scores.interval_title"), number=True, show=_format_span),
        Column("p", t("scores.p_adjusted"), number=True, show=_format_plain_p),
    )


def _format_plain_p(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return "–"
    return f"{row['p']:.2g}"


def _format_span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))


def _link_records(row: Mapping[str, Any]) -> Markup | str:
    return drilldown.link_count(row["n_with"], **row["drilldown"])


def _link_finding(row: Mapping[str, Any]) -> Markup:
    return show.link("findings", row["code"], code=row["code"])
