"""Draw all criteria at a glance: a row for each condition, a column for each criterion, shaded from worse to better.

Where there are more criteria than a screen has room for columns, and fewer conditions, the criteria are the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores import charts, criterion_kinds, in_view
from readback.scores.conclusion import AGAINST
from readback.scores.drawn_pairs import list_fairness
from readback.scores.sentences import not_compared, report
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.values.criteria import scale_text
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.results import choices, drilldown, lead, means
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.ui.results.lead import Concluded
from readback.words import t

SHOWN = 12  # conditions in sight; the others are folded
WHOLE = 24  # characters of a criterion's name that no line needs to break
BROAD = 6  # criteria that a laptop has room for beside each other
BETTER = {"up": "up", "down": "down", "none": "none_better"}
KEY = (0.0, 0.25, 0.5, 0.75, 1.0)  # places on a scale that the key shows


@dataclass(frozen=True, slots=True)
class Head:
    """A criterion at its column or row; `judge` is named where it is not the one in view, `direction` where criteria
    have several.
    """

    link: Markup
    direction: str
    scale: str
    judge: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """The mean of a condition under a criterion, with the colours that it has in both themes, none where neither end is
    better; "" where not scored, and `why` not.
    """

    why: str = ""
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


def draw_matrix(table: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: View, concluded: Concluded) -> None:
    """Draw the conditions of the view under every criterion; nothing where there is one of each, or where no mean
    differs. The better mean comes first where that says something, else they are in the order of the files.
    """
    columns = list_columns(table, workspace, view)
    is_ranked = can_rank(table, rows, view, concluded)
    if not is_ranked:
        rows = in_view.ranked(table, view.by or None, view.criterion.name, view.judge)
    conditions = list(dict.fromkeys(row.condition for row in rows))
    for column in columns:
        conditions += [condition for condition in column.rows if condition not in conditions]
    if len(columns) * len(conditions) < 2 or all(_is_level(column, conditions) for column in columns):
        return
    directions = {column.criterion.direction for column in columns}
    heads = [_build_head(column, view, is_worded=len(directions) > 1) for column in columns]
    names = [_link_condition(table, condition) for condition in conditions]
    cells = [[_build_cell(column, condition) for column in columns] for condition in conditions]
    counts = [cell.n for row in cells for cell in row if cell.mean]
    is_turned = len(columns) > max(BROAD, len(conditions))
    order = t("scores.matrix_ranked" if is_ranked else "scores.matrix_unranked", criterion=view.criterion.name)
    lines: list[tuple[Head | Markup, Sequence[Cell]]] = list(zip(names, cells, strict=True))
    if is_turned:
        lines = list(zip(heads, zip(*cells, strict=True), strict=True))
    show.draw(
        render_template(
            "ui/results/matrix.html.jinja",
            t=t,
            heads=names if is_turned else heads,
            corner=t("scores.criterion" if is_turned else "scores.condition"),
            is_turned=is_turned,
            lines=lines[:SHOWN],
            more=lines[SHOWN:],
            more_title=t(f"scores.matrix_more{'_criteria' if is_turned else ''}", n=len(lines) - SHOWN),
            leaders=lead.link_leaders(table, workspace, view),
            how=" ".join(
                [*_explain(columns, counts, directions, is_turned=is_turned), order, *lead.list_caveats(concluded)]
            ),
            key=[_format_style(share) for share in KEY] if directions - {"none"} else (),
        )
    )


def _is_level(column: Column, conditions: Sequence[ConditionKey]) -> bool:
    """Tell whether several conditions all have the same mean: the first words of the page have said it."""
    if len(conditions) < 2:
        return False
    rows = [column.rows.get(condition) for condition in conditions]
    return len({means.format_mean(row.mean) if row is not None and row.mean is not None else "" for row in rows}) == 1


def can_rank(table: ScoreTable, rows: Sequence[Row], view: View, concluded: Concluded) -> bool:
    """Tell whether the order of the means under the criterion in view says something: not where no end is better, where
    all means are the same, where the judges disagree too much, or where no pair of the answer may be compared.
    """
    if view.criterion.direction == "none" or len({means.format_mean(row.mean) for row in rows}) < 2:
        return False
    file_table, name = choices.get_file_table(table), view.criterion.name
    if not_compared.find_dispute(file_table, name, view.judge) or not_compared.find_scales(file_table, name):
        return False
    pairs = list_fairness(concluded.conclusions)
    return not pairs or any(kind not in AGAINST for kind in pairs.values())


def _explain(
    columns: Sequence[Column], counts: Sequence[int], directions: Collection[str], *, is_turned: bool
) -> Iterator[str]:
    """Yield what a number of the table is, which end is better where that is one for all, and how to use the table."""
    yield t("scores.matrix_how")
    if counts:
        low, high = min(counts), max(counts)
        yield t("scores.matrix_answers" if low == high else "scores.matrix_answers_span", n=low, high=high)
    if len(directions) == 1:
        yield t(f"scores.matrix_{BETTER[next(iter(directions))]}", n=len(columns))
    if len(columns) > 1:
        yield t("scores.matrix_choose")
    if len(columns) > BROAD and not is_turned:
        yield t("scores.matrix_scroll", n=len(columns))


def _link_condition(table: ScoreTable, condition: ConditionKey) -> Markup:
    name = report.short(table, condition)
    return drilldown.link(show.h('<bdi title="{}">{}</bdi>', name, name), of=format_address(table, condition))


def list_columns(table: ScoreTable, workspace: Workspace, view: View) -> tuple[Column, ...]:
    """Return every criterion with its rows: by the judge in view where it scored it, else by whom it is shown first."""
    file_table = choices.get_file_table(table)
    columns = []
    for name in criterion_kinds.order_of(file_table, workspace):
        judges = in_view.judges(file_table, name)
        if not judges:
            continue
        if view.judge in judges:
            judge = view.judge
        else:
            judge = judges[0]
        judge_table = in_view.get_judge_table(file_table, judge)
        if view.by in judge_table.factors:
            by = view.by
        else:
            by = None
        href = drilldown.format_href(criterion=name)
        ranked = in_view.ranked(judge_table, by or None, name, judge)
        columns.append(Column(judge_table.criteria[name], judge, {row.condition: row for row in ranked}, href))
    return tuple(columns)


def _build_head(column: Column, view: View, *, is_worded: bool) -> Head:
    criterion = column.criterion
    is_chosen = criterion.name == view.criterion.name
    name = show.breaks(criterion.name) if len(criterion.name) > WHOLE else criterion.name
    link = drilldown.link(name, criterion=criterion.name)
    if is_chosen:
        link = show.current(link)
    if column.judge == view.judge:
        judge = ""
    else:
        judge = column.judge.removeprefix("*")
    if is_worded:
        direction = t(f"scores.direction_{criterion.direction}")
    else:
        direction = ""
    return Head(link, direction, scale_text(criterion), judge, is_chosen)


def _build_cell(column: Column, condition: ConditionKey) -> Cell:
    row = column.rows.get(condition)
    if row is None or row.mean is None:
        return Cell(means.explain_unscored(row))
    scored = [other.mean for other in column.rows.values() if other.mean is not None]
    low, high = charts.find_axis_range(column.criterion, scored)
    share = (row.mean - low) / (high - low)
    if column.criterion.direction == "down":
        share = 1 - share
    mean = means.format_mean(row.mean)
    if row.span:
        interval = t("scores.span", **means.format_ends(row))
    else:
        interval = ""
    if column.criterion.direction == "none":  # no end is better, so none has a colour
        return Cell("", column.href, mean, interval, row.n)
    return Cell("", column.href, mean, interval, row.n, _format_style(share))


def _format_style(share: float) -> str:
    """Return the ground and the ink of a cell whose mean is at this share of the way from the worst to the best."""
    light, dark = charts.tint_share(share), charts.tint_share(share, dark=True)
    inks = charts.choose_ink(light), charts.choose_ink(dark)
    return f"background:light-dark({light},{dark});color:light-dark({inks[0]},{inks[1]})"
