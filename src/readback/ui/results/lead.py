"""Render the first words of the scores page: what the planned comparisons say, and what the study expected of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from readback.checks import fair_pairs
from readback.html.templates import render_template
from readback.scores import conclusion, in_view, not_compared, report
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.conclusion import BestOf, Conclusion
from readback.scores.drawn_pairs import Pair
from readback.scores.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import Planned, ScoreTable
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.ui.common.state import caches, choice
from readback.ui.results import choices, means
from readback.ui.results.choices import View
from readback.words import t

FIRST = 3  # planned comparisons that are read at first sight


@dataclass(frozen=True, slots=True)
class Concluded:
    """What the first words of a view say, and whether each of its pairs is fair, in markup with the verdict's kind."""

    conclusions: Sequence[Conclusion] | BestOf | None
    fairness: Mapping[Pair, tuple[Markup, str]]


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """A planned comparison as the page shows it."""

    question: str
    answer: str
    sentence: str
    details: str  # what was expected, how it was tested, what warns
    fairness: Markup
    is_blocked: bool


def list_planned_lines(table: ScoreTable, workspace: Workspace, criterion: str, judge: str) -> tuple[Line, ...]:
    """Return the planned comparisons under one criterion by one judge, in the plan's order; blocked ones too."""
    return in_view.of_plan(table, compare.list_planned(workspace), criterion, judge)


def list_planned_criteria(workspace: Workspace) -> tuple[str, ...]:
    """Return the criteria that the plan names and the scores have."""
    return tuple(dict.fromkeys(name for plan in compare.list_planned(workspace) for name in plan.criteria))


def list_unscored_plans(table: ScoreTable, workspace: Workspace) -> tuple[tuple[Planned, str], ...]:
    """Return the planned comparisons that no score file speaks of, each with the name that has no scores."""
    return compare.list_absent(choices.get_file_table(table), compare.list_planned(workspace))


def conclude(table: ScoreTable, workspace: Workspace, view: View) -> Concluded:
    """Return what is concluded of the scores in view: the first words, charts and tables follow it."""
    fairness: dict[Pair, tuple[Markup, str]] = {}

    def judge_fairness(comparison: Comparison) -> str:
        markup, kind = _judge_fairness(table, workspace, comparison)
        fairness[frozenset((comparison.a, comparison.b))] = (markup, kind)
        return kind

    name = view.criterion.name
    conclusions = conclusion.conclude_criterion(table, workspace, name, view.judge, judge_fairness, view.by or None)
    return Concluded(conclusions, fairness)


def render_planned(table: ScoreTable, workspace: Workspace, concluded: Concluded, criterion: Criterion) -> Markup:
    """Return the planned comparisons: each question, what was expected, what was found and whether it is fair."""
    if concluded.conclusions is None or isinstance(concluded.conclusions, BestOf):
        return Markup("")
    lines = []
    for index, entry in enumerate(concluded.conclusions):
        fairness = concluded.fairness.get(frozenset((entry.line.a, entry.line.b)), (Markup(""), ""))[0]
        lines.append(_build_line(table, workspace, entry, fairness, criterion, first=index == 0))
    return render_template("ui/results/planned.html.jinja", t=t, lines=lines, first=FIRST)


def render_unplanned(
    table: ScoreTable, workspace: Workspace, rows: Sequence[Row], concluded: Concluded, view: View
) -> Markup:
    """Return what the scores say where nothing was planned.

    Of two conditions as of a planned pair, of a few which is best and how certain that is; then the range of the means.
    """
    scored = [row for row in rows if row.mean is not None]
    range_of_means = means.format_lead(table, rows, view.criterion)
    scales = not_compared.find_scales(choices.get_file_table(table), view.criterion.name)
    if scales is None:
        return _render_concluded(table, workspace, scored, concluded, view, range_of_means)
    headline = show.h('<p class="rb-lead"><strong>{}</strong></p>', scales.headline)
    if len(scored) < 2:
        return show.h("{}<p>{}</p>", headline, range_of_means)
    return headline + _render_concluded(table, workspace, scored, concluded, view, range_of_means)


def _render_concluded(
    table: ScoreTable,
    workspace: Workspace,
    scored: Sequence[Row],
    concluded: Concluded,
    view: View,
    range_of_means: str,
) -> Markup:
    """Return what is concluded of the conditions on one scale, and the range of their means."""
    if concluded.conclusions and not isinstance(concluded.conclusions, BestOf):
        pair = render_planned(table, workspace, concluded, view.criterion)
        return show.h('{}<p class="rb-small">{}</p>', pair, range_of_means)
    headline, rest = _find_best(table, scored, concluded, view)
    if not headline:
        return show.h('<p class="rb-lead">{}</p>', range_of_means)
    if not isinstance(rest, Markup):
        rest = show.h("<p>{}</p>", rest) if rest else Markup("")
    return show.h('<p class="rb-lead"><strong>{}</strong></p>{}<p>{}</p>', headline, rest, range_of_means)


