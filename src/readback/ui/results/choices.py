"""Choose what Results shows: criterion, judge, what is shown by, the baseline; list the rows that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.checks.rules import build_finding
from readback.scores import criterion_kinds, drawn_pairs, in_view, summary, warnings
from readback.scores import loading as scores
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Compared
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Diagnostic, Finding, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw.head import present
from readback.ui.common.state import caches
from readback.ui.common.state.work import whole
from readback.ui.results import drilldown
from readback.ui.results.drilldown import format_address
from readback.words import t

STYLE = Path(__file__).with_name("page.css")
NOTICED = 20  # findings listed on this page
PLANNED = "planned"  # is in place of a baseline: the pairs of the plan alone
EVERY = "*"  # is in the address for every condition, where the page begins with a factor
FEW = 2  # factors that one picker can name
NEAREST = "scores_nearest"  # of the session: which picker could not have all its values


@dataclass(frozen=True, slots=True)
class View:
    """What is on the page. `by` is a factor, or "" for every condition; `baseline` a drill-down as in the address, and
    `is_chosen` says that somebody chose it beside the pairs of a plan.

    `table` has the scores in view: the workspace's, or where `judge` is a pool the means over its judges.
    """

    table: ScoreTable
    criterion: Criterion
    judge: str
    by: str
    baseline: str
    is_chosen: bool = False


def load_table(workspace: Workspace) -> ScoreTable:
    """Return the workspace's scores; a large file is read in the background, with progress and a stop button."""
    key = scores.fingerprint(workspace)
    table: ScoreTable = whole(
        caches.scores(key, workspace),
        "scores.reading",
        "scores",
        "scores.stopped",
        "scores.again",
        lambda: caches.scores.clear(key),
    )
    return table


def draw_choices(table: ScoreTable, workspace: Workspace) -> tuple[View, DeltaGenerator]:
    """Draw the pickers in one line and return what is chosen, and the place of the toolbar at the end of the line."""
    with st.container(horizontal=True, vertical_alignment="center", key="scores_bar"):
        criterion = pick_option("criterion", t("scores.criterion"), criterion_kinds.order_of(table, workspace))
        judge = pick_option(
            "scored_by",
            t("scores.judge"),
            in_view.judges(table, criterion),
            lambda name: in_view.judge_name(table, criterion, name),
            width=280,
        )
        pooled = in_view.get_judge_table(table, judge)
        factors = in_view.list_factors(pooled, criterion, judge)
        first_factor = in_view.find_first_factor(pooled, criterion, judge) or EVERY
        by = pick_option("by", t("scores.by"), (EVERY, *factors), _format_by, default=first_factor)
        if by not in factors:
            by = ""
        sides = tuple(row.condition for row in in_view.ranked(pooled, by or None, criterion, judge))
        base = drawn_pairs.find_baseline(pooled, workspace, criterion, judge, by or None)
        if base is not None:
            first = format_address(pooled, base)
        else:
            first = ""
        several = list_picker_factors(sides)
        is_planned = bool(in_view.of_plan(pooled, list_planned(workspace), criterion, judge))
        if not several:
            baseline = _pick_baseline(pooled, sides, first, is_planned=is_planned)
        toolbar = st.container(key="results_toolbar", width="content")
    if several:
        baseline = pick_by_factors("baseline", t("scores.baseline"), pooled, sides, first)
    is_chosen = is_planned and baseline != PLANNED and "baseline" in st.query_params
    if baseline == PLANNED:
        baseline = first
    view = View(pooled, pooled.criteria[criterion], judge, by, baseline if len(sides) > 1 else "", is_chosen)
    return view, toolbar


def _pick_baseline(table: ScoreTable, sides: Sequence[ConditionKey], first: str, *, is_planned: bool) -> str:
    """Draw the picker of the condition that all others are compared with; where pairs are planned these are first, and
    a condition adds what was not planned.
    """
    addresses = [format_address(table, side) for side in sides]
    if not is_planned:
        label = t("scores.baseline")
        return pick_option("baseline", label, addresses, lambda name: _name_side(table, sides, name), 440, first)

    def format_option(name: str) -> str:
        if name == PLANNED:
            return t("scores.baseline_planned")
        return t("scores.baseline_each", name=_name_side(table, sides, name))

    return pick_option("baseline", t("scores.baseline_what"), (PLANNED, *addresses), format_option, 440)


