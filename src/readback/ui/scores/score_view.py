"""The scores page's choices: criterion, judge, what is shown by, the baseline; and the rows that come of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from readback.checks.rules import finding
from readback.scores import criterion_kinds, drawn_pairs, in_view, report, summary, warnings
from readback.scores import loading as scores
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Compared
from readback.scores.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Diagnostic, Finding, Workspace
from readback.ui.common import address
from readback.ui.common.draw import present
from readback.ui.common.state.work import Job, whole
from readback.ui.scores import score_drilldown_links, score_pickers
from readback.ui.scores.score_drilldown import address_of
from readback.words import t

STYLE = Path(__file__).with_name("score_view.css")
MOST = 12  # conditions that can be read as bars; with more the page begins with one factor
KEEP = 4  # score tables being read or just read
NOTICED = 20  # findings listed on this page
EVERY = "*"  # is in the address for every condition, where the page begins with a factor


def table_of(workspace: Workspace) -> ScoreTable:
    """The workspace's scores; a large file is read in the background, with progress and a stop button."""
    key = scores.fingerprint(workspace)
    made: ScoreTable = whole(_reading(key, workspace), "scores.reading", "scores", "scores.stopped", "scores.again",
                             lambda: _reading.clear(key))  # fmt: skip
    return made


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _reading(key: str, _workspace: Workspace) -> Job:
    return Job(lambda progress: scores.load(_workspace, progress))


def pick(
    key: str, label: str, options: Sequence[str], say: Callable[[str], str] = str, width: int = 240, default: str = ""
) -> str:
    """One of the options, the first by default, kept in the address; a single one needs no picker."""
    if len(options) < 2:
        return next(iter(options), "")
    first = default if default in options else options[0]
    address.follow(key, first, options)
    return str(
        st.selectbox(
            label, options, key=key, format_func=say, on_change=_chosen, args=(key, first), width=present.wide(width)
        )
    )


def _chosen(key: str, default: str) -> None:
    """Keep the choice; what is behind a mark of the charts before is closed."""
    address.keep(key, default)
    score_drilldown_links.go()


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is on the page. `by` is a factor, or "" for every condition; `baseline` a drill-down as in the address.

    `table` has the scores in view: the workspace's, or where `judge` is a pool the means over its judges.
    """

    table: ScoreTable
    criterion: Criterion
    judge: str
    by: str
    baseline: str


def chosen(table: ScoreTable, workspace: Workspace) -> Chosen:
    """The bar of pickers."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="scores_bar"):
        name = pick("criterion", t("scores.criterion"), criterion_kinds.order_of(table, workspace))
        judge = pick(
            "scored_by",
            t("scores.judge"),
            in_view.judges(table, name),
            lambda one: in_view.judge_name(table, name, one),
        )
        seen = in_view.shown(table, judge)
        factors = levels(seen, name, judge)
        many = len(in_view.ranked(seen, None, name, judge)) > MOST
        by = pick("by", t("scores.by"), (EVERY, *factors), _by, default=factors[0] if many and factors else EVERY)
        by = by if by in factors else ""
        sides = tuple(row.condition for row in in_view.ranked(seen, by or None, name, judge))
        base = drawn_pairs.find_baseline(seen, workspace, name, judge, by or None)
        first = address_of(seen, base) if base is not None else ""
        several = score_pickers.factors(sides)
        if not several:
            baseline = pick("baseline", t("scores.baseline"), [address_of(seen, one) for one in sides],
                            lambda one: _called(seen, sides, one), 280, first)  # fmt: skip
    if several:
        baseline = score_pickers.draw("baseline", t("scores.baseline"), seen, sides, first)
    return Chosen(seen, seen.criteria[name], judge, by, baseline if len(sides) > 1 else "")


def of_files(table: ScoreTable) -> ScoreTable:
    """The workspace's scores, also where means over judges are in view."""
    return table if table.pool is None else table.pool.table


def apart(view: Chosen) -> tuple[Row, ...]:
    """The rows of conditions that are a reference answer."""
    found = summary.rows(view.table, view.by or None, view.criterion.name, view.judge)
    return tuple(row for row in found if row.condition in view.table.apart)


def levels(table: ScoreTable, criterion: str, judge: str) -> tuple[str, ...]:
    """The factors that these scores can be taken together by; none where there is only one."""
    there = [dict(row.condition) for row in summary.rows(table, None, criterion, judge)]
    found = tuple(one for one in table.varying if len({given[one] for given in there if one in given}) > 1)
    return found if len(found) > 1 else ()


