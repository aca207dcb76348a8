"""The comparisons that the files plan: what is against each, said first and listed with a way to Compare."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from readback.checks.comparisons import Pair, Verdict
from readback.checks.fair_pairs import name_of
from readback.checks.summary import Audit
from readback.scores import conclusion, criterion_kinds, in_view, report
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table, verdict
from readback.ui.common.draw.table import Column
from readback.words import t

NAMED = 2  # comparisons that the first line names
NONE = dict.fromkeys(("mode", "adapter", "task", "judge"))  # a link to a condition leaves nothing else chosen


def sentence(audit: Audit, verdicts: Sequence[Verdict], scored: Mapping[Pair, Answer]) -> Markup:
    """Whether the planned comparisons are fair, the first fault as a link to its places; of a single one which is
    better; then errors elsewhere. "" where nothing is planned.
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
        key = "verdict.one_unfair" if len(wrong) == 1 else "verdict.some_unfair"
        better_sentence = show.h(t(key, pair="{pair}", wrong=len(wrong), all=len(verdicts)), pair=link(pair))
        fault_sentence = show.h("{} {}.", better_sentence, verdict.first(wrong[0]))
    elif unknown:
        fair = sum(verdict_of_pair.kind in ("fair", "same") for verdict_of_pair in verdicts)
        others = t("verdict.rest_fair", n=fair) if fair else ""
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
    key = "verdict.rest" if hit else "verdict.rest_only"
    better = scored.get(verdicts[0].pair) if len(verdicts) == 1 and not wrong and not unknown else None
    better_sentence = show.h(
        "{}", t("overview.better_said", criterion=better.named, text=better.text) if better else ""
    )
    return show.join(
        [
            verdict_of_pair
            for verdict_of_pair in (fault_sentence, better_sentence, t(key, n=rest) if rest > 0 and not unknown else "")
            if verdict_of_pair
        ],
        " ",
    )


def _unknown(unknown: Sequence[Verdict], list_planned: int) -> Markup:
    """How many cannot be judged; one or two are named, each a link to it."""
    n, pairs = len(unknown), show.join([link(verdict_of_pair.pair) for verdict_of_pair in unknown], t("overview.and"))
    if n > NAMED:
        return show.h("{}", t("verdict.some_unknown", n=n, all=list_planned))
    key = "verdict.one_unknown" if list_planned == 1 else "verdict.named_unknown"
    return show.h(t(key, n=n, all=list_planned, pairs="{pairs}"), pairs=pairs)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the scores say of a planned comparison that is fair or not: which is better, under which criterion, and by
    whom it was judged; `named` is the criterion, and that its scores are synthetic where they are, `doubt` for how
    many questions the judge gave no score, and why a difference is hardly clear.
    """

    criterion: str
    judge: str
    text: str
    named: str
    doubt: str = ""


def answers(workspace: Workspace, table: ScoreTable, verdicts: Sequence[Verdict]) -> Mapping[Pair, Answer]:
    """Return what Scores says first of each planned comparison: under the first criterion, in the order of Scores, that
    the plan has for it, by the judge (or the judges together) that Scores begins with.
    """
    answers_by_pair: dict[Pair, Answer] = {}
    plan, kinds = list_planned(workspace), {verdict_of_pair.pair: verdict_of_pair.kind for verdict_of_pair in verdicts}
    for criterion in criterion_kinds.order_of(table, workspace) if plan else ():
        judge = next(iter(in_view.judges(table, criterion)), None)
        if judge is None or answers_by_pair.keys() == kinds.keys():
            break
        view = in_view.get_judge_table(table, judge)
        named = t("overview.better_synthetic", criterion=criterion) if table.synthetic else criterion
        for line in in_view.of_plan(view, plan, criterion, judge):
            a, b = (name_of(workspace, view, key) or "" for key in (line.a, line.b))
            pair = next(
                (verdict_of_pair for verdict_of_pair in kinds if {verdict_of_pair.a, verdict_of_pair.b} == {a, b}), None
            )
            if pair is not None and pair not in answers_by_pair:
                name = partial(report.short, view)
                kind = "fair" if kinds[pair] == "same" else kinds[pair]  # the fault is said beside it
                text = conclusion.conclude(view, line, kind).answer
                unfair = kind in ("unfair", "unknown")  # then no score answers anything
                answer_text = ""
                if isinstance(line, Comparison) and not unfair:
                    answer_text = " ".join(filter(None, (report.failing(line, name), report.doubtful(line))))
                answers_by_pair[pair] = Answer(criterion, judge, text, named, answer_text)
    return answers_by_pair


def table_of(column: DeltaGenerator, verdicts: Sequence[Verdict], scored: Mapping[Pair, Answer]) -> None:
    """Draw a row for each planned comparison: whether it is fair, why, and the way to lay both sides beside each other;
    and which is better, with the way to its scores. `beside` the heading goes what none of the verdicts looked at.
    """
    title = t("overview.planned")
    by_name = {_capitalise(verdict_of_pair.pair): verdict_of_pair for verdict_of_pair in verdicts}
    once = verdict.unchecked(verdicts) if len(verdicts) > 1 else ()
    rows: list[Mapping[str, Any]] = [
        {"pair": name, "kind": verdict_of_pair.kind} for name, verdict_of_pair in by_name.items()
    ]
    columns = [
        Column("pair", t("overview.planned_pair"), show=lambda row: link(by_name[row["pair"]].pair)),
        Column("kind", t("verdict.title"), show=lambda row: verdict.word(by_name[row["pair"]])),
        Column("why", t("verdict.why"), show=lambda row: _why(by_name[row["pair"]], scored, once)),
    ]
    if scored:
        criteria = dict.fromkeys(verdict_of_pair.named for verdict_of_pair in scored.values())
        head = t("overview.better", criterion=", ".join(criteria))
        columns.insert(2, Column("better", head, show=lambda row: _better(scored.get(by_name[row["pair"]].pair))))
    table.table("planned", columns, rows, caption=title, tools=len(rows) > table.PAGE)
    if once:
        with column:
            show.draw(show.h('<p class="rb-small rb-beside">{}</p>', verdict.not_checked(once)))


def _why(verdict_of_pair: Verdict, scored: Mapping[Pair, Answer], once: Collection[str]) -> Markup:
    """Why the prompts may be compared or not, and why the scores answer less than they could."""
    doubt = scored[verdict_of_pair.pair].doubt if verdict_of_pair.pair in scored else ""
    reasons = [show.h("{}", doubt), verdict.why(verdict_of_pair, but=once)]
    return show.join([each for each in reasons if each], "<br>")


def _better(answer: Answer | None) -> Markup:
    if answer is None:
        return show.h("–")
    sentence_text = f"{answer.text[:1].upper()}{answer.text[1:]}."
    return show.link("results", sentence_text, criterion=answer.criterion, scored_by=answer.judge)


def _capitalise(pair: Pair) -> str:
    return t("overview.with", a=pair.a, b=pair.b)


def link(pair: Pair) -> Markup:
    """Return the pair as a link to Compare, both sides chosen."""
    return show.link("prompts", _capitalise(pair), **NONE, view="difference", condition=pair.a, b_condition=pair.b)
