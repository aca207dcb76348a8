"""Render the first words of Results: the answer in a sentence or two, and how it was worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from markupsafe import Markup

from readback.checks import fair_pairs
from readback.checks.comparisons import Verdict, differs
from readback.checks.groups import Group
from readback.checks.held_requests import count_held, describe_apart
from readback.checks.repeated_answers import describe_repeated
from readback.checks.summary import Audit
from readback.html.templates import render_template
from readback.scores import conclusion, in_view, leaders
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.conclusion import BestOf, Conclusion
from readback.scores.drawn_pairs import Pair, is_level, list_pairs
from readback.scores.sentences import not_compared, report, who_scored
from readback.scores.sentences.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import Planned, ScoreTable
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.ui.common.state import caches, choice
from readback.ui.common.state.choice import AT_ONCE
from readback.ui.common.state.work import PATIENCE, POLL, Job
from readback.ui.results import choices, drilldown, means
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.words import t

ANSWERED = 2  # planned comparisons that are all answered in words; of more the first is


@dataclass(frozen=True, slots=True)
class Fairness:
    """Whether a pair may be compared: the kind of the verdict ("unchecked" before a check, "" where none can be given),
    why in a few words, and the whole of it in paragraphs. `shared_findings` are the errors and warnings of both sides,
    `is_partial` says that something was not checked.
    """

    kind: str
    reason: Markup | str
    whole: Markup
    shared_findings: tuple[Group, ...] = ()
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Concluded:
    """What the first words of a view say, and whether each of its pairs is fair."""

    conclusions: Sequence[Conclusion] | BestOf | None
    fairness: Mapping[Pair, Fairness]


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """What is answered of a pair, or of the best of several: the question, the answer, and on how much it rests."""

    question: str
    answer: str
    rest: str


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
    fairness: dict[Pair, Fairness] = {}

    def judge_kind(comparison: Comparison) -> str:
        pair_fairness = judge_fairness(table, workspace, comparison)
        fairness[frozenset((comparison.a, comparison.b))] = pair_fairness
        return pair_fairness.kind

    name = view.criterion.name
    conclusions = conclusion.conclude_criterion(table, workspace, name, view.judge, judge_kind, view.by or None)
    return Concluded(conclusions, fairness)


def render_answer(
    table: ScoreTable, workspace: Workspace, rows: Sequence[Row], concluded: Concluded, view: View
) -> Markup:
    """Return the answer in a line or two, of the planned comparisons, else which condition is best; before it what
    speaks against deciding by it.
    """
    conclusions = concluded.conclusions
    audit = get_audit()
    scales = not_compared.find_scales(choices.get_file_table(table), view.criterion.name)
    if scales is None:
        lines = []
    else:
        lines = [AnswerLine("", scales.headline, "")]
    if audit is not None and (repeated := describe_repeated(audit)):
        lines.append(AnswerLine("", repeated, ""))
    if audit is not None and not compare.list_planned(workspace):
        requests = count_held(audit, 0)
        if requests is not None and requests.differing and (apart := describe_apart(audit, requests)):
            lines.append(AnswerLine("", apart, ""))
    if conclusions and not isinstance(conclusions, BestOf):
        ordered = sorted(conclusions, key=_rank)
        lines += [_answer_pair(table, each) for each in ordered[: ANSWERED if len(ordered) <= ANSWERED else 1]]
    elif scales is None or len([row for row in rows if row.mean is not None]) > 1:
        lines.append(_answer_best(table, rows, concluded, view))
    note = means.format_synthetic(choices.get_file_table(table))
    return render_template("ui/results/answer.html.jinja", t=t, lines=lines, note=note)


def describe_basis(table: ScoreTable, rows: Sequence[Row], concluded: Concluded, view: View) -> str:
    """Return what the answer rests on: who scored, and why it stands although scores are missing."""
    parts = [who_scored.describe(table, rows, view.criterion.name, view.judge)]
    conclusions = concluded.conclusions
    if conclusions and not isinstance(conclusions, BestOf):
        first = min(conclusions, key=_rank)
        if isinstance(first.line, Comparison) and first.better is not None:
            parts.append(report.failing(first.line, partial(report.short, table)))
    return " ".join(filter(None, parts))


def list_caveats(concluded: Concluded) -> Sequence[str]:
    """Return what is less sure in the means of the pairs of the answer."""
    if concluded.conclusions is None or isinstance(concluded.conclusions, BestOf):
        return ()
    return tuple(dict.fromkeys(entry.caveat for entry in concluded.conclusions if entry.caveat))


def _rank(entry: Conclusion) -> tuple[bool, bool]:
    """Order planned comparisons by what their answer says: a better side first, what may not be compared last."""
    return entry.better is None, entry.fairness in conclusion.AGAINST


def link_leaders(table: ScoreTable, workspace: Workspace, view: View) -> Markup:
    """Return which two conditions have the best means where the plan does not compare them, with the way to it."""
    first_two = leaders.find_unplanned_leaders(table, workspace, view.criterion.name, view.judge)
    if first_two is None:
        return Markup("")
    first, second = first_two
    text = t(
        "scores.leaders",
        first=report.short(table, first.condition),
        second=report.short(table, second.condition),
        mean=means.format_mean(first.mean),
        second_mean=means.format_mean(second.mean),
    )
    link = drilldown.link(t("scores.leaders_way"), by=None, baseline=format_address(table, second.condition))
    return show.h("{} {}", text, link)


def _answer_pair(table: ScoreTable, entry: Conclusion) -> AnswerLine:
    """Return the answer to one planned comparison, or about the only pair."""
    line = entry.line
    question = format_question(table, line)
    if isinstance(line, Blocked):
        return AnswerLine(question, t("scores.blocked_line", why=choices.format_reasons(line.why)), "")
    if entry.fairness == "fair":
        rest = t("scores.answer_fair")
    else:
        rest = ""
    return AnswerLine(question, entry.claim, rest)


def _answer_best(table: ScoreTable, rows: Sequence[Row], concluded: Concluded, view: View) -> AnswerLine:
    """Return which of several conditions is best; where nobody can say, the range of the means."""
    scored = [row for row in rows if row.mean is not None]
    range_of_means = means.format_lead(table, rows, view.criterion)
    headline = _find_best(table, scored, concluded, view)
    if headline and len(scored) < 2:
        rest = range_of_means
    elif headline and not is_level(list_pairs(concluded.conclusions)):
        rest = _describe_unplanned(concluded)
    else:
        rest = ""
    if headline and len(scored) > compare.MOST:  # nothing is concluded, and who is first is asked all the same
        first = in_view.better_first(scored, view.criterion)[0]
        name = report.short(table, first.condition)
        rest = f"{t('overview.lead_first', name=name, mean=means.format_mean(first.mean))} {rest}"
    return AnswerLine("", headline or range_of_means, rest)


def _describe_unplanned(concluded: Concluded) -> str:
    """Return that nothing was planned, and that fairness was not checked where a pair of the answer was not."""
    unchecked = any(fairness.kind in ("", "unchecked") for fairness in concluded.fairness.values())
    return t("scores.answer_unplanned_unchecked" if unchecked else "scores.answer_unplanned")


def format_question(table: ScoreTable, line: Line) -> str:
    """Return the question of a comparison: the plan's own words, else which of the two it is."""
    plan = line.planned
    pair = t("scores.pair", a=report.short(table, line.a), b=report.short(table, line.b))
    if plan is None:
        return pair
    return plan.question or plan.name or pair