def pick_option(
    key: str,
    label: str,
    options: Sequence[str],
    format_option: Callable[[str], str] = str,
    width: int = 240,
    default: str = "",
) -> str:
    """Draw a picker and return the option chosen, the first by default; a single option needs no picker.

    The choice is kept in the address.
    """
    if len(options) < 2:
        return next(iter(options), "")
    if default in options:
        first = default
    else:
        first = options[0]
    address.follow(key, first, options)
    choice = st.selectbox(
        label,
        options,
        key=key,
        format_func=format_option,
        on_change=_keep_choice,
        args=(key, first),
        width=present.wide(width),
    )
    return str(choice)


def _keep_choice(key: str, default: str) -> None:
    """Keep the choice in the address; what is behind a mark of the charts before is closed."""
    address.keep(key, default)
    drilldown.open_drilldown()


def pick_second_condition(
    table: ScoreTable, rows: Sequence[Row], view: View, key: str = "b", pairs: Sequence[Line] = ()
) -> str:
    """Return the condition that is set against the baseline, as the address names it; by default of one of `pairs`."""
    sides = [row.condition for row in rows if format_address(table, row.condition) != view.baseline]
    addresses = [format_address(table, side) for side in sides]
    first = st.query_params.get("b", "") or _find_partner(table, pairs, view.baseline, addresses)
    label = t("scores.other_condition")
    if list_picker_factors(sides):
        return pick_by_factors(key, label, table, sides, first)
    return pick_option(key, label, addresses, lambda name: _name_side(table, sides, name), 360, first)


def _find_partner(table: ScoreTable, pairs: Sequence[Line], baseline: str, addresses: Sequence[str]) -> str:
    """Return the address of the first condition that one of the pairs sets against the baseline, or ""."""
    for pair in pairs:
        sides = [format_address(table, side) for side in (pair.a, pair.b)]
        if baseline in sides:
            for side in sides:
                if side in addresses:
                    return side
    return ""


def list_picker_factors(sides: Sequence[ConditionKey]) -> tuple[str, ...]:
    """Return the factors that tell these conditions apart, where they are too many for one picker; else none."""
    names = dict.fromkeys(factor for side in sides for factor, _ in side)
    varying = tuple(name for name in names if len(_list_values(sides, name)) > 1)
    if len(varying) > FEW:
        return varying
    return ()


def pick_by_factors(key: str, label: str, table: ScoreTable, sides: Sequence[ConditionKey], default: str) -> str:
    """Draw a small picker for each factor; return the address of the condition that they name together.

    Where no condition has all the values, the one that has the value just chosen and most of the others is taken, and
    the page says so.
    """
    by_address = {format_address(table, side): side for side in sides}
    if default not in by_address:
        default = next(iter(by_address))
    current = address.follow(key, default, by_address)
    show.draw(show.h('<p class="rb-picker">{}</p>', label))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"{key}_factors"):
        for index, factor in enumerate(list_picker_factors(sides)):
            part = f"{key}_{index}"
            st.session_state[part] = dict(by_address[current]).get(factor, "")
            st.selectbox(
                factor,
                _list_values(sides, factor),
                key=part,
                format_func=lambda value: value or t("scores.not_stated"),
                width=present.wide(162),
                on_change=_choose_nearest,
                args=(key, part, factor, default, by_address),
            )
    if st.session_state.pop(NEAREST, None) == key:
        st.caption(t("scores.nearest"))
    return current


def _choose_nearest(key: str, part: str, factor: str, default: str, by_address: Mapping[str, ConditionKey]) -> None:
    """Go to the condition that has the value chosen and as many of the other values as any has."""
    value, current = st.session_state[part], st.session_state.get(key, default)
    wanted = {**dict(by_address.get(current, ())), factor: value}

    def count_matches(name: str) -> int:
        values = dict(by_address[name])
        return sum(values.get(wanted_factor, "") == wanted_value for wanted_factor, wanted_value in wanted.items())

    candidates = [name for name, side in by_address.items() if dict(side).get(factor, "") == value]
    nearest = max(candidates, key=count_matches)
    if count_matches(nearest) < len(wanted):
        st.session_state[NEAREST] = key
    st.session_state[key] = nearest
    address.keep(key, default)
    drilldown.open_drilldown()


def _list_values(sides: Sequence[ConditionKey], factor: str) -> list[str]:
    return list(dict.fromkeys(dict(side).get(factor, "") for side in sides))


def get_file_table(table: ScoreTable) -> ScoreTable:
    """Return the workspace's scores, also where means over judges are in view."""
    if table.pool is None:
        return table
    return table.pool.table


