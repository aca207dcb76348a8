"""The scores page's choices: criterion, judge, what is shown by, the baseline; and the rows that come of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from readback.checks.rules import finding
from readback.scores import loading as scores
from readback.scores import report, summary, warnings
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import Compared
from readback.scores.comparing.planned import planned
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Finding, Workspace
from readback.ui.common import address
from readback.ui.common.work import Job, whole
from readback.ui.scores import score_drilldown_links
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
        st.selectbox(label, options, key=key, format_func=say, on_change=_chosen, args=(key, first), width=width)
    )


def _chosen(key: str, default: str) -> None:
    """Keep the choice; what is behind a mark of the charts before is closed."""
    address.keep(key, default)
    score_drilldown_links.go()


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is on the page. `by` is a factor, or "" for every condition; `baseline` a drill-down as in the address."""

    criterion: Criterion
    judge: str
    by: str
    baseline: str


def chosen(table: ScoreTable, workspace: Workspace) -> Chosen:
    """The bar of pickers."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="scores_bar"):
        name = pick("criterion", t("scores.criterion"), criteria(table, workspace))
        judge = pick("scored_by", t("scores.judge"), judges(table, name), lambda one: one or t("scores.no_judge"))
        factors = levels(table, name, judge)
        many = len(summary.rows(table, None, name, judge)) > MOST
        by = pick("by", t("scores.by"), (EVERY, *factors), _by, default=factors[0] if many and factors else EVERY)
        by = by if by in factors else ""
        sides = _sides(table, by, name, judge)
        baseline = pick("baseline", t("scores.baseline"), [address_of(table, one) for one in sides],
                        lambda one: _called(table, sides, one), 280, _first(table, workspace, sides))  # fmt: skip
    return Chosen(table.criteria[name], judge, by, baseline if len(sides) > 1 else "")


def criteria(table: ScoreTable, workspace: Workspace) -> tuple[str, ...]:
    """The criteria that have rows: the workspace's headline first, then those it means to compare."""
    names = table.columns.criteria
    meant = {name for one in planned(workspace) for name in one.criteria}

    def rank(name: str) -> tuple[bool, bool]:
        called = {name, name.removesuffix("_score")}
        return workspace.headline not in called, not called & meant

    return tuple(sorted(names, key=rank))


def judges(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Who gave scores for this criterion."""
    return tuple(dict.fromkeys(row.judge for row in summary.rows(table, criterion=criterion)))


def levels(table: ScoreTable, criterion: str, judge: str) -> tuple[str, ...]:
    """The factors that these scores can be taken together by; none where there is only one."""
    there = [dict(row.condition) for row in summary.rows(table, None, criterion, judge)]
    found = tuple(one for one in table.varying if len({given[one] for given in there if one in given}) > 1)
    return found if len(found) > 1 else ()


def rows(table: ScoreTable, view: Chosen) -> tuple[Row, ...]:
    """The rows of every condition, or of one factor; those to be read from top to bottom, the better means first."""
    found = summary.rows(table, view.by or None, view.criterion.name, view.judge)
    sign = 1 if view.criterion.direction == "down" else -1
    return tuple(sorted(found, key=lambda row: (row.mean is None, sign * (row.mean or 0))))


def compared(table: ScoreTable, view: Chosen) -> Compared:
    """Each row against the baseline; nothing where there is only one."""
    if not view.baseline:
        return Compared()
    made = compare.compare(
        table, (), by=view.by or None, baseline=_baseline(table, view), criterion=view.criterion.name, judge=view.judge
    )
    # rows of another file that have no value of the factor are no condition of it
    return replace(made, blocked=tuple(one for one in made.blocked if all(value for _, value in one.b)))


def conditions(table: ScoreTable, view: Chosen) -> int:
    """How many conditions this judge scored under this criterion."""
    return len(summary.rows(table, None, view.criterion.name, view.judge))


def names(table: ScoreTable, found: Sequence[Row]) -> list[str]:
    """What the rows are called."""
    return [called(table, row.condition) for row in found]


def called(table: ScoreTable, condition: ConditionKey) -> str:
    """A condition by its label, a value of a factor by that value."""
    return table.label(condition) if condition in table.columns.conditions else report.short(table, condition)


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


def _sides(table: ScoreTable, by: str, criterion: str, judge: str) -> tuple[ConditionKey, ...]:
    return tuple(row.condition for row in summary.rows(table, by or None, criterion, judge))


def _called(table: ScoreTable, sides: Sequence[ConditionKey], name: str) -> str:
    return next((called(table, one) for one in sides if address_of(table, one) == name), name)


def _baseline(table: ScoreTable, view: Chosen) -> str:
    """The baseline as comparisons know it: a value of the factor, or a condition's label."""
    return view.baseline if view.by else _label(table, view.baseline)


def _label(table: ScoreTable, name: str) -> str:
    return next((table.label(one) for one in table.columns.conditions if address_of(table, one) == name), name)


def _first(table: ScoreTable, workspace: Workspace, sides: Sequence[ConditionKey]) -> str:
    """The baseline to begin with: the first side of the plan, else the first row of the files."""
    for one in planned(workspace):
        found = compare.side_of(table, one.a)
        if found in sides:
            return address_of(table, found) if found is not None else ""
    return address_of(table, sides[0]) if sides else ""
