"""Draw further views of the scores: one at a time, chosen by name, offered only where the files call for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from readback.scores import chart_sentences, charts, counts, in_view
from readback.scores.agreement.measures import list_measurable
from readback.scores.comparing import comparability, paired_items
from readback.scores.comparing.difference import EXACT
from readback.scores.reported import aggregates
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import NOT_APPLICABLE, ScoreTable
from readback.scores.values.criteria import MINUS
from readback.types import Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.results import chart, choices, drilldown, judges, means, pairwise, records, relations
from readback.ui.results.chart import FindTarget, Point, Target
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.words import t

FIRST = "distribution"  # the view at first
FEW = 60  # records that are drawn one by one
CLOSE = 1 / 3  # of the scale: means that lie closer get the colours for themselves, or they would look the same


def draw_views(
    scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: View, first: Mapping[str, Callable[[], None]]
) -> None:
    """Draw the row of views and the chosen one, at first how scores are spread; only that is computed."""
    views = {**first, **list_views(scored, workspace, rows, view)}
    address.follow("view", FIRST, views)
    name = st.pills(
        t("scores.more"),
        list(views),
        key="view",
        required=True,
        format_func=lambda view_name: t(f"scores.view_{view_name}"),
        on_change=_keep_view,
    )
    if name is None or name not in views:
        return
    views[name]()
    if drilldown.is_list_open() and "under" in drilldown.read_drilldown():
        _draw_open_list(name, scored, workspace, view)


def list_views(
    scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: View
) -> Mapping[str, Callable[[], None]]:
    """Return the views that these files have something for, by name; a call draws one."""
    has_factors = bool(in_view.list_factors(scored, view.criterion.name, view.judge))
    has_data = workspace.dataset is not None
    file_table = choices.get_file_table(scored)  # for views of what the files have, whoever is in view
    views: dict[str, Callable[[], None]] = {}
    if view.baseline:  # else they are in sight already
        views["means"] = lambda: draw_means(scored, rows, view)
    if has_factors:
        views["effects"] = lambda: draw_effects(scored, view)
        views["heat"] = lambda: draw_heat(scored, view)
    if len(scored.columns.criteria) > 1:
        views["joint"] = lambda: draw_joint(scored, view)
    if relations.has_lengths(scored, workspace):
        views["lengths"] = lambda: relations.draw_lengths(scored, workspace, view)
    if view.criterion.name in list_measurable(file_table):
        views["agreement"] = lambda: judges.draw_agreement(file_table, view)
    if has_data and view.baseline:
        views["slices"] = lambda: relations.draw_slices(scored, workspace, rows, view)
    if has_data and workspace.conditions:
        views["costs"] = lambda: relations.draw_costs(scored, workspace, view)
    if file_table.outcomes:
        views["duels"] = lambda: pairwise.draw_pairwise(file_table)
    if file_table.reported:
        views["reported"] = lambda: draw_reported(file_table)
    return views


def draw_without_rows(scored: ScoreTable, title: str) -> bool:
    """Draw what files state without rows, means or outcomes side by side; return whether there is any."""
    if scored.outcomes:
        pairwise.draw_pairwise(scored)
        if drilldown.is_list_open():
            pairwise.draw_outcomes(scored)
    if scored.reported:
        show.draw(show.h("<p>{}</p>", title))
        draw_reported(scored)
    return bool(scored.outcomes or scored.reported)


def _draw_open_list(name: str, scored: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw what the open drill-down of a view leads to."""
    has_second_value = "and" in drilldown.read_drilldown()
    if name == "duels":
        pairwise.draw_outcomes(choices.get_file_table(scored))
    elif name == "agreement" and has_second_value:
        judges.draw_answers(choices.get_file_table(scored), view)
    elif name == "joint" and has_second_value:
        draw_joint_list(scored, workspace, view)
    elif name == "slices" and has_second_value:
        relations.draw_slice_records(scored, workspace, view)
    elif name == "costs" and has_second_value:
        relations.draw_cost_records(scored, workspace, view)
    else:
        records.draw_open_list(scored, workspace, view.criterion.name, view.judge)


def _keep_view() -> None:
    address.keep("view", FIRST)
    drilldown.open_drilldown()


def draw_means(scored: ScoreTable, rows: Sequence[Row], view: View) -> None:
    """Draw the mean of each row with its interval, on the whole scale."""
    names = choices.name_rows(scored, rows)
    figure = charts.draw_means(rows, names, view.criterion, choices.say, choices.is_dark())
    sentence = means.format_lead(scored, rows, view.criterion)
    chart.draw_chart("more", figure, sentence, chart_sentences.of_means(rows), _open_rows(scored, rows))


