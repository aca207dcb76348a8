"""The one verdict on a comparison: what every page, command, report and notebook says of which condition is better.

It is made here, of the paired difference (its interval, its p corrected for all criteria and pairs, its size against
the scale), of scores that failed, are missing or in question, of how far the judges agree, and of whether the two may
be compared. Pages and commands draw it and add nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from readback.scores import criterion_kinds, in_view, summary
from readback.scores.certainty import is_too_narrow
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.comparing.winner import Best, find_best
from readback.scores.sentences import not_compared, report
from readback.scores.sentences.not_compared import NotCompared
from readback.scores.sentences.report import Line
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion, Workspace
from readback.words import t

UNCHECKED, NO_PROMPTS = "unchecked", ""
AGAINST = ("unfair", "unknown")  # fairness of which no score can make one side the better
Fair = Callable[[Comparison], str]  # the kind of the verdict on the prompts of a pair; `unchecked` before a check


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What is concluded of two conditions under one criterion by one judge, or by several together.

    `verdict` is that of the comparison, `blocked` where none may be made, or the `fairness` where that is `unfair` or
    `unknown`. `better` is the side that is clearly better, None where there is none. `answer` says it in a few words,
    `sentence` with its numbers. `caveat` is a sentence on what in the picture of a clear difference is less sure.
    """

    line: Line
    judge: str
    verdict: str
    fairness: str
    better: ConditionKey | None
    answer: str
    sentence: str
    caveat: str = ""

    @property
    def claim(self) -> str:
        """The answer with its criterion, as a whole sentence."""
        return t("scores.conclusion", criterion=self.line.criterion, text=self.answer)

    @property
    def headline(self) -> str:
        """The answer with its criterion, and its caveat."""
        return " ".join(filter(None, (self.claim, self.caveat)))


@dataclass(frozen=True, slots=True)
class BestOf:
    """What is concluded where several conditions were compared without a plan: the best one held against each other.

    `pairs` are the conclusions on those in which it scores clearly higher. `answer` is empty where nobody can say. With
    `by`, the conditions are the values of that factor, each over all conditions that have it.
    """

    criterion: str
    judge: str
    conditions: int
    answer: str
    leader: Best | None = None
    pairs: tuple[Conclusion, ...] = ()
    by: str | None = None

    @property
    def headline(self) -> str:
        """The answer with its criterion, as a whole sentence; of a factor after the question which value is best."""
        if not self.answer:
            return ""
        sentence = t("scores.conclusion", criterion=self.criterion, text=self.answer)
        if self.by and self.leader:
            return f"{t('scores.best_which', factor=self.by)} {sentence}"
        return sentence


def conclude(table: ScoreTable, line: Line, fairness: str) -> Conclusion:
    """Return the verdict on one comparison of a table (of a pool where the judge is one)."""
    name, criterion = partial(report.short, table), table.criteria[line.criterion]
    answer = report.answer(line, name, criterion, fairness)
    if isinstance(line, Blocked):
        return Conclusion(line, line.judge, "blocked", fairness, None, answer, "")
    against = fairness in AGAINST and line.verdict != "in question"
    clear = not against and report.is_clear(line)
    narrow = list_narrow_means(table, line) if clear else ()
    if narrow:
        caveat = t("scores.answer_narrow_means", n=len(narrow), name=name(narrow[0]))
    else:
        caveat = ""
    return Conclusion(
        line,
        line.judge,
        fairness if against else line.verdict,
        fairness,
        report.better_side(line, criterion) if clear else None,
        answer,
        report.sentence(line, name, criterion, below=fairness),
        caveat,
    )


def list_narrow_means(table: ScoreTable, line: Comparison) -> tuple[ConditionKey, ...]:
    """Return the sides of a comparison of which the interval of the mean is known to be too narrow. The difference does
    not rest on it: it is tested, and its interval computed, from the differences on shared questions.
    """
    rows = summary.rows(table, criterion=line.criterion, judge=line.judge)
    sides = [row.condition for row in rows if row.condition in (line.a, line.b)]
    narrow = {row.condition for row in rows if is_too_narrow(row.share_of_one, row.method)}
    return tuple(side for side in sides if side in narrow)


