"""Draw what Results shows where no score differs: what that means, what to look at instead, and which pairs there are.

A picture of differences would be zeros on an axis that nothing gives a length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.checks.groups import WEIGHT
from readback.checks.repeated_answers import describe_repeated
from readback.html.templates import render_template
from readback.scores import in_view
from readback.scores.comparing.comparison import Compared
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.values.criteria import MINUS
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.common.draw import places
from readback.ui.results import choices, drilldown, forest, lead, matrix, means
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.ui.results.forest import ForestLine
from readback.ui.results.lead import Concluded, Fairness
from readback.words import sentence, t

SHOWN = 6  # pairs in sight where nothing was planned; the others are folded
SHARED = 2  # errors and warnings of both sides that are named
CRITERIA = 3  # other criteria that are named
AlikePair = tuple[ForestLine, Fairness]
ALIKE = 3  # pairs with the same fault on both sides, from which on they are one row
ENDS = {"up": ("worst", "best"), "down": ("best", "worst")}  # what the lower and the upper end of a scale are


@dataclass(frozen=True, slots=True)
class AlikePairs:
    """Pairs that have the same fault on both sides: how many, that their scores are the same, the verdict with its
    sign, and the fault with what it means for the scores.
    """

    name: str
    same: str
    sign: str
    verdict: str
    reason: Markup


def draw_level(
    table: ScoreTable,
    workspace: Workspace,
    lines: Sequence[Line],
    rows: Sequence[Row],
    concluded: Concluded,
    compared: Compared,
    view: View,
    basis: str,
) -> None:
    """Draw the pairs of the answer, of which no score differs: those that may not be compared come first, unless they
    were planned.
    """
    criterion = view.criterion
    axis = forest.find_axis(table, workspace, lines, criterion)
    fairness = forest.judge_lines(table, workspace, lines, concluded)
    entries = forest.build_entries(table, workspace, lines, fairness, axis, criterion)
    planned_count = sum(line.planned is not None for line in lines)
    alike: list[AlikePair] = []
    if not planned_count:
        entries, alike = _part_alike(entries, fairness)
        entries.sort(key=lambda entry: entry.kind != "unfair")
    sides = {side for line in lines for side in (line.a, line.b)}
    inside = [row for row in rows if row.condition in sides]
    audit = lead.get_audit()
    if audit is not None and describe_repeated(audit):
        meaning = ""  # the first words of the page have said what the scores are worth
    else:
        meaning = " ".join((_describe_scores(table, inside, criterion), t("scores.level_meaning")))
    in_sight = planned_count + SHOWN
    rest = max(len(entries) - in_sight, 0) + len(alike)
    show.draw(
        render_template(
            "ui/results/level.html.jinja",
            t=t,
            meaning=meaning,
            ways=[
                *_list_shared(fairness),
                *_count_unfair(lines, fairness),
                *_link_criteria(table, workspace, view, sides),
                *_link_others(table, rows, sides, criterion),
            ],
            title=_format_title(table, lines, is_planned=planned_count > 0),
            basis=basis,
            is_one_baseline=_has_one_baseline(lines),
            lines=entries[:in_sight],
            more=[*entries[in_sight:], *(entry for entry, _ in alike)],
            more_title=t("scores.level_each_alike" if len(entries) <= in_sight else "scores.level_more", n=rest),
            alike=_sum_up_alike(alike) if alike else None,
        )
    )
    caption = forest.describe_lines(table, lines, concluded, compared, criterion)
    forest.collect_figure(table, lines, criterion, caption)


def _part_alike(
    entries: Sequence[ForestLine], fairness: Sequence[Fairness]
) -> tuple[list[ForestLine], list[AlikePair]]:
    """Return the entries, and apart from them those that have the same fault on both sides where several have: what is
    to be learned of them is that fault, and not each pair.
    """
    pairs = list(zip(entries, fairness, strict=True))
    codes = [
        tuple(group.code for group in of_pair.shared_findings) if of_pair.kind == "same" else () for _, of_pair in pairs
    ]
    most, count = max(Counter(filter(None, codes)).items(), key=lambda item: item[1], default=((), 0))
    if count < ALIKE:
        return [*entries], []
    others = [entry for (entry, _), of_pair in zip(pairs, codes, strict=True) if of_pair != most]
    return others, [pair for pair, of_pair in zip(pairs, codes, strict=True) if of_pair == most]


def _sum_up_alike(alike: Sequence[AlikePair]) -> AlikePairs:
    """Return in a row how many pairs have the same fault on both sides, and which fault."""
    first, fairness = alike[0]
    links = [
        show.link("findings", group.title, severity=group.severity, code=group.code)
        for group in fairness.shared_findings[:SHARED]
    ]
    same = {entry.moved.striptags() if isinstance(entry.moved, Markup) else entry.moved for entry, _ in alike}
    return AlikePairs(
        t("scores.level_alike", more=len(alike) - 1, name=first.b),
        same.pop() if len(same) == 1 else "",
        first.sign,
        first.verdict,
        show.h("{}. {}", show.join(links, "; "), t("scores.level_alike_why")),
    )


def draw_pairs(table: ScoreTable, workspace: Workspace, lines: Sequence[Line], criterion: Criterion) -> None:
    """Draw pairs of which no score differs on another page, which says itself whether they are fair."""
    axis = forest.find_axis(table, workspace, lines, criterion)
    entries = forest.build_entries(table, workspace, lines, [forest.UNLOOKED] * len(lines), axis, criterion)
    choices.draw_style()
    show.draw(render_template("ui/results/level_alone.html.jinja", t=t, lines=entries, criterion=criterion.name))


def _has_one_baseline(lines: Sequence[Line]) -> bool:
    return len(lines) > 1 and len({line.a for line in lines}) == 1 and all(line.planned is None for line in lines)


def _format_title(table: ScoreTable, lines: Sequence[Line], *, is_planned: bool) -> str:
    """Return what the list holds: the planned pairs, each with one other, or the only pair."""
    if is_planned:
        return t("scores.level_planned", n=len(lines))
    if _has_one_baseline(lines):
        return t("scores.level_each", n=len(lines), baseline=report.short(table, lines[0].a))
    return t("scores.level_pairs", n=len(lines))


def _describe_scores(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    """Return that all scores are one value, and which end of a declared scale it is; else that both sides are equal."""
    values = {value for row in rows for value, count in row.distribution if count}
    if len(values) != 1 or " to " in (value := values.pop()):
        return t("scores.level_same")
    end = ""
    for bound, name in zip((criterion.low, criterion.high), ENDS.get(criterion.direction, ()), strict=False):
        if criterion.name not in table.inferred and bound is not None and float(value) == bound:
            end = t(f"scores.level_{name}")
    return t("scores.level_value", n=sum(row.n for row in rows), value=value.replace("-", MINUS), end=end)


def _list_shared(fairness: Sequence[Fairness]) -> Iterator[Markup]:
    """Yield what to do about what is found on both sides of a pair, which may be why no score differs, with the ways to
    it; errors first.
    """
    groups = {group.code: group for of_line in fairness for group in of_line.shared_findings}
    for group in sorted(groups.values(), key=lambda group: WEIGHT[group.severity])[:SHARED]:
        text = t("scores.level_shared", title=group.title, n=len(group.conditions))
        advice = sentence.cut_first(places.find_advice(group))
        yield show.h(
            "{} <strong>{}</strong> {}",
            show.sign_severity(group.severity),
            advice,
            show.link("findings", text, severity=group.severity, code=group.code),
        )


def _count_unfair(lines: Sequence[Line], fairness: Sequence[Fairness]) -> Iterator[Markup]:
    """Yield how many pairs may not be compared whatever their scores are."""
    count = sum(of_line.kind == "unfair" for of_line in fairness)
    if count:
        text = t("scores.level_unfair", n=count, all=len(lines))
        yield show.h('<span class="rb-bad" aria-hidden="true">✕</span> {}', text)


def _link_criteria(table: ScoreTable, workspace: Workspace, view: View, sides: set[ConditionKey]) -> Iterator[Markup]:
    """Yield the other criteria under which the means of these conditions differ; else that there are none."""
    columns = [
        column for column in matrix.list_columns(table, workspace, view) if column.criterion.name != view.criterion.name
    ]
    differing = []
    for column in columns:
        mean_values = [row.mean for side, row in column.rows.items() if side in sides and row.mean is not None]
        low, high = means.format_mean(min(mean_values, default=0)), means.format_mean(max(mean_values, default=0))
        if low != high:
            differing.append((column.criterion.name, low, high))
    for name, low, high in differing[:CRITERIA]:
        text = t("scores.level_criterion", criterion=name, low=low, high=high)
        yield drilldown.link(text, criterion=name)
    if not columns:
        yield show.h("{}", t("scores.level_alone"))
    elif not differing:
        names = ", ".join(column.criterion.name for column in columns)
        yield show.h("{}", t("scores.level_no_criterion", n=len(columns), criteria=names))


def _link_others(
    table: ScoreTable, rows: Sequence[Row], sides: set[ConditionKey], criterion: Criterion
) -> Iterator[Markup]:
    """Yield that conditions outside of these pairs have other means, as the way to compare with the best of them."""
    inside = {means.format_mean(row.mean) for row in rows if row.condition in sides}
    others = [row for row in rows if row.condition not in sides and row.mean is not None]
    others = [row for row in others if means.format_mean(row.mean) not in inside]
    if others:
        first = in_view.better_first(others, criterion)[0]
        name, mean = report.short(table, first.condition), means.format_mean(first.mean)
        text = t("scores.level_other", n=len(others), name=name, mean=mean)
        yield drilldown.link(text, by=None, baseline=format_address(table, first.condition))