def _find_best(table: ScoreTable, rows: Sequence[Row], concluded: Concluded, view: View) -> str:
    """Return which of the rows is best; "" where nobody can say."""
    if not rows:
        return ""
    if len(rows) < 2:
        alone = not_compared.find_alone(choices.get_file_table(table), view.criterion.name)
        if alone is None:
            return t("scores.best_alone")
        return alone.headline
    best = concluded.conclusions
    if not isinstance(best, BestOf) or not best.answer:
        return ""
    return best.headline


def list_exclusions(table: ScoreTable, concluded: Concluded, view: View) -> Iterator[str]:
    """Yield what is not counted for the best condition, and what would have to be chosen to compare."""
    best = concluded.conclusions
    if not isinstance(best, BestOf) or not best.answer:
        return
    if best.leader is None:
        if in_view.list_factors(table, view.criterion.name, view.judge):
            yield t("scores.best_factor")
        return
    unfair = [fairness for fairness in concluded.fairness.values() if fairness.kind in conclusion.AGAINST]
    if unfair:
        yield t("scores.best_unfair", n=len(unfair))


def render_working(
    table: ScoreTable,
    workspace: Workspace,
    line: Comparison,
    fairness: Fairness,
    criterion: Criterion,
    *,
    first: bool = False,
) -> Markup:
    """Return how the answer about a pair was worked out: its sentence, what was expected, its test, and whether it is
    fair; of the first pair also what the other criteria say.
    """
    name, plan = partial(report.short, table), line.planned
    sentences = [report.sentence(line, name, criterion, below=fairness.kind)]
    if first:
        sentences.append(conclusion.sum_up_others(table, workspace, line.a, line.b, line.criterion, line.judge))
    sentences += [report.not_shown(line, name, criterion, fairness.kind), report.doubtful(line, fairness.kind)]
    details = []
    if plan is not None and plan.expected:
        details.append(t("scores.expected", text=report.expected(line, name)))
    details += [report.tested(line), report.power(line, fairness.kind)]
    return render_template(
        "ui/results/working.html.jinja",
        sentence=" ".join(filter(None, sentences)),
        details=" · ".join(filter(None, details)),
        fairness=fairness.whole,
    )


