"""How far the judges of a criterion agree, on the scores page: in sentences, charts and tables, answer by answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from readback.scores import charts, counts, report
from readback.scores.agreement.corrected_rates import CorrectedRate
from readback.scores.agreement.measures import Agreement, measure_agreement
from readback.scores.agreement.repeats import Flips
from readback.scores.criteria import MINUS, number
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.scores import (
    score_chart,
    score_drilldown,
    score_drilldown_links,
    score_judge_tables,
    score_view,
)
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_view import Chosen
from readback.words import t


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The agreement on the criterion in view, over all its judges."""
    found = measure_agreement(scored, view.criterion.name)
    if not found.pairs:
        show.draw(show.h("<p>{}</p>", t("scores.agreement_none")))
    else:
        show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small">{}</p>', _said(found), _how(found)))
        corrected(scored, found)
        _confusion(scored, found)
        _kappas(found)
        table.table("judge_pairs", *score_judge_tables.pairs(found.pairs), caption=t("scores.agreement_pairs"))
        score_judge_tables.all_pairs(scored, found)
        _leniency(found)
        _conditions(scored, found)
        title = t("scores.agreement_disputed")
        st.header(title, anchor=False)
        table.table("disputed", *score_judge_tables.disputed(scored, found), caption=title)
    repeats(found)


def listed(scored: ScoreTable, workspace: Workspace, view: Chosen) -> None:
    """The answers behind a cell of the matrix, both judges' values beside each other; for the open drill-down."""
    drilldown = score_drilldown_links.opened()
    found = measure_agreement(scored, view.criterion.name)
    pair = _pair(found, st.query_params.get("pair", ""))
    if pair is None:
        return
    a, b = (drilldown.get(key, "").replace("-", MINUS) for key in ("value", "and"))
    title = t("scores.agreement_behind", first=_name(pair[0]), a=a, second=_name(pair[1]), b=b)
    score_drilldown_links.heading(title)
    made = score_judge_tables.drilldown_table(
        scored, view.criterion.name, pair, drilldown.get("value", ""), drilldown.get("and", "")
    )
    table.table("confused", *made, caption=title)
    score_drilldown_links.close()


def _said(found: Agreement) -> str:
    alpha = found.alpha.get(found.headline)
    given = {"metric": found.headline, "units": found.units, "ratings": found.ratings, "judges": len(found.judges),
             "disagreed": found.disagreed}  # fmt: skip
    if alpha is None:
        return t("scores.agreement_undefined", **given)
    span = _interval(found.interval)
    return t("scores.agreement_said", alpha=report.signed(alpha), interval=span, **given)


def _how(found: Agreement) -> str:
    if found.alpha.get(found.headline) is None:
        return t("scores.agreement_how_none", single=found.single)
    others = ", ".join(f"{name} {report.signed(value)}" for name, value in found.alpha.items())
    return t("scores.agreement_how", alphas=others, single=found.single, method=found.method or "–",
             seed=found.seed if found.seed is not None else "–")  # fmt: skip


def _confusion(scored: ScoreTable, found: Agreement) -> None:
    """What two judges took for what; which two is a choice, where there are more."""
    names = {_drilldown(pair): pair for one in found.pairs for pair in [(one.a, one.b)]}
    if first := found.confusion:
        names = {_drilldown((first.a, first.b)): (first.a, first.b), **names}
        names = {drilldown: pair for drilldown, pair in names.items() if pair != (first.b, first.a)}
    chosen = score_view.pick("pair", t("scores.agreement_pair"), tuple(names), str, 480)
    one = measure_agreement(scored, found.criterion.name, pair=names[chosen]).confusion if chosen in names else None
    if one is None:
        return
    values = tuple(number(value) for value in one.values)
    counted = counts.Counted((one.a, one.b), values, values, one.table)
    made = charts.draw_confusion(counted, score_view.say, score_view.dark())

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        if len(at) < 2 or not one.table[at[0]][at[1]]:
            return None
        return {"of": score_drilldown.EVERY, "value": values[at[0]], "and": values[at[1]], "under": "more"}

    same = sum(one.table[at][at] for at in range(len(values)))
    share = 100 * same / counted.n if counted.n else 0.0
    said = t("scores.confusion_said", a=_name(one.a), b=_name(one.b), same=same, all=counted.n, share=share)
    score_chart.draw("more", made, said, t("scores.confusion_how", rows=counted.n), opens)


def _kappas(found: Agreement) -> None:
    """Every pair in one picture, from three judges on; a cell chooses its pair."""
    known = {frozenset((one.a, one.b)): one for one in found.pairs if one.kappa is not None}
    names = list(dict.fromkeys(name for one in known.values() for name in (one.a, one.b)))
    if len(names) < 3:
        return
    grid = [[known[pair].kappa if (pair := frozenset((a, b))) in known else None for b in names] for a in names]
    shown = [_name(name) for name in names]
    made = charts.draw_kappas(grid, shown, score_view.say, score_view.dark())
    low, high = (pick(known.values(), key=lambda one: one.kappa or 0.0) for pick in (min, max))

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        one = known.get(frozenset((names[at[0]], names[at[1]]))) if len(at) > 1 else None
        return {"pair": _drilldown((one.a, one.b))} if one else None

    given = {"low": report.signed(low.kappa), "high": report.signed(high.kappa)}
    said = t("scores.kappas_said", n=len(known), low_a=_name(low.a), low_b=_name(low.b), high_a=_name(high.a),
             high_b=_name(high.b), **given)  # fmt: skip
    weights = t(f"scores.kappa_{high.weights or 'none'}")
    how = t("scores.kappas_how", weights=weights, low=min(one.n for one in known.values()),
            high=max(one.n for one in known.values()))  # fmt: skip
    score_chart.draw("kappas", made, said, how, opens)