def list_rows(table: ScoreTable, view: View) -> tuple[Row, ...]:
    """Return the rows of every condition, or of one factor, the better means first."""
    return in_view.better_first(in_view.ranked(table, view.by or None, view.criterion.name, view.judge), view.criterion)


def list_reference_rows(view: View) -> tuple[Row, ...]:
    """Return the rows of conditions that are a reference answer."""
    rows = summary.rows(view.table, view.by or None, view.criterion.name, view.judge)
    return tuple(row for row in rows if row.condition in view.table.apart)


def count_conditions(table: ScoreTable, view: View) -> int:
    """Return how many conditions this judge scored under this criterion."""
    return len(in_view.ranked(table, None, view.criterion.name, view.judge))


def compare_rows(table: ScoreTable, view: View, workspace: Workspace) -> Compared:
    """Compare each row with the baseline, planned pairs with the p of the plan; nothing where there is only one."""
    if not view.baseline:
        return Compared()
    everything = compare.compare(
        table,
        list_planned(workspace),
        by=view.by or None,
        baseline=_format_baseline(table, view),
        criterion=view.criterion.name,
        judge=view.judge,
    )
    base = _find_baseline_key(table, view)
    sides = {row.condition for row in list_rows(table, view)}
    comparisons = []
    for comparison in everything.comparisons:
        if base in (comparison.a, comparison.b):
            if comparison.a == base:
                toward = comparison
            else:
                toward = comparison.swap_sides()
            if toward.b in sides:
                comparisons.append(toward)
    blocked = []
    for line in everything.blocked:
        # Rows of another file that have no value of the factor are no condition of it.
        if base in (line.a, line.b) and all(value for _, value in line.b):
            blocked.append(line)
    return replace(everything, comparisons=tuple(comparisons), blocked=tuple(blocked))


def _find_baseline_key(table: ScoreTable, view: View) -> ConditionKey:
    """Return the condition, or the value of a factor, that all others are compared with."""
    if view.by:
        return ((view.by, view.baseline.removeprefix(f"{view.by}=")),)
    return next(
        condition for condition in table.columns.conditions if format_address(table, condition) == view.baseline
    )


def _format_baseline(table: ScoreTable, view: View) -> str:
    """Return the baseline as comparisons know it: a value of the factor, or a condition's label."""
    if not view.by:
        for condition in table.columns.conditions:
            if format_address(table, condition) == view.baseline:
                return table.label(condition)
    return view.baseline


def format_reasons(diagnostics: Sequence[Diagnostic]) -> str:
    """Return why two conditions are not compared, in the words of the rules."""
    return " ".join(build_finding(diagnostic).message for diagnostic in diagnostics)


def name_condition(table: ScoreTable, condition: ConditionKey) -> str:
    """Return a condition's label, or the value of a factor."""
    if condition in table.columns.conditions:
        return table.label(condition)
    return report.short(table, condition)


def name_rows(table: ScoreTable, rows: Sequence[Row]) -> list[str]:
    """Return what the rows are called."""
    return [name_condition(table, row.condition) for row in rows]


def name_lines(table: ScoreTable, lines: Sequence[Line]) -> list[str]:
    """Return what comparisons are called: by their second side, and by both where the first is not that of the first
    comparison.
    """
    names = []
    for line in lines:
        name = name_condition(table, line.b)
        if line.a != lines[0].a:
            name = t("scores.pair_second_first", a=name_condition(table, line.a), b=name)
        names.append(name)
    return names


def _name_side(table: ScoreTable, sides: Sequence[ConditionKey], name: str) -> str:
    """Return what a condition is called that the address calls `name`."""
    for side in sides:
        if format_address(table, side) == name:
            return name_condition(table, side)
    return name


def _format_by(factor: str) -> str:
    if factor == EVERY:
        return t("scores.by_all")
    return t("scores.by_factor", factor=factor)


def is_dark() -> bool:
    """Return whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


def say(key: str, /, **values: Any) -> str:
    """Return a sentence of this page, for the charts."""
    return t(f"scores.{key}", **values)


def draw_style() -> None:
    """Draw the style of this page alone."""
    st.html(STYLE)


def list_findings(table: ScoreTable) -> tuple[int, list[Finding]]:
    """Return how many findings the scores have, and the first of them."""
    order = ("error", "warning", "info")
    findings = [build_finding(diagnostic) for diagnostic in warnings.find_warnings(table)]
    findings.sort(key=lambda finding: order.index(finding.severity))
    return len(findings), findings[:NOTICED]
