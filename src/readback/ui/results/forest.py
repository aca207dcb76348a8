"""Draw the answered differences as the first thing seen: a line each on one zero line, with its numbers and whether the
two may be compared.

The picture is a table in HTML: it is there with the first words of the page, and a screen reader reads it as a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any

from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores import chart_sentences, charts, in_view
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Blocked, Compared, Comparison
from readback.scores.conclusion import AGAINST
from readback.scores.drawn_pairs import is_of_another, list_fairness
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import number
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.results import chart, choices, drilldown, lead
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.ui.results.lead import Concluded, Fairness
from readback.words import t

SHOWN = 6  # differences in sight where nothing was planned; the others are folded
JUDGED = 24  # of these the prompts are looked at as well, which takes its time for each
TICKS = 4  # parts of the axis, about
SIGNS: Mapping[str, str] = {"fair": "✓", "same": "≈", "unfair": "✕", "unknown": "?", "unchecked": "○", "": "–"}
UNLOOKED = Fairness("", "", Markup(""))


@dataclass(frozen=True, slots=True)
class ForestLine:
    """A difference as the picture shows it; `low`, `high` and `at` are places on the axis, in percent of its length.
    `is_quiet` says that its verdict on fairness must not look like an answer, since the scores give none, `is_partial`
    that something was not checked for it.
    """

    question: str
    a: str
    b: str
    warning: str
    look: str
    outcome: str
    difference: str
    interval: str
    n: Markup | str
    shared: str
    sign: str
    kind: str
    is_quiet: bool
    verdict: str
    reason: Markup | str
    working: Markup
    moved: Markup | str = ""
    is_partial: bool = False
    at: float | None = None
    low: float = 0.0
    high: float = 0.0
    blocked: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """How a difference is drawn: `look` is that of its mark; `at`, `low` and `high` are places on the axis in percent,
    `at` None where there is no difference.
    """

    look: str
    at: float | None = None
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of differences: its ends, its numbers with their places in percent, and what each side of 0 means."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    left: str
    right: str

    def find_place(self, value: float) -> float:
        """Return where a value is, in percent of the axis."""
        return round(100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 2)


def draw_forest(
    table: ScoreTable,
    workspace: Workspace,
    lines: Sequence[Line],
    concluded: Concluded,
    compared: Compared,
    view: View,
    basis: str,
) -> None:
    """Draw the planned differences, else those from the chosen baseline, and below them what they rest on."""
    criterion = view.criterion
    planned_count = sum(line.planned is not None for line in lines)
    is_planned = planned_count > 0
    comparisons = [line for line in lines if isinstance(line, Comparison)]
    axis = find_axis(table, workspace, lines, criterion)
    fairness = judge_lines(table, workspace, lines, concluded)
    entries = build_entries(table, workspace, lines, fairness, axis, criterion)
    count = planned_count + SHOWN
    sentence = describe_lines(table, lines, concluded, compared, criterion)
    show.draw(
        render_template(
            "ui/results/forest.html.jinja",
            t=t,
            title=_format_title(table, lines, criterion, is_planned=is_planned),
            sentence=sentence,
            basis=basis,
            is_told=not is_planned and (not comparisons or len(lines) > 1),
            other=""
            if is_planned or not is_of_another(compared, concluded.conclusions)
            else chart_sentences.name_other_baseline(table, compared, concluded.conclusions),
            points=_format_points(comparisons, criterion),
            axis=axis,
            lines=entries[:count],
            more=entries[count:],
            planned_count=planned_count,
            unplanned=t("scores.forest_unplanned", baseline=drilldown.name_drilldown(table, view.baseline)),
        )
    )
    collect_figure(table, lines, criterion, sentence)


def judge_lines(
    table: ScoreTable, workspace: Workspace, lines: Sequence[Line], concluded: Concluded
) -> tuple[Fairness, ...]:
    """Return whether each of these may be compared: of planned ones, and of the first JUDGED others."""
    judged = []
    for index, line in enumerate(lines):
        fairness = UNLOOKED
        if isinstance(line, Comparison) and (index < JUDGED or line.planned is not None):
            earlier = concluded.fairness.get(frozenset((line.a, line.b)))
            if earlier is None:
                fairness = lead.judge_fairness(table, workspace, line)
            else:
                fairness = earlier
        judged.append(fairness)
    return tuple(judged)


def build_entries(
    table: ScoreTable,
    workspace: Workspace,
    lines: Sequence[Line],
    fairness: Sequence[Fairness],
    axis: Axis,
    criterion: Criterion,
) -> list[ForestLine]:
    """Return these lines as a picture shows them; `fairness` says of each whether it may be compared."""
    return [
        _build_line(table, workspace, line, of_line, axis, criterion, is_first=index == 0)
        for index, (line, of_line) in enumerate(zip(lines, fairness, strict=True))
    ]


def collect_figure(table: ScoreTable, lines: Sequence[Line], criterion: Criterion, sentence: str) -> None:
    """Put the picture of these lines among those that can be taken along."""
    figure = charts.draw_forest(
        lines,
        [_name_pair(table, line) for line in lines],
        criterion,
        choices.say,
        choices.is_dark(),
        explain=_explain,
    )
    comparisons = [line for line in lines if isinstance(line, Comparison)]
    chart.collect("forest", figure, sentence, chart_sentences.how(comparisons))


def describe_lines(
    table: ScoreTable, lines: Sequence[Line], concluded: Concluded, compared: Compared, criterion: Criterion
) -> str:
    """Return in a sentence what these lines say: of planned ones the verdicts, else how many are higher and lower."""
    fairness_of = list_fairness(concluded.conclusions)
    planned = [line for line in lines if isinstance(line, Comparison) and line.planned is not None]
    if any(line.planned is not None for line in lines):
        return chart_sentences.describe_verdicts(table, planned, criterion, fairness_of)
    return chart_sentences.differences(table, compared, criterion, fairness_of)


def draw_picture(
    table: ScoreTable,
    workspace: Workspace,
    lines: Sequence[Line],
    criterion: Criterion,
    fairness: str = "",
    title: str = "",
) -> None:
    """Draw these differences alone, on another page, which says itself whether they are fair; `fairness` is the kind
    of its verdict, so that the words beside a difference are no answer where there can be none. A question that is the
    `title` of that page is not asked again.
    """
    comparisons = [line for line in lines if isinstance(line, Comparison)]
    axis = find_axis(table, workspace, lines, criterion)
    judged = Fairness(fairness, "", Markup(""))
    entries = build_entries(table, workspace, lines, [judged] * len(lines), axis, criterion)
    markup = render_template(
        "ui/results/forest.html.jinja",
        t=t,
        title=t("scores.forest_planned", criterion=criterion.name, n=len(lines)),
        planned_count=len(lines),
        sentence="",
        basis="",
        is_told=False,
        other="",
        points=_format_points(comparisons, criterion),
        axis=axis,
        lines=[replace(entry, question="") if entry.question == title else entry for entry in entries],
        more=[],
    )
    choices.draw_style()
    show.draw(show.h('<div class="rb-forest-alone">{}</div>', markup))


def _explain(diagnostic: Any) -> str:
    return choices.format_reasons([diagnostic])


def _name_pair(table: ScoreTable, line: Line) -> str:
    return t("report.minus", a=report.short(table, line.a), b=report.short(table, line.b))


def _format_title(table: ScoreTable, lines: Sequence[Line], criterion: Criterion, *, is_planned: bool) -> str:
    """Return what the picture shows: what was planned, or what the others are compared with."""
    if is_planned:
        planned_count = sum(line.planned is not None for line in lines)
        return t("scores.forest_planned", criterion=criterion.name, n=planned_count)
    if len(lines) == 1:
        return t("scores.forest_pair", criterion=criterion.name)
    return t("scores.forest_baseline", criterion=criterion.name, baseline=report.short(table, lines[0].a))


def _format_points(comparisons: Sequence[Comparison], criterion: Criterion) -> str:
    """Return what the differences are counted in: points of so many, where the scale has ends."""
    if criterion.scale == "binary":
        return t("scores.forest_rate")
    length = next((comparison.length for comparison in comparisons if comparison.length), None)
    if length is None:
        return t("scores.difference")
    return t("scores.forest_points", length=number(length))


def find_axis(table: ScoreTable, workspace: Workspace, lines: Sequence[Line], criterion: Criterion) -> Axis:
    """Return the axis of these differences: of planned ones that of the whole plan under their criterion, so that one
    difference has one picture on every page.
    """
    every = list(lines)
    if any(line.planned is not None for line in lines):
        every += in_view.of_plan(table, list_planned(workspace), criterion.name, lines[0].judge)
    return build_axis([line for line in every if isinstance(line, Comparison)], criterion)


def place_mark(line: Comparison, fairness: str, axis: Axis, criterion: Criterion) -> Mark:
    """Return the mark of a difference: open where there is no answer, be it that the two may not be compared."""
    if fairness in AGAINST:
        look = "open"
    else:
        look = find_mark(line, criterion)
    if line.difference is None:
        return Mark(look)
    low, high = map(axis.find_place, line.span or (line.difference, line.difference))
    return Mark(look, axis.find_place(line.difference), low, high)


def build_axis(comparisons: Sequence[Comparison], criterion: Criterion) -> Axis:
    """Return the axis that holds all intervals and 0, with what is better on which side."""
    low, high = charts.find_difference_range(comparisons, criterion)
    step = _choose_step(high - low)
    unit = report.get_unit(criterion)
    ticks = []
    for count in range(ceil(low / step), floor(high / step) + 1):
        value = count * step
        ticks.append((value, "0" if not count else _format_tick(value * unit)))
    left, right = {"up": ("worse", "better"), "down": ("better", "worse")}.get(criterion.direction, ("lower", "higher"))
    axis = Axis(low, high, (), t(f"scores.side_{left}"), t(f"scores.side_{right}"))
    places = tuple((axis.find_place(value), text) for value, text in ticks)
    return Axis(low, high, places, axis.left, axis.right)


def _format_tick(value: float) -> str:
    text = report.plus(round(value, 10))
    if "." in text:
        return text.rstrip("0").rstrip(".")
    return text


def _choose_step(length: float) -> float:
    """Return a round distance between two numbers of the axis."""
    rough = length / TICKS
    power = 10.0 ** floor(log10(rough))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough))


def _build_line(
    table: ScoreTable,
    workspace: Workspace,
    line: Line,
    fairness: Fairness,
    axis: Axis,
    criterion: Criterion,
    *,
    is_first: bool,
) -> ForestLine:
    plan = line.planned
    values: dict[str, Any] = {
        "question": (plan.question or plan.name) if plan is not None else "",
        **_name_sides(table, line),
        "warning": "" if plan is None else plan.warning,
    }
    if isinstance(line, Blocked):
        why = choices.format_reasons(line.why)
        return ForestLine(
            **values,
            look="blocked",
            outcome="",
            difference="",
            interval="",
            n="",
            shared="",
            sign="",
            kind="blocked",
            is_quiet=False,
            verdict="",
            reason="",
            working=Markup(""),
            blocked=t("scores.blocked_line", why=why),
        )
    mark = place_mark(line, fairness.kind, axis, criterion)
    return ForestLine(
        **values,
        look=mark.look,
        outcome=_format_outcome(line, fairness.kind),
        difference=report.format_difference(line.difference, criterion),
        interval=_format_interval(line, criterion),
        shared=t("scores.shared_questions", n=line.n_shared),
        n=drilldown.link_count(line.n_shared, of=format_address(table, line.b), against=format_address(table, line.a)),
        sign=SIGNS[fairness.kind],
        kind=fairness.kind or "none",
        is_quiet=fairness.kind in ("fair", "same") and not report.is_conclusive(line),
        verdict=_name_kind(fairness.kind),
        reason=fairness.reason,
        working=lead.render_working(table, workspace, line, fairness, criterion, first=is_first),
        moved=_link_moved(table, line, criterion),
        is_partial=fairness.is_partial,
        at=mark.at,
        low=mark.low,
        high=mark.high,
    )


def _name_sides(table: ScoreTable, line: Line) -> dict[str, str]:
    """Return what both sides are called; of many factors only those in which they differ."""
    a, b = dict(line.a), dict(line.b)
    differing = [factor for factor in b if a.get(factor) != b[factor]]
    if len(b) <= report.FEW or len(differing) == len(b) or not differing:
        return {"a": choices.name_condition(table, line.a), "b": choices.name_condition(table, line.b)}
    return {
        "a": " · ".join(a.get(factor) or t("scores.not_stated") for factor in differing),
        "b": " · ".join(f"{factor}={b[factor]}" for factor in differing),
    }


def _format_outcome(line: Comparison, fairness: str) -> str:
    """Return what was found in a few words: those of one without any difference have their count below the axis."""
    if line.verdict == "constant" and fairness not in AGAINST:
        return t("scores.outcome_constant")
    return report.outcome(line, fairness, by_chance=True)


def _link_moved(table: ScoreTable, line: Comparison, criterion: Criterion) -> Markup:
    """Return on how many records the first side is better, worse and the same, each as the way to these records."""
    scopes = {"of": format_address(table, line.b), "against": format_address(table, line.a)}
    if not line.wins and not line.losses:
        return drilldown.link(t("scores.moved_none", n=line.ties), **scopes)
    words = {"up": ("better", "worse"), "down": ("worse", "better")}.get(criterion.direction, ("higher", "lower"))
    counts = [(words[0], "higher", line.wins), (words[1], "lower", line.losses), ("same", "same", line.ties)]
    if criterion.direction == "down":
        counts[:2] = counts[1::-1]  # what is better comes first
    parts: list[Markup | str] = []
    for word, side, n in counts:
        label = t(f"scores.moved_{word}", n=n)
        parts.append(drilldown.link(label, **scopes, kept=side) if n else label)
    return show.join(parts, " · ")


def _name_kind(kind: str) -> str:
    """Return a verdict on fairness in the words of Overview; or that nobody looked."""
    if kind in ("fair", "same", "unfair", "unknown"):
        return t(f"overview.chip_{kind}")
    return t("scores.chip_unchecked" if kind else "scores.chip_none")


def find_mark(comparison: Comparison, criterion: Criterion) -> str:
    """Return how the mark of a difference looks: better or worse where that is clear, else open."""
    if not report.is_clear(comparison):
        return "open"
    if criterion.direction == "none":
        return "plain"
    if report.better_side(comparison, criterion) == comparison.b:
        return "better"
    return "worse"


def _format_interval(comparison: Comparison, criterion: Criterion) -> str:
    if comparison.span is None:
        return "–"
    digits = 1 if criterion.scale == "binary" else 2
    low, high = (report.signed(end * report.get_unit(criterion), digits) for end in comparison.span)
    return t("scores.span", low=low, high=high)


def list_lines(concluded: Concluded, exploratory: Sequence[Line], view: View) -> tuple[Line, ...]:
    """Return the differences that the answer is about: the planned pairs, else those with the baseline; below planned
    ones those with a baseline that somebody chose.
    """
    answered = tuple(_list_answered(concluded))
    if not answered:
        return tuple(exploratory)
    if not view.is_chosen:
        return answered
    pairs = {frozenset((line.a, line.b)) for line in answered}
    return (*answered, *(line for line in exploratory if frozenset((line.a, line.b)) not in pairs))


def _list_answered(concluded: Concluded) -> Iterator[Line]:
    if isinstance(concluded.conclusions, Sequence):
        for entry in concluded.conclusions:
            yield entry.line