def _find_best(table: ScoreTable, rows: Sequence[Row], concluded: Concluded, view: View) -> tuple[str, Markup | str]:
    """Return which of the rows is best, and what is not counted for it or not known yet; "" where nobody can say."""
    if not rows:
        return "", ""
    if len(rows) < 2:
        alone = not_compared.find_alone(choices.get_file_table(table), view.criterion.name)
        return (t("scores.best_alone") if alone is None else alone.headline), ""
    best = concluded.conclusions
    if not isinstance(best, BestOf) or not best.answer:
        return "", ""
    if best.leader is None:
        has_factors = choices.list_factors(table, view.criterion.name, view.judge)
        return best.headline, t("scores.best_factor") if has_factors else ""
    headline = best.headline
    if view.by:
        headline = f"{t('scores.best_which', factor=view.by)} {headline}"
    unfair = []
    for markup, kind in concluded.fairness.values():
        if kind == conclusion.UNCHECKED and markup:
            return headline.lstrip(), markup
        if kind in conclusion.AGAINST:
            unfair.append(markup)
    if not unfair:
        return headline.lstrip(), ""
    return headline.lstrip(), show.h("<p>{}</p>{}", t("scores.best_unfair", n=len(unfair)), unfair[0])


def _build_line(
    table: ScoreTable, workspace: Workspace, entry: Conclusion, fairness: Markup, criterion: Criterion, *, first: bool
) -> PlannedLine:
    line = entry.line
    plan, name = line.planned, partial(report.short, table)
    question = t("scores.pair", a=name(line.a), b=name(line.b))
    details = []
    if plan is not None:
        question = plan.question or plan.name or question
        if plan.expected:
            details.append(t("scores.expected", text=report.expected(line, name)))
    if isinstance(line, Blocked):
        answer = ""
        sentence = t("scores.blocked_line", why=choices.format_reasons(line.why))
    else:
        answer, kind = entry.headline, entry.fairness
        sentences = [entry.sentence]
        if first:
            sentences.append(conclusion.sum_up_others(table, workspace, line.a, line.b, line.criterion, line.judge))
        sentences += [report.not_shown(line, name, criterion, kind), report.doubtful(line, kind)]
        sentence = " ".join(filter(None, sentences))
        details += [report.tested(line), report.power(line, kind)]
    if plan is not None:
        details.append(plan.warning)
    return PlannedLine(
        question, answer, sentence, " · ".join(filter(None, details)), fairness, isinstance(line, Blocked)
    )


def _judge_fairness(table: ScoreTable, workspace: Workspace, comparison: Comparison) -> tuple[Markup, str]:
    """Return whether a pair is fair, and the difference on the records that its errors do not touch.

    The second value is the kind of the verdict, "unchecked" before a check and "" where none can be given.
    """
    if workspace.dataset is None or not workspace.conditions:
        return show.h('<p class="rb-small rb-fair">{}</p>', t("scores.fair_no_prompts")), conclusion.NO_PROMPTS
    job = caches.audited(choice.key())
    audit = job.result if job is not None and job.ready.is_set() else None
    if audit is None or audit.stopped:
        link = show.link("overview", t("scores.fair_check"))
        return show.h('<p class="rb-small rb-fair">{} {}</p>', t("scores.fair_unchecked"), link), "unchecked"
    fairness = fair_pairs.fairness(workspace, choice.dataset(), audit, table, comparison)
    if fairness is None:
        return Markup(""), ""
    name = partial(report.short, table)
    parts = [_render_pair_count(comparison, fairness, name), verdict.line(fairness.verdict)]
    if fairness.verdict.faults:
        is_same = fairness.verdict.kind == "same"
        untouched = report.untouched(comparison, fairness.touched, fairness.untouched, name, same=is_same)
        if untouched:
            parts.append(show.h('<p class="rb-fair">{}</p>', untouched))
    return show.join(parts), fairness.verdict.kind


def _render_pair_count(comparison: Comparison, fairness: fair_pairs.Fairness, name: report.Name) -> Markup | str:
    """Return of two values of a factor how many pairs of conditions are compared, and how many of them are not fair."""
    if len(fairness.pairs) < 2 or fairness.verdict.kind in ("fair", "same"):
        return ""
    parts = []
    for kind in ("unfair", "unknown"):
        n = sum(pair.kind == kind for pair in fairness.pairs)
        if n:
            parts.append(t(f"scores.fair_factor_{kind}", n=n))
    factor = " and ".join(factor for factor, _ in comparison.a)
    names = {"a": name(comparison.a), "b": name(comparison.b), "factor": factor}
    sentence = t("scores.fair_factor", n=len(fairness.pairs), which=", and ".join(parts), **names)
    return show.h('<p class="rb-fair">{}</p>', sentence)
