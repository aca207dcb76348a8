"""The comparisons that the files plan: what is against each, and what the scores answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from readback.checks.comparisons import Pair, Verdict, Weighed
from readback.checks.summary import Audit
from readback.review.concluded import conclude_planned
from readback.scores import conclusion
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Blocked
from readback.scores.conclusion import Conclusion
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.words import t

NAMED = 2  # comparisons that the first line names
CLEAR = ("b is higher", "a is higher")
FOUND = (*CLEAR, "not separated", "equivalent", "constant")  # verdicts that say something of the difference
NONE = dict.fromkeys(("mode", "adapter", "task", "judge"))  # a link to a condition leaves nothing else chosen


def sentence(audit: Audit, verdicts: Sequence[Verdict]) -> Markup:
    """Whether the planned comparisons are fair, the first fault as a link to its places; then errors elsewhere. ""
    where nothing is planned.
    """
    if not verdicts:
        return Markup("")
    wrong, unknown = (
        [verdict_of_pair for verdict_of_pair in verdicts if verdict_of_pair.kind == kind]
        for kind in ("unfair", "unknown")
    )
    here = "_sample" if audit.sample else ""
    if wrong:
        pair = wrong[0].pair
        if len(wrong) == 1:
            key = "verdict.one_unfair"
        else:
            key = "verdict.some_unfair"
        better_sentence = show.h(t(key, pair="{pair}", wrong=len(wrong), all=len(verdicts)), pair=link(pair))
        fault_sentence = show.h("{} {}.", better_sentence, verdict.first(wrong[0]))
    elif unknown:
        fair = sum(verdict_of_pair.kind in ("fair", "same") for verdict_of_pair in verdicts)
        if fair:
            others = t("verdict.rest_fair", n=fair)
        else:
            others = ""
        parts = (_unknown(unknown, len(verdicts)), others, verdict.why(unknown[0], brief=True))
        fault_sentence = show.join([show.h("{}", part) for part in parts if part], " ")
    else:
        fault_sentence = show.h("{}", t(f"verdict.all_fair{here}", n=len(verdicts)))
        if same := [verdict_of_pair for verdict_of_pair in verdicts if verdict_of_pair.kind == "same"]:
            fault_sentence = show.h(
                "{} {} {}.", fault_sentence, t("verdict.some_same", n=len(same)), verdict.first(same[0])
            )
    hit = {
        (fault.code, side): fault.places
        for verdict_of_pair in verdicts
        for fault in verdict_of_pair.faults
        for side in fault.sides[:1]
    }
    rest = audit.severities.get("error", 0) - sum(hit.values())
    if hit:
        key = "verdict.rest"
    else:
        key = "verdict.rest_only"
    if rest > 0 and not unknown:
        rest_sentence = t(key, n=rest)
    else:
        rest_sentence = ""
    return show.join([part for part in (fault_sentence, rest_sentence) if part], " ")


def _unknown(unknown: Sequence[Verdict], list_planned: int) -> Markup:
    """How many cannot be judged; one or two are named, each a link to it."""
    n, pairs = len(unknown), show.join([link(verdict_of_pair.pair) for verdict_of_pair in unknown], t("overview.and"))
    if n > NAMED:
        return show.h("{}", t("verdict.some_unknown", n=n, all=list_planned))
    if list_planned == 1:
        key = "verdict.one_unknown"
    else:
        key = "verdict.named_unknown"
    return show.h(t(key, n=n, all=list_planned, pairs="{pairs}"), pairs=pairs)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the scores say of a planned comparison, fair or not: what is concluded of it under the first criterion of
    the plan, by the judge that Results begins with; `view` is the table it is concluded from, and `doubt` says for how
    many questions the judge gave no score, and why a difference is hardly clear.
    """

    criterion: str
    judge: str
    conclusion: Conclusion
    view: ScoreTable
    doubt: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether the pair may be compared and one side is clearly higher."""
        line = self.conclusion.line
        if isinstance(line, Blocked) or self.conclusion.fairness in conclusion.AGAINST:
            return False
        return report.is_clear(line)

    @property
    def is_conclusive(self) -> bool:
        """Whether the pair may be compared and its scores say something of the difference, be it that none is clear."""
        return self.conclusion.fairness not in conclusion.AGAINST and self.conclusion.verdict in FOUND


def answers(workspace: Workspace, table: ScoreTable, verdicts: Sequence[Verdict]) -> Mapping[Pair, Answer]:
    """Return what Results says first of each planned comparison, and what is to be doubted in it."""
    answers_by_pair = {}
    for pair, each in conclude_planned(workspace, table, verdicts).items():
        doubt = _find_doubt(each.view, each.conclusion.line, each.conclusion.fairness)
        answers_by_pair[pair] = Answer(each.criterion, each.judge, each.conclusion, each.view, doubt)
    return answers_by_pair


def _find_doubt(view: ScoreTable, line: Line, kind: str) -> str:
    if isinstance(line, Blocked) or kind in conclusion.AGAINST:  # then no score answers anything
        return ""
    name = partial(report.short, view)
    return " ".join(filter(None, (report.failing(line, name), report.doubtful(line))))


def find_question(workspace: Workspace, pair: Pair) -> str:
    """Return the question in words that the plan states for a pair, "" where it states none."""
    sides = {pair.a, pair.b}
    return next((plan.question for plan in list_planned(workspace) if plan.question and {plan.a, plan.b} == sides), "")


def describe_sides(workspace: Workspace, audit: Audit, weighed_group: Weighed) -> Markup:
    """Return on which side of which planned comparison a rule has findings, by its question as the way to both sides
    beside each other, and how many more there are; "" where it touches none.
    """
    hit = weighed_group.one_sided or weighed_group.both_sided
    if not hit:
        return Markup("")
    # the other side may have it elsewhere
    if audit.sample and weighed_group.one_sided:
        section = "sample"
    else:
        section = "overview"
    key = f"{section}.first_{'one' if weighed_group.one_sided else 'both'}"
    names = name_pair(hit[0])
    words = find_question(workspace, hit[0]) or t("overview.planned_pair")
    label = show.h('<span title="{}">{}<span class="rb-aloud"> ({})</span></span>', names, words, names)
    pair = link(hit[0], label)
    return show.h(t(f"{key}_more" if hit[1:] else key, n=len(hit) - 1, pair="{pair}"), pair=pair)


def name_pair(pair: Pair) -> str:
    """Return both names of a pair, the second versus the first: in the order of the difference on Results."""
    return t("overview.with", a=pair.b, b=pair.a)


def link(pair: Pair, label: Markup | str = "") -> Markup:
    """Return the pair as a link to both prompts beside each other."""
    return show.link(
        "prompts", label or name_pair(pair), **NONE, view="difference", condition=pair.a, b_condition=pair.b
    )
