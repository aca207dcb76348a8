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


def sentence(audit: Audit, found: Sequence[Verdict], scored: Mapping[Pair, Answer]) -> Markup:
    """Whether the planned comparisons are fair, the first fault as a link to its places; of a single one which is
    better; then errors elsewhere. "" where nothing is planned.
    """
    if not found:
        return Markup("")
    wrong, unknown = ([one for one in found if one.kind == kind] for kind in ("unfair", "unknown"))
    here = "_sample" if audit.sample else ""
    if wrong:
        pair = wrong[0].pair
        key = "verdict.one_unfair" if len(wrong) == 1 else "verdict.some_unfair"
        said = show.h(t(key, pair="{pair}", wrong=len(wrong), all=len(found)), pair=link(pair))
        told = show.h("{} {}.", said, verdict.first(wrong[0]))
    elif unknown:
        fair = sum(one.kind in ("fair", "same") for one in found)
        others = t("verdict.rest_fair", n=fair) if fair else ""
        parts = (_unknown(unknown, len(found)), others, verdict.why(unknown[0], brief=True))
        told = show.join([show.h("{}", part) for part in parts if part], " ")
    else:
        told = show.h("{}", t(f"verdict.all_fair{here}", n=len(found)))
        if same := [one for one in found if one.kind == "same"]:
            told = show.h("{} {} {}.", told, t("verdict.some_same", n=len(same)), verdict.first(same[0]))
    hit = {(fault.code, side): fault.places for one in found for fault in one.faults for side in fault.sides[:1]}
    rest = audit.severities.get("error", 0) - sum(hit.values())
    key = "verdict.rest" if hit else "verdict.rest_only"
    better = scored.get(found[0].pair) if len(found) == 1 and not wrong and not unknown else None
    said = show.h("{}", t("overview.better_said", criterion=better.named, text=better.text) if better else "")
    return show.join([one for one in (told, said, t(key, n=rest) if rest > 0 and not unknown else "") if one], " ")


def _unknown(unknown: Sequence[Verdict], list_planned: int) -> Markup:
    """How many cannot be judged; one or two are named, each a link to it."""
    n, pairs = len(unknown), show.join([link(one.pair) for one in unknown], t("overview.and"))
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


def answers(workspace: Workspace, table: ScoreTable, found: Sequence[Verdict]) -> Mapping[Pair, Answer]:
    """What Scores says first of each planned comparison: under the first criterion, in the order of Scores, that the
    plan has for it, by the judge (or the judges together) that Scores begins with.
    """
    made: dict[Pair, Answer] = {}
    plan, kinds = list_planned(workspace), {one.pair: one.kind for one in found}
    for criterion in criterion_kinds.order_of(table, workspace) if plan else ():
        judge = next(iter(in_view.judges(table, criterion)), None)
        if judge is None or made.keys() == kinds.keys():
            break
        seen = in_view.shown(table, judge)
        named = t("overview.better_synthetic", criterion=criterion) if table.synthetic else criterion
        for line in in_view.of_plan(seen, plan, criterion, judge):
            a, b = (name_of(workspace, seen, key) or "" for key in (line.a, line.b))
            pair = next((one for one in kinds if {one.a, one.b} == {a, b}), None)
            if pair is not None and pair not in made:
                name = partial(report.short, seen)
                kind = "fair" if kinds[pair] == "same" else kinds[pair]  # the fault is said beside it
                text = conclusion.conclude(seen, line, kind).answer
                unfair = kind in ("unfair", "unknown")  # then no score answers anything
                told = ""
                if isinstance(line, Comparison) and not unfair:
                    told = " ".join(filter(None, (report.failing(line, name), report.doubtful(line))))
                made[pair] = Answer(criterion, judge, text, named, told)
    return made


def table_of(beside: DeltaGenerator, found: Sequence[Verdict], scored: Mapping[Pair, Answer]) -> None:
    """A row for each planned comparison: whether it is fair, why, and the way to lay both sides beside each other; and
    which is better, with the way to its scores. `beside` the heading goes what none of the verdicts looked at.
    """
    title = t("overview.planned")
    by_name = {_said(one.pair): one for one in found}
    once = verdict.unchecked(found) if len(found) > 1 else ()
    rows: list[Mapping[str, Any]] = [{"pair": name, "kind": one.kind} for name, one in by_name.items()]
    columns = [
        Column("pair", t("overview.planned_pair"), show=lambda row: link(by_name[row["pair"]].pair)),
        Column("kind", t("verdict.title"), show=lambda row: verdict.word(by_name[row["pair"]])),
        Column("why", t("verdict.why"), show=lambda row: _why(by_name[row["pair"]], scored, once)),
    ]
    if scored:
        said = dict.fromkeys(one.named for one in scored.values())
        head = t("overview.better", criterion=", ".join(said))
        columns.insert(2, Column("better", head, show=lambda row: _better(scored.get(by_name[row["pair"]].pair))))
    table.table("planned", columns, rows, caption=title, tools=len(rows) > table.PAGE)
    if once:
        with beside:
            show.draw(show.h('<p class="rb-small rb-beside">{}</p>', verdict.not_checked(once)))


def _why(one: Verdict, scored: Mapping[Pair, Answer], once: Collection[str]) -> Markup:
    """Why the prompts may be compared or not, and why the scores answer less than they could."""
    doubt = scored[one.pair].doubt if one.pair in scored else ""
    said = [show.h("{}", doubt), verdict.why(one, but=once)]
    return show.join([each for each in said if each], "<br>")


def _better(one: Answer | None) -> Markup:
    if one is None:
        return show.h("–")
    said = f"{one.text[:1].upper()}{one.text[1:]}."
    return show.link("scores", said, criterion=one.criterion, scored_by=one.judge)


def _said(pair: Pair) -> str:
    return t("overview.with", a=pair.a, b=pair.b)


def link(pair: Pair) -> Markup:
    """The pair as a link to Compare, both sides chosen."""
    return show.link("compare", _said(pair), **NONE, condition=pair.a, b_condition=pair.b)
