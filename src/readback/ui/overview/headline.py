"""How each condition was scored, in one small picture: a distribution, and a mean where one is called for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from readback.scores import in_view, summary
from readback.scores.certainty import is_too_narrow
from readback.scores.leaders import find_unplanned_leaders
from readback.scores.sentences import not_compared, report
from readback.scores.summary_row import Row
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, ScoreTable
from readback.scores.values.criteria import MINUS, number
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.common.draw.table import Column
from readback.ui.results import means
from readback.ui.results.drilldown import format_address
from readback.words import t

STEPS = 6  # shades; a scale with fewer values takes some of them
MARKS = 7  # patterns, so that nothing depends on colour
APART = 7  # values that are told apart, two neighbours in one shade if need be; more than these are counted in ranges
RANGES = (5, 4, 6, 3)  # how many, preferred from the first on, so that they begin and end at round numbers
MANY = 0.05  # of the scores without a value, from which on a mean says so; findings warn from there, too


@dataclass(frozen=True, slots=True)
class Shape:
    """One condition: `picture` draws the distribution that `told` tells, `mean` is the mean with its interval,
    `without` how many have no score, where these are more than a few, `values` are those of the factors that vary.
    `condition` is the workspace's name of it, "" where it has no such condition; `center` the mean, `span` its
    interval; `judge` who scored, where judges are compared.
    """

    name: str
    n: int
    missing: int
    mean: str
    without: str
    distribution: str
    picture: Markup
    address_of: str
    values: Mapping[str, str]
    condition: str = ""
    center: float | None = None
    span: tuple[float, float] | None = None
    judge: str = ""
    most_given: str = ""  # the value that most of its scores have, where its interval is too narrow because of that

    @property
    def summary(self) -> str:
        """Mean and number without a score, in a line."""
        if self.without:
            return f"{self.mean}; {self.without}"
        return self.mean


@dataclass(frozen=True, slots=True)
class Headline:
    """The criterion that Scores begins with, by the same judge or judges, its conditions from the better mean down;
    `left_out` says which conditions that have scores are not among them, and why.

    `levels` are what a first look compares where conditions are too many or only one: the values of each factor, each
    over all conditions that have it; or under "" the judges of the only condition.
    """

    criterion: str
    judge: str
    synthetic: bool
    values: tuple[tuple[str, str], ...]  # with their looks
    factors: tuple[str, ...]
    shapes: Mapping[str, Shape]
    left_out: str
    scale: Criterion
    levels: Mapping[str, tuple[Shape, ...]]
    is_disputed: bool  # by judges who agree too little for a conclusion
    leaders: tuple[Shape, ...] = ()  # the two best means, where the plan compares others and not these two

    def find_shape(self, condition: str) -> Shape | None:
        """Return the shape of a condition's scores."""
        return self.shapes.get(condition)


def headline(workspace: Workspace, table: ScoreTable) -> Headline | None:
    """Return the first criterion's scores by condition name, as Scores shows them first; None where there are no
    scores.
    """
    first_pick = in_view.first(table, workspace)
    if first_pick is None:
        return None
    wanted, criterion_and_judge = first_pick
    view = in_view.get_judge_table(table, criterion_and_judge)
    criterion = view.criteria[wanted]
    every = summary.rows(view, criterion=wanted, judge=criterion_and_judge)
    rows = in_view.better_first([row for row in every if row.condition not in view.apart], criterion)
    if not rows:
        return None
    names, ranges = _in_ranges(rows, criterion)
    values = tuple(zip(names, _looks(len(names), criterion), strict=True))
    shapes = {view.label(row.condition): _shape(workspace, view, row, ranges, dict(values)) for row in rows}
    if criterion_and_judge:
        judge = in_view.judge_name(table, wanted, criterion_and_judge)
    else:
        judge = ""
    left_out = in_view.left_out(table, wanted, criterion_and_judge)
    levels = _list_levels(workspace, table, wanted, criterion_and_judge)
    is_disputed = not_compared.find_dispute(table, wanted, criterion_and_judge) is not None
    first_two = find_unplanned_leaders(view, workspace, wanted, criterion_and_judge) or ()
    leaders = tuple(shapes[view.label(row.condition)] for row in first_two)
    return Headline(
        wanted, judge, table.synthetic, values, view.varying, shapes, left_out, criterion, levels, is_disputed, leaders
    )