def begin_check(workspace: Workspace) -> Job | None:
    """Return the check of the prompts, which is begun where it is short, and waited for no longer than a page waits;
    None where there is nothing to check or it takes somebody's wish.
    """
    if workspace.dataset is None or not workspace.conditions:
        return None
    opening = caches.dataset(*choice.key(), workspace)
    if not opening.ready.wait(PATIENCE) or opening.result is None or choice.size() > AT_ONCE:
        return None
    job = choice.audit_job()
    if job is not None:
        job.ready.wait(PATIENCE)
    return job


def await_check(job: Job | None) -> None:
    """Look whether a check that was not ready is ready now, and draw the page again when it is."""
    if job is not None and not job.ready.is_set():
        _watch(job)


@st.fragment(run_every=POLL)
def _watch(job: Job) -> None:
    if job.ready.is_set():
        st.rerun()
    if job.total:
        key = "verdict.awaited"
    else:
        key = "verdict.awaited_begun"
    show.draw(show.aloud(t(key, done=job.done, total=job.total), ended=t("frame.ended")))


def get_audit() -> Audit | None:
    """Return the check of the prompts; None before it was begun or while it runs, or where somebody stopped it."""
    job = caches.audited(choice.key())
    if job is None or not job.ready.is_set():
        return None
    audit: Audit | None = job.result
    if audit is None or audit.stopped:
        return None
    return audit


def judge_fairness(table: ScoreTable, workspace: Workspace, comparison: Comparison) -> Fairness:
    """Return whether a pair is fair, and the difference on the records that its errors do not touch."""
    if workspace.dataset is None or not workspace.conditions:
        whole = show.h('<p class="rb-small rb-fair">{}</p>', t("scores.fair_no_prompts"))
        return Fairness(conclusion.NO_PROMPTS, t("scores.reason_no_prompts"), whole)
    job, audit = caches.audited(choice.key()), get_audit()
    if audit is None:
        is_running = job is not None and not job.ready.is_set()
        link = show.link("overview", t("scores.fair_check"))
        whole = show.h('<p class="rb-small rb-fair">{} {}</p>', t("scores.fair_unchecked"), link)
        if is_running:
            reason = t("scores.reason_checking")
        else:
            reason = link
        return Fairness(conclusion.UNCHECKED, reason, whole)
    fairness = fair_pairs.fairness(workspace, choice.dataset(), audit, table, comparison)
    if fairness is None:
        return Fairness("", t("scores.reason_elsewhere"), Markup(""))
    name = partial(report.short, table)
    parts = [_render_pair_count(comparison, fairness, name), verdict.line(fairness.verdict)]
    if fairness.verdict.faults or fairness.untouched is not None:
        is_same = fairness.verdict.kind == "same"
        untouched = report.untouched(comparison, fairness.touched, fairness.untouched, name, same=is_same)
        if untouched:
            parts.append(show.h('<p class="rb-fair">{}</p>', untouched))
    change = _describe_change(table, workspace, comparison, fairness.verdict)
    reasons: tuple[Markup | str, ...] = (
        _explain(fairness.verdict),
        change,
        verdict.describe_touching(fairness.verdict, fairness.weighed_groups),
    )
    shared = [
        each.group
        for each in fairness.weighed_groups
        if each.group.severity != "info" and fairness.verdict.pair in each.both_sided
    ]
    reason = show.join([part for part in reasons if part], " ")
    is_partial = fairness.verdict.kind in ("fair", "same") and bool(verdict.name_unchecked(fairness.verdict))
    return Fairness(fairness.verdict.kind, reason, show.join(parts), tuple(shared), is_partial=is_partial)


def _explain(pair_verdict: Verdict) -> Markup | str:
    """Return why a pair may be compared or not: the first fault, or what is not known, or what differs."""
    if pair_verdict.kind == "unknown" and pair_verdict.missing:
        missing = pair_verdict.missing[0]
        return t(f"scores.reason_{missing.what}", side=missing.side)
    if pair_verdict.faults or pair_verdict.confounded:
        return verdict.first(pair_verdict)
    return differs(pair_verdict) or t("scores.reason_fair")


def _describe_change(table: ScoreTable, workspace: Workspace, comparison: Comparison, pair_verdict: Verdict) -> str:
    """Return what the prompt of the side that is named first has or lacks, where prompts were varied; else ""."""
    if pair_verdict.kind == "unknown" or pair_verdict.faults or pair_verdict.confounded or not differs(pair_verdict):
        return ""
    a, b = (find_workspace_name(workspace, table, key) for key in (comparison.a, comparison.b))
    if a is None or b is None:
        return ""
    change = caches.condition_change(*choice.key(), a, b, workspace)
    if change:
        return t("scores.reason_change", change=change)
    return ""


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