def rows(table: ScoreTable, view: Chosen) -> tuple[Row, ...]:
    """The rows of every condition, or of one factor; those to be read from top to bottom, the better means first."""
    return in_view.better_first(in_view.ranked(table, view.by or None, view.criterion.name, view.judge), view.criterion)


def compared(table: ScoreTable, view: Chosen, workspace: Workspace) -> Compared:
    """Each row against the baseline, planned pairs with the p of the plan; nothing where there is only one."""
    if not view.baseline:
        return Compared()
    made = compare.compare(
        table, list_planned(workspace), by=view.by or None, baseline=_baseline(table, view),
        criterion=view.criterion.name, judge=view.judge,
    )  # fmt: skip
    base = _key(table, view)
    pairs = (one if one.a == base else one.swap_sides() for one in made.comparisons if base in (one.a, one.b))
    # rows of another file that have no value of the factor are no condition of it
    refused = (one for one in made.blocked if base in (one.a, one.b) and all(value for _, value in one.b))
    sides = {row.condition for row in rows(table, view)}
    kept = tuple(one for one in pairs if one.b in sides)
    return replace(made, comparisons=kept, blocked=tuple(refused))


def _key(table: ScoreTable, view: Chosen) -> ConditionKey:
    """The condition, or the value of a factor, that all others are compared with."""
    if view.by:
        return ((view.by, view.baseline.removeprefix(f"{view.by}=")),)
    return next(one for one in table.columns.conditions if address_of(table, one) == view.baseline)


def other(table: ScoreTable, found: Sequence[Row], view: Chosen, key: str = "b", named: Sequence[Line] = ()) -> str:
    """The condition that is set against the baseline, as the address names it; by default one of the `named` pairs."""
    sides = [row.condition for row in found if address_of(table, row.condition) != view.baseline]
    addresses, label = [address_of(table, side) for side in sides], t("scores.other_condition")
    pairs = [[address_of(table, side) for side in (one.a, one.b)] for one in named]
    with_it = [name for pair in pairs if view.baseline in pair for name in pair if name in addresses]
    first = st.query_params.get("b", "") or next(iter(with_it), "")
    if not score_pickers.factors(sides):
        return pick(key, label, addresses, lambda one: _called(table, sides, one), 360, first)
    return score_pickers.draw(key, label, table, sides, first)


def reasons(why: Sequence[Diagnostic]) -> str:
    """Why two conditions are not compared, in the words of the rules."""
    return " ".join(finding(diagnostic).message for diagnostic in why)


def conditions(table: ScoreTable, view: Chosen) -> int:
    """How many conditions this judge scored under this criterion."""
    return len(in_view.ranked(table, None, view.criterion.name, view.judge))


def names(table: ScoreTable, found: Sequence[Row]) -> list[str]:
    """What the rows are called."""
    return [called(table, row.condition) for row in found]


def called(table: ScoreTable, condition: ConditionKey) -> str:
    """A condition by its label, a value of a factor by that value."""
    return table.label(condition) if condition in table.columns.conditions else report.short(table, condition)


def name_lines(table: ScoreTable, lines: Sequence[Line]) -> list[str]:
    """Return what comparisons are called: by their second side, and by both where the first is not that of the first
    comparison.
    """
    names = []
    for one in lines:
        if one.a == lines[0].a:
            names.append(called(table, one.b))
        else:
            names.append(t("scores.pair_second_first", a=called(table, one.a), b=called(table, one.b)))
    return names


def dark() -> bool:
    """Whether the reader sees the dark theme."""
    return st.context.theme.type == "dark"


def say(key: str, /, **values: Any) -> str:
    """A sentence of this page, for the charts."""
    return t(f"scores.{key}", **values)


def style() -> None:
    """The style of this page alone."""
    st.html(STYLE)


def noticed(table: ScoreTable) -> tuple[int, list[Finding]]:
    """How many findings the scores have, and the first of them."""
    diagnostics = warnings.diagnostics(table)
    order = ("error", "warning", "info")
    found = sorted((finding(diagnostic) for diagnostic in diagnostics), key=lambda one: order.index(one.severity))
    return len(found), found[:NOTICED]


def _by(factor: str) -> str:
    return t("scores.by_all") if factor == EVERY else t("scores.by_factor", factor=factor)


def _called(table: ScoreTable, sides: Sequence[ConditionKey], name: str) -> str:
    return next((called(table, one) for one in sides if address_of(table, one) == name), name)


def _baseline(table: ScoreTable, view: Chosen) -> str:
    """The baseline as comparisons know it: a value of the factor, or a condition's label."""
    return view.baseline if view.by else _label(table, view.baseline)


def _label(table: ScoreTable, name: str) -> str:
    return next((table.label(one) for one in table.columns.conditions if address_of(table, one) == name), name)