def conclude_best(
    table: ScoreTable, workspace: Workspace, criterion: str, judge: str, fair: Fair, by: str | None = None
) -> BestOf | None:
    """Return which of several conditions is best, where no comparison was planned; None for fewer than two."""
    scale = table.criteria[criterion]
    rows = in_view.better_first(in_view.ranked(table, by, criterion, judge), scale)
    rows = tuple(row for row in rows if row.mean is not None)
    if len(rows) < 2:
        return None
    if len(rows) > compare.MOST:
        return BestOf(criterion, judge, len(rows), t("scores.best_many", n=len(rows)), by=by)
    first = rows[0].condition
    sides = {row.condition for row in rows}
    comparisons = _all_pairs(table, workspace, criterion, judge, by)
    pairs = [
        comparison if comparison.a == first else comparison.swap_sides()
        for comparison in comparisons
        if first in (comparison.a, comparison.b)
    ]
    leader = find_best([comparison for comparison in pairs if comparison.b in sides], scale)
    if leader is None:
        return BestOf(criterion, judge, len(rows), "", by=by)
    concluded = tuple(conclude(table, pair, fair(pair)) for pair in leader.clear)
    standing = tuple(conclusion.line for conclusion in concluded if conclusion.fairness not in AGAINST)
    unfair = len(concluded) - len(standing)
    checked = all(conclusion.fairness != UNCHECKED for conclusion in concluded)
    fair_leader = Best(leader.condition, standing, leader.open)  # type: ignore[arg-type]
    name = partial(report.short, table)
    answer = report.best(fair_leader, len(rows) - 1, name, checked=checked, unfair=unfair)
    return BestOf(criterion, judge, len(rows), answer, leader, concluded, by)


def _all_pairs(
    table: ScoreTable, workspace: Workspace, criterion: str, judge: str, by: str | None
) -> tuple[Comparison, ...]:
    return compare.compare(table, list_planned(workspace), by=by, criterion=criterion, judge=judge).comparisons


def conclude_all(
    table: ScoreTable, workspace: Workspace, fair: Fair, criterion: str | None = None
) -> Iterator[Conclusion | BestOf | NotCompared]:
    """Yield what is concluded under each criterion, in the order in which Scores shows them, by whom it shows first.

    Of a planned pair, and of two conditions, that is a Conclusion; of several unplanned ones a BestOf. Where scores
    are on several scales, or one condition has several judges, a NotCompared says so first.
    """
    seen_scales: set[str] = set()
    for name in criterion_kinds.order_of(table, workspace):
        judge = next(iter(in_view.judges(table, name)), None)
        if judge is None or criterion not in (None, name, name.removesuffix("_score")):
            continue
        scales = not_compared.find_scales(table, name)
        if scales is not None and scales.criterion not in seen_scales:
            seen_scales.add(scales.criterion)
            yield scales
        if scales is None and (alone := not_compared.find_alone(table, name)) is not None:
            yield alone
        view = in_view.get_judge_table(table, judge)
        by = in_view.find_first_factor(view, name, judge)
        concluded = conclude_criterion(view, workspace, name, judge, fair, by)
        if isinstance(concluded, BestOf):
            yield concluded
        else:
            yield from concluded or ()


def conclude_criterion(
    table: ScoreTable, workspace: Workspace, criterion: str, judge: str, fair: Fair, by: str | None = None
) -> tuple[Conclusion, ...] | BestOf | None:
    """Return what is concluded under one criterion by one judge; `table` is the one that is in view for this judge.

    These are the planned pairs, else the only pair there is, else which of several conditions is best; None where
    there are fewer than two.
    """
    lines: Sequence[Line] = in_view.of_plan(table, list_planned(workspace), criterion, judge)
    if not lines:
        lines = pair_alone(table, workspace, criterion, judge, by)
    if lines:
        return tuple(conclude(table, line, _fairness(line, fair)) for line in lines)
    return conclude_best(table, workspace, criterion, judge, fair, by)


def pair_alone(
    table: ScoreTable, workspace: Workspace, criterion: str, judge: str, by: str | None = None
) -> tuple[Line, ...]:
    """Return the only comparison there is, where two conditions were scored and none was planned; else nothing."""
    rows = [row for row in in_view.ranked(table, by, criterion, judge) if row.mean is not None]
    if len(rows) != 2:
        return ()
    compared = compare.compare(table, list_planned(workspace), by=by, criterion=criterion, judge=judge)
    sides = {row.condition for row in rows}
    both: tuple[Line, ...] = (*compared.comparisons, *compared.blocked)
    return tuple(line for line in both if {line.a, line.b} == sides and line.judge in (judge, ""))[:1]


