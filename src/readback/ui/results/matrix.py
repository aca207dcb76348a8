"""Draw all criteria at a glance: a row for each condition, a column for each criterion, shaded from worse to better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores import charts, criterion_kinds, in_view, report
from readback.scores.criteria import scale_text
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.results import choices, drilldown, means
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.words import t

SHOWN = 12  # conditions in sight; the others are folded
WHOLE = 24  # characters of a criterion's name that no line needs to break
ARROWS = {"up": "↑", "down": "↓", "none": "·"}


@dataclass(frozen=True, slots=True)
class Head:
    """A criterion above its column; `judge` is named where it is not the one in view."""

    name: str
    link: Markup
    arrow: str
    direction: str
    scale: str
    judge: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """The mean of a condition under a criterion, with the colours that it has in both themes; "" where not scored."""

    href: str = ""
    mean: str = ""
    interval: str = ""
    n: int = 0
    style: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A criterion with the rows of its conditions."""

    criterion: Criterion
    judge: str
    rows: dict[ConditionKey, Row]
    href: str  # which chooses the criterion


def draw_matrix(table: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: View) -> None:
    """Draw the conditions of the view under every criterion; nothing where there is one of each."""
    columns = list_columns(table, workspace, view)
    conditions = list(dict.fromkeys(row.condition for row in rows))
    for column in columns:
        conditions += [condition for condition in column.rows if condition not in conditions]
    if len(columns) * len(conditions) < 2:
        return
    body = []
    for condition in conditions:
        name = report.short(table, condition)
        title = drilldown.link(show.h("<bdi>{}</bdi>", name), of=format_address(table, condition))
        body.append((title, [_build_cell(column, condition) for column in columns]))
    show.draw(
        render_template(
            "ui/results/matrix.html.jinja",
            t=t,
            heads=[_build_head(column, view) for column in columns],
            lines=body[:SHOWN],
            more=body[SHOWN:],
            criteria=len(columns),
        )
    )


def list_columns(table: ScoreTable, workspace: Workspace, view: View) -> tuple[Column, ...]:
    """Return every criterion with its rows: by the judge in view where it scored it, else by whom it is shown first."""
    file_table = choices.get_file_table(table)
    columns = []
    for name in criterion_kinds.order_of(file_table, workspace):
        judges = in_view.judges(file_table, name)
        if not judges:
            continue
        judge = view.judge if view.judge in judges else judges[0]
        judge_table = in_view.get_judge_table(file_table, judge)
        by = view.by if view.by in judge_table.factors else None
        href = drilldown.format_href(criterion=name)
        ranked = in_view.ranked(judge_table, by or None, name, judge)
        columns.append(Column(judge_table.criteria[name], judge, {row.condition: row for row in ranked}, href))
    return tuple(columns)


def _build_head(column: Column, view: View) -> Head:
    criterion = column.criterion
    is_chosen = criterion.name == view.criterion.name
    name = show.breaks(criterion.name) if len(criterion.name) > WHOLE else criterion.name
    link = drilldown.link(name, criterion=criterion.name)
    if is_chosen:
        link = show.current(link)
    judge = "" if column.judge == view.judge else column.judge.removeprefix("*")
    direction = t(f"scores.direction_{criterion.direction}")
    return Head(criterion.name, link, ARROWS[criterion.direction], direction, scale_text(criterion), judge, is_chosen)


def _build_cell(column: Column, condition: ConditionKey) -> Cell:
    row = column.rows.get(condition)
    if row is None or row.mean is None:
        return Cell()
    scored = [other.mean for other in column.rows.values() if other.mean is not None]
    low, high = charts.find_axis_range(column.criterion, scored)
    share = (row.mean - low) / (high - low)
    if column.criterion.direction == "down":
        share = 1 - share
    mean = means.format_mean(row.mean)
    interval = t("scores.span", **means.format_ends(row)) if row.span else ""
    return Cell(column.href, mean, interval, row.n, _format_style(column.criterion, share))


def _format_style(criterion: Criterion, share: float) -> str:
    """Return the ground and the ink of a cell; a criterion without a direction has no better end, and no colour."""
    if criterion.direction == "none":
        return ""
    light, dark = charts.tint_share(share), charts.tint_share(share, dark=True)
    inks = charts.choose_ink(light), charts.choose_ink(dark)
    return f"background:light-dark({light},{dark});color:light-dark({inks[0]},{inks[1]})"