def _list_levels(workspace: Workspace, table: ScoreTable, name: str, judge: str) -> Mapping[str, tuple[Shape, ...]]:
    """Return what is compared instead of conditions, the better means first; nothing where these are two to twelve."""
    view = in_view.get_judge_table(table, judge)
    criterion = view.criteria[name]

    def draw_shapes(rows: Sequence[Row]) -> tuple[Shape, ...]:
        ranges = _in_ranges(rows, criterion)
        looks = dict(zip(ranges[0], _looks(len(ranges[0]), criterion), strict=True))
        shapes = (_shape(workspace, view, row, ranges[1], looks) for row in in_view.better_first(rows, criterion))
        return tuple(shape for shape in shapes if shape.center is not None)

    if in_view.find_first_factor(view, name, judge):
        return {factor: draw_shapes(rows) for factor, rows in in_view.list_levels(view, name, judge).items()}
    rows = [row for row in summary.rows(table, criterion=name) if row.n and row.condition not in table.apart]
    if len({row.condition for row in rows}) != 1 or len(rows) < 2:
        return {}
    by_judge = {row.judge: draw_shapes([row]) for row in in_view.better_first(rows, criterion)}
    return {
        "": tuple(
            replace(shape, name=in_view.judge_name(table, name, each), judge=each)
            for each, shapes in by_judge.items()
            for shape in shapes
        )
    }


def are_alike(shapes: Collection[Shape]) -> bool:
    """Tell whether several conditions have the same mean and the same scores, so that no picture tells them apart."""
    return len(shapes) > 1 and len({(shape.summary, shape.distribution) for shape in shapes}) == 1


def legend(head: Headline, left_out: bool) -> Markup:
    """Return what the small pictures show, in the order and shades of the scale, or the mean that all rows have; and
    `left_out`, unless the lead has it.
    """
    key = '<span class="rb-key"><span class="rb-step {}"></span>{}</span>'
    items = [show.h(key, look, value) for value, look in head.values]
    sentence = t("overview.legend", criterion=head.criterion)
    if are_alike(head.shapes.values()):
        mean = next(iter(head.shapes.values())).summary
        sentence, items = t("overview.all_rows", column=t("overview.mean", criterion=head.criterion), said=mean), []
    if head.judge:
        judge = t("overview.legend_judge", judge=head.judge)
    else:
        judge = ""
    made_up = show.h(' <strong class="rb-warn">{}</strong>', t("overview.synthetic")) if head.synthetic else ""
    left = head.left_out if left_out else ""
    if any(shape.without for shape in head.shapes.values()):
        apart = t("overview.mean_every")
    else:
        apart = ""
    said_last = " ".join(part for part in (judge, apart, left) if part)
    return show.h('<p class="rb-small">{} {} {}{}</p>', sentence, show.join(items, " "), said_last, made_up)


def scored(head: Headline) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """Return the conditions of a workspace that has nothing but scores."""
    if len(head.factors) > report.FEW:
        by_factor = head.factors
    else:
        by_factor = ()
    shapes = head.shapes
    rows: list[Mapping[str, Any]] = [
        {
            **{f"factor_{at}": shape.values.get(name, "–") for at, name in enumerate(by_factor)},
            "name": name,
            "n": shape.n,
            "missing": shape.missing,
            "shape": shape.distribution,
            "mean": shape.summary,
        }
        for name, shape in shapes.items()
    ]
    first = "factor_0" if by_factor else "name"
    link = Column(
        first,
        by_factor[0] if by_factor else t("overview.name"),
        show=lambda row: _named(show.link("results", row[first], of=shapes[row["name"]].address_of), row),
    )
    columns = (
        link,
        *(Column(f"factor_{at}", name) for at, name in enumerate(by_factor) if at),
        Column("n", t("overview.n"), number=True),
        Column("missing", t("overview.missing"), number=True),
        *pictures(head, shapes),
    )
    return columns, rows


def _named(link: Markup, row: Mapping[str, Any]) -> Markup:
    """Return a link in the column of a factor: whoever does not see its row hears all of it."""
    return link.replace("<a ", show.h('<a aria-label="{}" ', row["name"]), 1)


def pictures(head: Headline, shapes: Mapping[str, Shape]) -> tuple[Column, ...]:
    """Return the columns with the mean and its interval, and with the distribution. Where they are the same in every
    row the legend says it once, and the columns are in the download alone.
    """
    is_seen = not are_alike(shapes.values())

    def picture(row: Mapping[str, Any]) -> Markup | str:
        if row["name"] in shapes:
            return shapes[row["name"]].picture
        return "–"

    def mean(row: Mapping[str, Any]) -> Markup | str:
        shape = shapes.get(row["name"])
        if shape is None:
            return show.h('<span class="rb-small">{}</span>', means.explain_unscored(None))
        if not shape.without:
            return shape.mean
        return show.h('{}<br><span class="rb-small rb-nobr">{}</span>', shape.mean, shape.without)

    title = t("overview.shape_synthetic" if head.synthetic else "overview.shape", criterion=head.criterion)
    heading = t("overview.mean", criterion=head.criterion)
    return (
        Column("mean", heading, number=True, show=mean, in_view=is_seen),
        Column("shape", title, show=picture, in_view=is_seen),
    )


