"""The first sentence of the overview: who is ahead, by how much, and whether the two may be compared.

It says what `scores.conclusion` concludes and no more: of a comparison that is not fair, or of which that cannot be
told, no side is called better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from markupsafe import Markup

from readback.checks.comparisons import Pair, Verdict, verdicts, weighed
from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.scores import conclusion, in_view
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.conclusion import AGAINST, BestOf, Conclusion
from readback.scores.sentences import not_compared, report
from readback.scores.table import ScoreTable
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.ui.overview import paired
from readback.ui.overview.paired import Answer
from readback.ui.results import means
from readback.words import t

NAMED = 2  # planned comparisons that the first sentence names; the others are counted
FAIR = ("fair", "same")


def planned_answers(
    workspace: Workspace, judged: Sequence[Verdict], answers: Mapping[Pair, Answer]
) -> Sequence[Markup]:
    """Return what is known of the planned comparisons: of one or two a sentence each, of more the first and counts."""
    ordered = _order(judged, answers)
    named = _list_named(ordered)
    sentences = [_format_pair(workspace, each, answers.get(each.pair)) for each in named]
    if rest := ordered[len(named) :]:
        sentences.append(show.h("{}", _count(rest, answers)))
    return sentences


def list_stated_codes(judged: Sequence[Verdict], answers: Mapping[Pair, Answer]) -> frozenset[str]:
    """Return the rules whose findings the first sentence states: the first fault of each unfair pair that it names."""
    if answers:
        named = _list_named(_order(judged, answers))
    else:
        named = [each for each in judged if each.kind == "unfair"][:1]
    first_faults = [verdict.find_first_fault(each) for each in named if each.kind == "unfair"]
    return frozenset(fault.code for fault in first_faults if fault is not None)


def _order(judged: Sequence[Verdict], answers: Mapping[Pair, Answer]) -> list[Verdict]:
    return sorted(judged, key=lambda each: _rank(each, answers.get(each.pair)))


def _list_named(ordered: Sequence[Verdict]) -> Sequence[Verdict]:
    if len(ordered) <= NAMED:
        return ordered
    return ordered[:1]


def _rank(verdict_of_pair: Verdict, answer: Answer | None) -> int:
    """Answered ones first, the clear ones before the others; then those that are not fair or cannot be judged."""
    if verdict_of_pair.kind not in FAIR:
        return 2
    if answer is not None and answer.is_clear:
        return 0
    return 1


def _format_pair(workspace: Workspace, verdict_of_pair: Verdict, answer: Answer | None) -> Markup:
    pair = verdict_of_pair.pair
    if verdict_of_pair.kind == "unfair":
        unfair = show.h(t("verdict.one_unfair", pair="{pair}"), pair=paired.link(pair))
        return show.h("{} {}.", unfair, verdict.first(verdict_of_pair))
    if verdict_of_pair.kind == "unknown":
        question = paired.find_question(workspace, pair)
        if question:
            what = f"“{question}”"
        else:
            what = paired.name_pair(pair)
        if question:
            key = "overview.lead_unknown_question"
        else:
            key = "overview.lead_unknown_pair"
        return show.h(t(key, what="{what}"), what=paired.link(pair, what))
    if answer is None:
        key = "overview.lead_unscored"
        return show.h(t(key, pair="{pair}"), pair=paired.link(pair))
    if "sample" in verdict_of_pair.unchecked:
        sample = "_sample"
    else:
        sample = ""
    fairness = t(f"overview.lead_{verdict_of_pair.kind}{sample}")
    if answer.conclusion.verdict in paired.FOUND:
        suffix = fairness
    else:
        suffix = ""
    sentence = f"{compare_sides(answer.view, answer.conclusion, is_drawn=True)}{suffix}"
    return show.h("{}. {}", sentence, answer.doubt)


def compare_sides(view: ScoreTable, concluded: Conclusion, *, is_drawn: bool = False) -> str:
    """Return what is concluded of two conditions in a sentence without its full stop, both by their names; on how many
    shared questions, unless it is drawn as a row that says so.
    """
    line, name = concluded.line, partial(report.short, view)
    if isinstance(line, Blocked) or concluded.fairness in AGAINST or line.difference is None:
        return f"{t('overview.with', a=name(line.b), b=name(line.a))}: {concluded.answer}"
    criterion = view.criteria[line.criterion]
    if line.difference >= 0:
        high, low = (line.b, line.a)
    else:
        high, low = (line.a, line.b)
    size = report.size(line, criterion) or report.plus(abs(line.difference))
    if is_drawn:
        numbers = t("overview.numbers_drawn", size=size, criterion=line.criterion)
    else:
        numbers = t("overview.numbers", size=size, n=line.n_shared)
    if line.verdict not in paired.CLEAR:
        if line.verdict == "not separated":
            return t("overview.lead_open", a=name(line.b), b=name(line.a), numbers=numbers)
        names, n = t("overview.with", a=name(line.b), b=name(line.a)), t("scores.n_shared", n=line.n_shared)
        return f"{names}: {concluded.answer} ({n})"
    if not report.is_clear(line):
        kind = "narrow"
    elif line.small:
        kind = "small"
    else:
        kind = "clear"
    better = report.better_side(line, criterion)
    if better is None:
        return t(f"overview.lead_higher_{kind}", best=name(high), other=name(low), numbers=numbers)
    other = line.a if better == line.b else line.b
    return t(f"overview.lead_better_{kind}", best=name(better), other=name(other), numbers=numbers)


def explain_missing(verdict_of_pair: Verdict) -> str:
    """Return in a few words why it cannot be told whether a comparison is fair: the first reason."""
    missing = verdict_of_pair.missing[0]
    return t(f"overview.lead_missing_{missing.what}", side=missing.side)


def _count(rest: Sequence[Verdict], answers: Mapping[Pair, Answer]) -> str:
    counts: Counter[str] = Counter()
    for each in rest:
        answer = answers.get(each.pair)
        if each.kind not in FAIR:
            counts[each.kind] += 1
        elif answer is None:
            counts["unscored"] += 1
        else:
            counts["clear" if answer.is_clear else "open"] += 1
    if counts["open"] == len(rest):
        return t("overview.rest_all_open", n=len(rest))
    order = ("clear", "open", "unfair", "unknown", "unscored")
    parts = [t(f"overview.rest_{name}", n=counts[name]) for name in order if counts[name]]
    return t("overview.rest", n=len(rest), what=_enumerate(parts))


def _enumerate(parts: Sequence[str]) -> str:
    return t("overview.and").join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def unplanned_answer(workspace: Workspace, table: ScoreTable, audit: Audit) -> str:
    """Return what the scores say first where nothing was planned: of two conditions which is ahead, of several which is
    best, else why nobody can say. "" where nothing is scored.
    """
    first_pick = in_view.first(table, workspace)
    if first_pick is None:
        return ""
    criterion, judge = first_pick
    if (scales := not_compared.find_scales(table, criterion)) is not None:
        return scales.headline
    view = in_view.get_judge_table(table, judge)
    by = in_view.find_first_factor(view, criterion, judge)
    concluded = conclusion.conclude_criterion(
        view, workspace, criterion, judge, lambda comparison: _judge_pair(workspace, view, audit, comparison), by
    )
    if isinstance(concluded, BestOf):
        open_answer = t("scores.conclusion", criterion=criterion, text=t("scores.answer_open"))
        parts = [
            (not by and _name_none(view, concluded)) or concluded.headline or open_answer,
            _name_first(view, concluded),
            _add_fairness(workspace),
        ]
        return " ".join(filter(None, parts))
    if not concluded:
        alone = not_compared.find_alone(table, criterion)
        if alone:
            return alone.headline
        return t("scores.best_alone")
    pair = concluded[0]
    text = compare_sides(view, pair)
    if pair.fairness in FAIR:
        suffix = t(f"overview.lead_{pair.fairness}")
    else:
        suffix = ""
    if by:
        question = f"{t('scores.best_which', factor=by)} "
    else:
        question = ""
    return f"{question}{criterion}: {text}{suffix}. {_add_fairness(workspace)}".strip()


def _name_none(view: ScoreTable, concluded: BestOf) -> str:
    """Say without a word for one side that no condition is clearly ahead, where that is the answer; else nothing."""
    if concluded.leader is None:
        return ""
    name, others = report.short(view, concluded.leader.condition), concluded.conditions - 1
    if concluded.answer != t("scores.best_none", best=name, n=others):
        return ""
    return t("overview.lead_none", criterion=concluded.criterion, n=concluded.conditions, name=name)


def _name_first(view: ScoreTable, concluded: BestOf) -> str:
    """Name the condition that comes first by its mean, where there are too many to compare each with each."""
    if concluded.conditions <= compare.MOST:
        return ""
    rows = in_view.ranked(view, None, concluded.criterion, concluded.judge)
    first = in_view.better_first(rows, view.criteria[concluded.criterion])[0]
    return t("overview.lead_first", name=report.short(view, first.condition), mean=means.format_mean(first.mean))


def _add_fairness(workspace: Workspace) -> str:
    """Say that nobody looked whether the comparison is fair, where there are no prompts to look at."""
    if workspace.dataset is not None and workspace.conditions:
        return ""
    return t("scores.fair_no_prompts")


def _judge_pair(workspace: Workspace, view: ScoreTable, audit: Audit, comparison: Comparison) -> str:
    if workspace.dataset is None or not workspace.conditions:
        return conclusion.NO_PROMPTS
    a, b = (find_workspace_name(workspace, view, key) for key in (comparison.a, comparison.b))
    if a is None or b is None:
        return conclusion.NO_PROMPTS
    pair = Pair(a, b)
    return verdicts(audit, weighed(audit, groups(audit), (pair,)), (pair,))[0].kind
