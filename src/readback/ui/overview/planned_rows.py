"""The planned comparisons as rows of a picture: the question, both names, the difference on a zero line, the verdict
with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.checks.comparisons import Pair, Verdict, Weighed, differs, why
from readback.html.templates import render_template
from readback.scores.comparing.comparison import Comparison
from readback.scores.conclusion import AGAINST, Conclusion
from readback.scores.sentences import report
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.ui.overview import lead, paired
from readback.ui.overview.paired import Answer
from readback.ui.results import forest
from readback.ui.results.forest import Axis, Mark
from readback.words import t

SHOWN = 4  # rows at first; the others open below them
SIGNS: Mapping[str, str] = {"fair": "✓", "same": "≈", "unfair": "✕", "unknown": "?"}


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A planned comparison as it is drawn; `aloud` says what the mark shows. `is_open` tells that its scores give no
    answer: its number must not catch the eye, however fair it is.
    """

    kind: str
    question: str
    names: Markup
    verdict: Markup
    numbers: Markup
    outcome: str
    reason: Markup
    mark: Mark | None
    axis: Axis | None
    aloud: str
    is_open: bool


def draw(
    workspace: Workspace, judged: Sequence[Verdict], answers: Mapping[Pair, Answer], weighed_groups: Sequence[Weighed]
) -> None:
    """Draw a row for each planned comparison."""
    rows = [_build_row(workspace, each, answers.get(each.pair), weighed_groups) for each in judged]
    show.draw(
        render_template(
            "ui/overview/planned_rows.html.jinja",
            t=t,
            rows=rows[:SHOWN],
            more=rows[SHOWN:],
            has_marks=any(row.mark for row in rows),
        )
    )


def draw_unchecked(judged: Sequence[Verdict]) -> None:
    """Draw what none of the verdicts looked at, one click away."""
    if unchecked := verdict.not_checked(verdict.unchecked(judged)):
        text = '<details class="rb-small"><summary>{}</summary><p>{}</p></details>'
        show.draw(show.h(text, t("overview.unchecked_title"), unchecked))


def format_kind(kind: str) -> Markup:
    """Return a verdict on fairness as a chip: its sign, its words, its pattern."""
    return show.h(
        '<span class="rb-chip rb-chip-{}"><span aria-hidden="true">{}</span> {}</span>',
        kind,
        SIGNS[kind],
        t(f"overview.chip_{kind}"),
    )


def _build_row(
    workspace: Workspace, verdict_of_pair: Verdict, answer: Answer | None, weighed_groups: Sequence[Weighed]
) -> PlannedRow:
    pair, kind = verdict_of_pair.pair, verdict_of_pair.kind
    outcome, aloud, mark, axis, numbers = "", "", None, None, Markup("")
    label = _label(pair.b, pair.a)
    if answer is not None:
        concluded = answer.conclusion
        line = concluded.line
        outcome = _format_outcome(concluded)
        if isinstance(line, Comparison) and line.difference is not None:
            criterion = answer.view.criteria[answer.criterion]
            axis = forest.find_axis(answer.view, workspace, [line], criterion)
            mark = forest.place_mark(line, concluded.fairness, axis, criterion)
            number = report.plus(line.difference)
            size = report.format_difference(line.difference, criterion)
            if report.get_unit(criterion) > 1:
                size = t("scores.rate_points", by=size)
            both = show.h(
                '<strong>{}</strong> <span class="rb-pair-n">{}</span>', size, t("overview.questions", n=line.n_shared)
            )
            numbers = show.link("results", both, criterion=answer.criterion, scored_by=answer.judge)
            sides = (line.b, line.a)
            b, a = (find_workspace_name(workspace, answer.view, key) or report.short(answer.view, key) for key in sides)
            label = _label(b, a)
            aloud = t(
                "overview.bar_aloud",
                criterion=answer.criterion,
                a=b,
                b=a,
                number=number,
                interval=report.interval(line, turned=False),
            )
    touching = verdict.describe_touching(verdict_of_pair, weighed_groups)
    reason = show.h("{} {}", _explain(verdict_of_pair, answer), touching)
    return PlannedRow(
        kind,
        paired.find_question(workspace, pair),
        paired.link(pair, label),
        format_kind(kind),
        numbers,
        outcome,
        reason,
        mark,
        axis,
        aloud,
        answer is not None and (kind in AGAINST or not report.is_conclusive(answer.conclusion.line)),
    )


def _label(a: str, b: str) -> Markup:
    """Return what is compared with what, in the order of the number beside it: `a` minus `b`, as on Results."""
    return show.h("“{}”<br>{}", a, t("overview.versus", b=b))


def _format_outcome(concluded: Conclusion) -> str:
    """Return what was found of a pair that may be compared, in a sentence that names no side."""
    line = concluded.line
    if concluded.fairness in AGAINST:  # the chip has said so
        if report.includes_no_difference(line, concluded.fairness):
            return t("scores.also_open")
        return ""
    if isinstance(line, Comparison):
        text = report.outcome(line, concluded.fairness)
    else:
        text = concluded.answer
    return f"{text[:1].upper()}{text[1:]}."


def _explain(verdict_of_pair: Verdict, answer: Answer | None) -> Markup:
    """Return why the pair may be compared or not, and what makes its answer less sure."""
    if verdict_of_pair.kind == "fair":
        parts = [show.h("{}", differs(verdict_of_pair))]
    elif verdict_of_pair.kind == "unknown":
        short = lead.explain_missing(verdict_of_pair)
        whole = " ".join(why(verdict_of_pair))
        parts = [show.h('<span title="{}">{}.</span>', whole, f"{short[:1].upper()}{short[1:]}")]
    else:
        parts = [verdict.why(verdict_of_pair, brief=True)]
    if answer is not None and answer.doubt:
        parts.append(show.h("{}", answer.doubt))
    return show.join([part for part in parts if part], " ")