def draw_effects(scored: ScoreTable, view: View) -> None:
    """Draw every value of every factor with its mean over all rows that share it."""
    levels = in_view.list_levels(scored, view.criterion.name, view.judge)
    rows = [row for factor_rows in levels.values() for row in factor_rows]
    figure = charts.draw_effects(levels, view.criterion, choices.say, choices.is_dark())
    widths = {}
    for factor, factor_rows in levels.items():
        factor_means = [row.mean or 0 for row in factor_rows]
        widths[factor] = max(factor_means) - min(factor_means)
    sentence = ""
    if widths:
        widest = max(widths, key=widths.__getitem__)
        sentence = t("scores.effects_said", factor=widest, by=report.signed(widths[widest]), n=len(levels))
    # Every factor takes the same scores apart.
    method = chart_sentences.of_means(next(iter(levels.values()), ()))
    chart.draw_chart("more", figure, sentence, method, _open_rows(scored, rows))


def draw_heat(scored: ScoreTable, view: View) -> None:
    """Draw the mean of every pair of values of two factors."""
    factors = tuple(in_view.list_levels(scored, view.criterion.name, view.judge))
    with st.container(horizontal=True):
        down = choices.pick_option("rows", t("scores.rows"), factors)
        rest = tuple(factor for factor in factors if factor != down)
        across = choices.pick_option("columns", t("scores.columns"), rest)
    heat = counts.heat(scored, down, across, view.criterion.name, view.judge)
    cell_means = [mean for row in heat.means for mean in row if mean is not None]
    low, high = charts.find_axis_range(view.criterion, cell_means)
    are_close = len(cell_means) > 1 and max(cell_means) - min(cell_means) < CLOSE * (high - low)
    figure = charts.draw_heat(heat, view.criterion, choices.say, choices.is_dark(), whole=not are_close)

    def find_target(point: Point) -> Target | None:
        places = chart.read_places(point)
        if len(places) < 2:
            return None
        return {"of": f"{down}={heat.rows[places[0]]} · {across}={heat.columns[places[1]]}", "under": "more"}

    ends = {
        "low": means.format_mean(min(cell_means, default=None)),
        "high": means.format_mean(max(cell_means, default=None)),
    }
    sizes = [n for row in heat.counts for n in row]
    method = [t("scores.distribution_method", rows=sum(sizes))]
    if are_close:
        method.append(t("scores.heat_near"))
    if not heat.same_items:
        method.append(t("scores.heat_items", low=min(sizes), high=max(sizes)))
    sentence = t("scores.heat_said", rows=down, columns=across, **ends)
    chart.draw_chart("more", figure, sentence, " ".join(method), find_target)


def draw_joint(scored: ScoreTable, view: View) -> None:
    """Draw how often the values of two criteria came together."""
    first = view.criterion.name
    second = choices.pick_option("second", t("scores.second"), _list_other_criteria(scored, view))
    counted = counts.joint(scored, first, second, view.judge)
    figure = charts.draw_joint(counted, choices.say, choices.is_dark())
    sentence = t("scores.joint_none")
    if counted.n:
        cells = []
        for row, cell_counts in enumerate(counted.counts):
            cells += [(n, row, column) for column, n in enumerate(cell_counts)]
        n, row, column = max(cells)
        values = {
            "a": counted.rows[row].replace("-", MINUS),
            "b": counted.columns[column].replace("-", MINUS),
            "share": 100 * n / counted.n,
        }
        sentence = t("scores.joint_said", n=n, all=counted.n, first=first, second=second, **values)

    def find_target(point: Point) -> Target | None:
        places = chart.read_places(point)
        if len(places) < 2 or not counted.counts[places[0]][places[1]]:
            return None
        values = {"value": counted.rows[places[0]], "and": counted.columns[places[1]]}
        return {"of": drilldown.EVERY, **values, "under": "more"}

    method = t("scores.joint_method", n=counted.n, left=counted.left_out)
    chart.draw_chart("more", figure, sentence, method, find_target)