def reconciled(table: ScoreTable) -> Sequence[str]:
    """Return the counts of the score files, which add up."""
    state, lines = table.columns.state, []
    for source in table.sources:
        lines.append(t("overview.score_file", path=source.path, rows=source.rows, cells=source.cells))
    if len(table.columns):
        counts = {"scored": SCORED, "failed": FAILED, "missing": MISSING, "na": NOT_APPLICABLE}
        counts_by_state = {name: state.count(code) for name, code in counts.items()}
        lines.append(t("overview.score_counts", cells=len(table.columns), **counts_by_state))
        absent = sum(row.missing for row in summary.rows(table)) - counts_by_state["missing"]
        lines += [t("overview.score_absent", n=absent)] if absent > 0 else []
    return lines


def _shape(
    workspace: Workspace, table: ScoreTable, row: Row, ranges: Mapping[str, str], looks: Mapping[str, str]
) -> Shape:
    missing = row.missing + row.failed
    spread = ", ".join(f"{_describe_value(value)}: {n}" for value, n in row.distribution) or "–"
    label = t("overview.shape_said", criterion=row.criterion, counts=spread, n=row.n, missing=missing)
    box = '<span class="{}" style="flex:{} 1 0" title="{}: {}"></span>'
    counts = dict.fromkeys(looks, 0)
    for value, n in row.distribution:
        counts[ranges[value]] += n
    parts = [show.h(box, f"rb-step {looks[name]}", n, name, n) for name, n in counts.items() if n]
    parts += [show.h(box, "rb-left", missing, t("overview.missing"), missing)] if missing else []
    picture = show.h('<span class="rb-shape" role="img" aria-label="{}">{}</span>', label, show.join(parts))
    if row.mean is None:
        mean = means.explain_unscored(row)
    else:
        mean = means.format_mean(row.mean)
    if row.span:
        mean = t("overview.mean_said", mean=mean, **means.format_ends(row))
    many = missing > MANY * (row.n + missing)  # the mean is of the rest, which may not be like them
    if many:
        without = t("overview.mean_without", n=missing, all=row.n + missing)
    else:
        without = ""
    name, values = report.short(table, row.condition), dict(row.condition)
    address_of = format_address(table, row.condition)
    condition = find_workspace_name(workspace, table, row.condition) or ""
    if is_too_narrow(row.share_of_one, row.method):
        most_given = _describe_value(max(row.distribution, key=lambda each: each[1])[0])
    else:
        most_given = ""
    return Shape(
        name,
        row.n,
        missing,
        mean,
        without,
        spread,
        picture,
        address_of,
        values,
        condition,
        row.mean,
        row.span,
        most_given=most_given,
    )


def _in_ranges(rows: Sequence[Row], criterion: Criterion) -> tuple[Sequence[str], Mapping[str, str]]:
    """Return what the pictures count, from the lowest up, and to which of them each value belongs that a condition was
    given: every value by itself, or ranges of the scale where there are too many to be told apart.
    """
    values = dict.fromkeys(value for row in rows for value, _ in row.distribution)
    if criterion.values:
        return [_describe_value(value) for value in values], {value: _describe_value(value) for value in values}
    middles = {value: sum(ends) / len(ends) for value in values for ends in [[float(x) for x in value.split(" to ")]]}
    ordered = sorted(middles, key=middles.__getitem__)
    if len(ordered) <= APART:
        return [_describe_value(value) for value in ordered], {value: _describe_value(value) for value in ordered}
    low, high = criterion.low, criterion.high
    if low is None:
        low = min(middles.values())
    if high is None:
        high = max(middles.values())
    widths = {n: (high - low) / n for n in RANGES}
    many = next((n for digits in (0, 1) for n in RANGES if round(widths[n], digits) == widths[n]), RANGES[0])
    ends = [low + (high - low) * at / many for at in range(many + 1)]
    names = [
        t(
            "overview.range" if b == ends[-1] else "overview.range_below",
            low=_describe_value(number(a)),
            high=_describe_value(number(b)),
        )
        for a, b in pairwise(ends)
    ]
    return names, {value: names[bisect_right(ends, middle, 1, many) - 1] for value, middle in middles.items()}


def _looks(count: int, criterion: Criterion) -> list[str]:
    """Return the shade and the pattern of each value, those of the charts of Results: the better end of the scale is
    blue.
    """
    places = [round(at * (STEPS - 1) / (count - 1)) if count > 1 else STEPS - 2 for at in range(count)]
    if criterion.direction == "down":
        shades = places[::-1]
    else:
        shades = places
    return [f"rb-step-{shade} rb-mark-{at % MARKS}" for at, shade in enumerate(shades)]


def _describe_value(value: str) -> str:
    if value.startswith("-"):
        return value.replace("-", MINUS)
    return value