def as_json(table: ScoreTable, conclusion: Conclusion | BestOf | NotCompared) -> dict[str, Any]:
    """Return a conclusion for scripts: names of conditions as sentences have them, the verdict, the answer."""
    if isinstance(conclusion, NotCompared):
        return not_compared.as_json(conclusion)
    if isinstance(conclusion, BestOf):
        clear = [report.short(table, each.better) for each in conclusion.pairs if each.better is not None]
        return {
            "criterion": conclusion.criterion,
            "judge": conclusion.judge or None,
            "a": None,
            "b": None,
            "conditions": conclusion.conditions,
            "by": conclusion.by,
            "verdict": "best of several",
            "better": clear[0] if clear and len(clear) == conclusion.conditions - 1 else None,
            "fairness": _stated(conclusion.pairs[0].fairness if conclusion.pairs else UNCHECKED),
            "answer": conclusion.answer,
        }
    line = conclusion.line
    return {
        "criterion": line.criterion,
        "judge": line.judge or None,
        "a": report.short(table, line.a),
        "b": report.short(table, line.b),
        "conditions": 2,
        "verdict": conclusion.verdict,
        "better": None if conclusion.better is None else report.short(table, conclusion.better),
        "fairness": _stated(conclusion.fairness),
        "answer": conclusion.answer,
        "sentence": conclusion.sentence or None,
    }


def list_conclusions(workspace: Workspace, table: ScoreTable, criterion: str | None = None) -> list[dict[str, Any]]:
    """Return every conclusion, or those under one criterion, as `as_json` writes them.

    Prompts are not looked at here: whether a comparison is fair is not checked, and each conclusion says so.
    """
    if not len(table.columns):
        return []
    kind = NO_PROMPTS
    if workspace.dataset is not None and workspace.conditions:
        kind = UNCHECKED
    concluded = conclude_all(table, workspace, lambda _: kind, criterion)
    return [as_json(in_view.get_judge_table(table, conclusion.judge), conclusion) for conclusion in concluded]


def _stated(fairness: str) -> str:
    if fairness not in (UNCHECKED, NO_PROMPTS):
        return fairness
    return "not checked"


def _fairness(line: Line, fair: Fair) -> str:
    if isinstance(line, Comparison):
        return fair(line)
    return NO_PROMPTS


def other_criteria(
    table: ScoreTable, workspace: Workspace, a: ConditionKey, b: ConditionKey, criterion: str, judge: str
) -> tuple[Comparison, ...]:
    """Return the same pair under the other criteria of the judge, with the p that it has everywhere.

    The pair is of two conditions, or of two values of one factor over all conditions.
    """
    by, baseline = _asked_as(table, a)
    pairs: list[Comparison] = []
    for name in criterion_kinds.order_of(table, workspace):
        if name == criterion:
            continue
        compared = compare.compare(
            table, list_planned(workspace), by=by, baseline=baseline, criterion=name, judge=judge
        )
        for comparison in compared.comparisons:
            if {comparison.a, comparison.b} == {a, b} and comparison.n_shared:
                pairs.append(comparison if comparison.a == a else comparison.swap_sides())
    return tuple({comparison.criterion: comparison for comparison in pairs}.values())


def sum_up_others(
    table: ScoreTable, workspace: Workspace, a: ConditionKey, b: ConditionKey, criterion: str, judge: str
) -> str:
    """Return in a sentence what the other criteria of the judge say of the pair; "" where there are none."""
    others = other_criteria(table, workspace, a, b, criterion, judge)
    if not others:
        return ""
    parts: list[str] = []
    rest = 0
    for conclusion in others:
        scale = table.criteria[conclusion.criterion]
        if report.is_clear(conclusion):
            better = report.better_side(conclusion, scale)
        else:
            better = None
        if better is None:
            rest += 1
            continue
        size = report.size(conclusion, scale)
        if size:
            size = t("scores.size_of", size=size)
        else:
            size = ""
        best_name = report.short(table, better)
        parts.append(t("scores.other_clear", criterion=conclusion.criterion, best=best_name, size=size))
    if rest:
        parts.append(t("scores.other_open", n=rest))
    return t("scores.other_criteria", n=len(others), found="; ".join(parts))


def _asked_as(table: ScoreTable, key: ConditionKey) -> tuple[str | None, str | None]:
    """Return the factor and the baseline under which `compare` compares this side with all others."""
    if key in table.columns.conditions:
        return None, table.label(key)
    if len(key) == 1:
        ((factor, value),) = key
        return factor, f"{factor}={value}"
    return None, None


def scale_of(table: ScoreTable, conclusion: Conclusion) -> Criterion:
    """Return the criterion of a conclusion."""
    return table.criteria[conclusion.line.criterion]
