"""How far the judges of a criterion agree, on the scores page: in one sentence, as a matrix, and answer by answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import charts, counts
from readback.scores.agreement.measured import Agreement, agreement
from readback.scores.criteria import MINUS, number
from readback.scores.stats import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui import score_chart, score_doors, score_said, score_view, show, table
from readback.ui.score_view import Chosen
from readback.ui.table import Column
from readback.ui.words import t

DISPUTED = 50  # answers that are listed


def draw(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The agreement on the criterion in view, over all its judges."""
    found = agreement(scored, view.criterion.name)
    if not found.pairs:
        show.draw(show.h("<p>{}</p>", t("scores.agreement_none")))
    else:
        show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small">{}</p>', _said(found), _how(found)))
        _confusion(found)
        table.table("judge_pairs", *_pairs(found), caption=t("scores.agreement_pairs"))
        table.table("leniency", *_leniency(found), caption=t("scores.agreement_leniency"))
        st.header(t("scores.agreement_disputed"), anchor=False)
        table.table("disputed", *_disputed(scored, found), caption=t("scores.agreement_disputed"))
    for one in found.flips:
        said = t("scores.agreement_flips", judge=one.judge or t("scores.no_judge"), n=one.answers, flipped=one.flipped,
                 share=100 * one.rate)  # fmt: skip
        show.draw(show.h("<p>{}</p>", said))


def _said(found: Agreement) -> str:
    alpha = found.alpha.get(found.headline)
    span = t("scores.interval", low=score_said.signed(found.interval[0]), high=score_said.signed(found.interval[1])
             ) if found.interval else t("scores.no_interval")  # fmt: skip
    return t("scores.agreement_said", metric=found.headline, alpha=score_said.signed(alpha), interval=span,
             units=found.units, ratings=found.ratings, judges=len(found.judges), disagreed=found.disagreed)  # fmt: skip


def _how(found: Agreement) -> str:
    others = ", ".join(f"{name} {score_said.signed(value)}" for name, value in found.alpha.items())
    return t("scores.agreement_how", alphas=others, single=found.single, method=found.method or "–",
             seed=found.seed if found.seed is not None else "–")  # fmt: skip


def _confusion(found: Agreement) -> None:
    one = found.confusion
    if one is None:
        return
    names = tuple(number(value) for value in one.values)
    counted = counts.Counted((one.a, one.b), names, names, one.table)
    made = charts.confusion(counted, score_view.say, score_view.dark(), charts.WIDE)
    same = sum(one.table[at][at] for at in range(len(names)))
    said = t("scores.confusion_said", a=one.a, b=one.b, same=same, all=counted.n)
    score_chart.draw("more", made, said)


def _pairs(found: Agreement) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    rows: list[Mapping[str, Any]] = [
        {"a": one.a, "b": one.b, "n": one.n, "exact": one.exact, "kappa": one.kappa, "alpha": one.alpha}
        for one in found.pairs
    ]
    columns = (
        Column("a", t("scores.judge")),
        Column("b", t("scores.chart_other_judge")),
        Column("n", t("scores.n_title"), number=True),
        Column("exact", t("scores.agreement_exact"), number=True, show=lambda row: f"{100 * row['exact']:.0f} %"),
        Column("kappa", t("scores.chart_kappa"), number=True, show=lambda row: score_said.signed(row["kappa"])),
        Column("alpha", t("scores.agreement_alpha"), number=True, show=lambda row: score_said.signed(row["alpha"])),
    )
    return columns, rows


def _leniency(found: Agreement) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    rows: list[Mapping[str, Any]] = [
        {"judge": one.judge, "n": one.n, "mean": one.mean, "deviation": one.deviation, "interval": one.interval}
        for one in found.leniency
    ]
    columns = (
        Column("judge", t("scores.judge")),
        Column("n", t("scores.n_title"), number=True),
        Column("mean", t("scores.mean"), number=True, show=lambda row: score_said.mean(row["mean"])),
        Column("deviation", t("scores.agreement_deviation"), number=True,
               show=lambda row: score_said.plus(row["deviation"])),
        Column("interval", t("scores.interval_title"), number=True, show=_span),
    )  # fmt: skip
    return columns, rows


def _disputed(scored: ScoreTable, found: Agreement) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    rows: list[Mapping[str, Any]] = [
        {
            "item": one.item, "condition": scored.label(one.condition), "spread": one.spread,
            "values": ", ".join(f"{judge}: {number(value).replace('-', MINUS)}" for judge, value in one.values),
        }
        for one in found.disputed[:DISPUTED]
    ]  # fmt: skip
    columns = (
        Column("item", t("scores.record"), show=_to_record),
        Column("condition", t("scores.condition")),
        Column("spread", t("scores.agreement_spread"), number=True),
        Column("values", t("scores.agreement_values")),
    )
    return columns, rows


def _to_record(row: Mapping[str, Any]) -> Markup:
    return score_doors.link(row["item"], item=row["item"], arm=row["condition"])


def _span(row: Mapping[str, Any]) -> str:
    span = row["interval"]
    return "–" if span is None else t("scores.span", low=score_said.signed(span[0]), high=score_said.signed(span[1]))