def draw_joint_list(scored: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw the scores behind a cell of two criteria, for the drill-down that is open."""
    params = st.query_params.to_dict()
    first, others = view.criterion.name, _list_other_criteria(scored, view)
    if params.get("second") in others:
        second = params["second"]
    else:
        second = others[0]
    a, b = params.get("value", ""), params.get("and", "")
    cells = counts.joint_cells(scored, first, second, view.judge, a, b)
    values = {"a": a.replace("-", MINUS), "b": b.replace("-", MINUS)}
    title = t("scores.joint_behind", first=first, second=second, **values)
    records.draw_cells(scored, workspace, cells, title)


def _list_other_criteria(scored: ScoreTable, view: View) -> tuple[str, ...]:
    return tuple(name for name in scored.columns.criteria if name != view.criterion.name)


def draw_records(scored: ScoreTable, rows: Sequence[Row], view: View, pairs: Sequence[Line] = ()) -> None:
    """Draw each record under the baseline and one other condition, at first that of a pair in the first words."""
    second = choices.pick_second_condition(scored, rows, view, pairs=pairs)
    a, b = drilldown.find_condition(scored, view.baseline), drilldown.find_condition(scored, second)
    if a is None or b is None:
        return
    if reasons := comparability.find_obstacles(scored, a, b, view.criterion.name, view.judge):
        sentence = t("scores.blocked_line", why=choices.format_reasons(reasons))
        show.draw(show.h('<p class="rb-blocked">{}</p>', sentence))
        return
    paired = paired_items.pair_items(scored, a, b, view.criterion.name, view.judge)
    if not paired.items:
        show.draw(show.h("<p>{}</p>", t("scores.slope_none")))
        return
    sides = (drilldown.name_drilldown(scored, view.baseline), drilldown.name_drilldown(scored, second))
    scores_a, scores_b = paired.a.tolist(), paired.b.tolist()
    moved = counts.transitions(paired.a, paired.b, view.criterion, None, sides)
    method = t("scores.slope_method", a=paired.only_a, b=paired.only_b)
    if len(paired.items) <= FEW:
        figure = charts.draw_dumbbells(
            paired.items, scores_a, scores_b, sides, view.criterion, choices.say, choices.is_dark()
        )
    else:
        figure = charts.draw_slope(moved, view.criterion, choices.say, choices.is_dark())
        values = view.criterion.values
        if not {*scores_a, *scores_b} <= set(values):
            method = f"{chart_sentences.drawn_moves(moved, in_steps=bool(values))} {method}".lstrip()

    def find_target(point: Point) -> Target | None:
        places = chart.read_places(point)
        if len(places) == 1 and places[0] < len(paired.items):
            return {"item": paired.items[places[0]], "arm": sides[1]}
        return {"of": second, "against": view.baseline}

    differences = (paired.b - paired.a).round(EXACT)  # means of the same scores differ by rounding alone
    higher, lower = int((differences > 0).sum()), int((differences < 0).sum())
    same = len(paired.items) - higher - lower
    numbers = {"n": len(paired.items), "up": higher, "down": lower, "same": same}
    sentence = t("scores.slope_said", a=sides[0], b=sides[1], **numbers)
    chart.draw_chart("each", figure, sentence, method, find_target)
    links = []
    for side, n in (("higher", higher), ("same", same), ("lower", lower)):
        label = t(f"scores.kept_{side}", n=n)
        links.append(drilldown.link(label, of=second, against=view.baseline, kept=side) if n else label)
    show.draw(show.h('<p class="rb-small">{} {}</p>', t("scores.slope_links"), show.join(links, " · ")))


def _open_rows(scored: ScoreTable, rows: Sequence[Row]) -> FindTarget:
    """Return what finds the drill-down behind the mark of a row."""

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(rows))
        if row is None:
            return None
        return {"of": format_address(scored, rows[row].condition), "under": "more"}

    return find_target


# Means that files state without rows: as a table, with what cannot be computed of them.


def draw_reported(scored: ScoreTable) -> None:
    """Draw means without rows as a table, with what cannot be computed; they are in no chart and in no comparison."""
    stated_means = aggregates.list_aggregates(scored)
    if not stated_means:
        show.draw(show.h("<p>{}</p>", t("scores.reported_all_have_rows", n=len(scored.reported))))
        return
    show.draw(show.h("<p>{}</p>", t("scores.reported_said", n=len(stated_means))))
    rows: list[Mapping[str, Any]] = []
    for aggregate in stated_means:
        reported = aggregate.reported
        name = " · ".join(value for _, value in reported.condition)
        low, high = aggregate.span or (None, None)
        is_unscored = reported.mean != reported.mean  # NaN
        rows.append(
            {
                "condition": scored.label(reported.condition) if scored.columns.conditions else name,
                "criterion": reported.criterion,
                "mean": None if is_unscored else reported.mean,
                "n": reported.n,
                "low": low,
                "high": high,
                "cannot": ", ".join(aggregate.cannot),
                "file": reported.place.file,
                "wrong": "count" in aggregate.cannot,
                "na": reported.state == NOT_APPLICABLE,
            }
        )
    columns = (
        Column("condition", t("scores.condition")),
        Column("criterion", t("scores.criterion")),
        Column("mean", t("scores.mean"), number=True, show=_format_reported_mean),
        Column("n", t("scores.n_title"), number=True),
        Column("low", t("scores.interval_title"), number=True, show=_format_span),
        Column("cannot", t("scores.cannot")),
        Column("file", t("scores.file")),
    )
    table.table("reported", columns, rows, caption=t("scores.view_reported"))


def _format_reported_mean(row: Mapping[str, Any]) -> str:
    """Return the stated mean; a rate that no count gives carries the mark of a warning."""
    if row["na"]:
        return t("scores.na")
    mean = means.format_mean(row["mean"])
    if row["wrong"]:
        return f"{show.SIGNS['warning']} {mean}"
    return mean


def _format_span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))