def _leniency(found: Agreement) -> None:
    if not found.leniency:
        return
    st.header(t("scores.agreement_leniency"), anchor=False)
    name = found.criterion.name
    rows = [
        Row((("judge", one.judge),), name, one.judge, one.n, 0, 0, 0, one.mean, (), one.mean_interval)
        for one in found.leniency
    ]
    made = charts.draw_leniency(rows, found.criterion, score_view.say, score_view.dark())
    high, low = (pick(found.leniency, key=lambda one: one.deviation) for pick in (max, min))
    said = t("scores.leniency_said", high=_name(high.judge), up=report.plus(high.deviation),
             up_span=_interval(high.interval), up_n=high.n, low=_name(low.judge),
             down=report.plus(low.deviation), down_span=_interval(low.interval), down_n=low.n)  # fmt: skip
    if report.plus(high.deviation) == report.plus(low.deviation):
        said = t("scores.leniency_same")

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        return {"of": score_drilldown.EVERY, "scored_by": found.leniency[at[0]].judge, "under": "more"} if at else None

    how = t("scores.leniency_how", rows=sum(one.n for one in found.leniency))
    score_chart.draw("leniency", made, said, how, opens)
    table.table("leniency", *score_judge_tables.leniency(found), caption=t("scores.agreement_leniency"))


def _conditions(scored: ScoreTable, found: Agreement) -> None:
    """Where they agree least and most."""
    known = [one for one in found.conditions if one.alpha is not None]
    if len(known) < 2:
        return
    title = t("scores.agreement_conditions")
    st.header(title, anchor=False)
    low, high = (pick(known, key=lambda one: one.alpha or 0.0) for pick in (min, max))
    said = t("scores.agreement_condition_said", low=report.short(scored, low.condition), low_n=low.units,
             low_alpha=report.signed(low.alpha), high=report.short(scored, high.condition),
             high_n=high.units, high_alpha=report.signed(high.alpha))  # fmt: skip
    show.draw(show.h("<p>{}</p>", said))
    table.table("agreement_conditions", *score_judge_tables.conditions(scored, found), caption=title)


def _interval(span: tuple[float, float] | None) -> str:
    if span is None:
        return t("scores.no_interval")
    return t("scores.interval", low=report.signed(span[0]), high=report.signed(span[1]))


def _drilldown(pair: tuple[str, str]) -> str:
    """How the address names two judges."""
    return " × ".join(map(_name, pair))


def _name(judge: str) -> str:
    return judge or t("scores.no_judge")


def _pair(found: Agreement, drilldown: str) -> tuple[str, str] | None:
    """The two judges that the address names, else those whose matrix is shown first."""
    for one in found.pairs:
        for pair in ((one.a, one.b), (one.b, one.a)):
            if _drilldown(pair) == drilldown:
                return pair
    return (found.confusion.a, found.confusion.b) if found.confusion else None


# How far a judge can be trusted alone, on the scores page: its rate put right by a person's labels, and its flips.


def corrected(scored: ScoreTable, found: Agreement) -> None:
    """What a person would have passed, where a person labelled."""
    if not found.corrected:
        return
    whole = [one for one in found.corrected if one.condition is None]
    show.draw(show.join([show.h('<p class="rb-said">{}</p>', line) for line in _rates(whole)]))
    show.draw(show.h('<p class="rb-small">{}</p>', t("scores.corrected_how")))
    table.table("corrected", *score_judge_tables.corrected(scored, found), caption=t("scores.corrected"))


def repeats(found: Agreement) -> None:
    """How often a judge that scored the same answer again gave it another score."""
    if found.flips:
        st.header(t("scores.agreement_repeats"), anchor=False)
        show.draw(show.join([show.h("<p>{}</p>", _flipped(one)) for one in found.flips]))


def _rates(whole: Sequence[CorrectedRate]) -> Iterator[str]:
    for one in whole:
        given = {"judge": one.judge or t("scores.no_judge"), "person": one.person,
                 "seen": 100 * one.pass_rate, "n": one.n, "labelled": one.positives + one.negatives}  # fmt: skip
        if one.rate is None:
            yield t("scores.corrected_not", **given)
        else:
            low, high = one.interval or (one.rate, one.rate)
            yield t("scores.corrected_said", rate=100 * one.rate, low=100 * low, high=100 * high, **given)


def _flipped(one: Flips) -> str:
    said = t("scores.agreement_flips", judge=one.judge or t("scores.no_judge"), n=one.answers, flipped=one.flipped,
             share=100 * one.rate)  # fmt: skip
    if one.judge_variance is None or one.answer_variance is None:
        return said
    both = one.judge_variance + one.answer_variance
    if not both:
        return said
    return f"{said} {t('scores.agreement_own_spread', share=100 * one.judge_variance / both)}"
