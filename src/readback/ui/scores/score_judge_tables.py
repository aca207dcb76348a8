"""The tables of the agreement of judges on the scores page; an answer is a drill-down to its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from readback.scores import report
from readback.scores.agreement.judge_pairs import Pair, find_rated_units
from readback.scores.agreement.measures import Agreement, list_pairs
from readback.scores.agreement.ratings import collect_ratings
from readback.scores.criteria import MINUS, number
from readback.scores.table import ScoreTable
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports, table
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_drilldown_links, score_means
from readback.ui.scores.score_drilldown import address_of
from readback.words import t

DISPUTED = 50  # answers that are listed

Table = tuple[tuple[Column, ...], list[Mapping[str, Any]]]


def all_pairs(scored: ScoreTable, found: Agreement) -> None:
    """Which raters' pairs are shown, where not all, and a download of all."""
    if not found.judges_left:
        return
    shown = t("scores.agreement_left", n=found.raters - found.judges_left, all=found.raters)
    show.draw(show.h('<p class="rb-small">{}</p>', shown))
    name = found.criterion.name
    downloads.button(
        t("scores.agreement_all"),
        lambda: table.as_csv(*pairs(list_pairs(scored, name))),
        f"{exports.name('agreement', name)}.csv",
        "text/csv",
        key="all_pairs",
        on_click="ignore",
    )


def pairs(found: Sequence[Pair]) -> Table:
    """Every two judges: how often they give the same value, kappa and alpha."""
    rows: list[Mapping[str, Any]] = [
        {"a": _name(one.a), "b": _name(one.b), "n": one.n, "exact": one.exact, "kappa": one.kappa, "alpha": one.alpha}
        for one in found
    ]
    columns = (
        Column("a", t("scores.judge")),
        Column("b", t("scores.agreement_other")),
        Column("n", t("scores.n_title"), number=True),
        Column("exact", t("scores.agreement_exact"), number=True, show=lambda row: _share(row["exact"])),
        Column("kappa", t("scores.agreement_kappa"), number=True, show=lambda row: report.signed(row["kappa"])),
        Column("alpha", t("scores.agreement_alpha"), number=True, show=lambda row: report.signed(row["alpha"])),
    )
    return columns, rows


def leniency(found: Agreement) -> Table:
    """Each judge's mean on shared answers, and how far above the others it lies."""
    rows: list[Mapping[str, Any]] = [
        {"judge": _name(one.judge), "n": one.n, "mean": one.mean, "deviation": one.deviation, **_ends(one.interval)}
        for one in found.leniency
    ]
    columns = (
        Column("judge", t("scores.judge")),
        Column("n", t("scores.n_title"), number=True),
        Column("mean", t("scores.mean"), number=True, show=lambda row: score_means.mean(row["mean"])),
        Column("deviation", t("scores.agreement_deviation"), number=True,
               show=lambda row: report.plus(row["deviation"])),
        Column("low", t("scores.interval_title"), number=True, show=_span),
    )  # fmt: skip
    return columns, rows


def conditions(scored: ScoreTable, found: Agreement) -> Table:
    """Alpha in each condition, the least agreement first; the condition is a drill-down to its scores."""
    order = sorted(found.conditions, key=lambda one: (one.alpha is None, one.alpha or 0.0))
    rows: list[Mapping[str, Any]] = [
        {"condition": report.short(scored, one.condition), "units": one.units, "alpha": one.alpha,
         "of": address_of(scored, one.condition)}
        for one in order
    ]  # fmt: skip
    columns = (
        Column("condition", t("scores.condition"), show=_to_scores),
        Column("units", t("scores.n_title"), number=True),
        Column("alpha", t("scores.agreement_alpha"), number=True, show=lambda row: report.signed(row["alpha"])),
    )
    return columns, rows


def corrected(scored: ScoreTable, found: Agreement) -> Table:
    """Each judge's rate as it is and corrected, over all and in each condition."""
    rows: list[Mapping[str, Any]] = [
        {
            "judge": _name(one.judge), "person": one.person,
            "condition": t("scores.by_all") if one.condition is None else report.short(scored, one.condition),
            "n": one.n, "seen": one.pass_rate, "positives": one.positives, "negatives": one.negatives,
            "sensitivity": one.sensitivity, "specificity": one.specificity, "rate": one.rate, **_ends(one.interval),
        }
        for one in found.corrected
    ]  # fmt: skip
    columns = (
        Column("judge", t("scores.judge")),
        Column("condition", t("scores.condition")),
        Column("n", t("scores.n_title"), number=True),
        Column("seen", t("scores.corrected_seen"), number=True, show=lambda row: _share(row["seen"])),
        Column("rate", t("scores.corrected_rate"), number=True, show=lambda row: _share(row["rate"])),
        Column("low", t("scores.interval_title"), number=True, show=_percents),
        Column("person", t("scores.corrected_person")),
        Column("sensitivity", t("scores.corrected_sensitivity"), number=True,
               show=lambda row: _of(row["sensitivity"], row["positives"]), help=t("scores.corrected_sensitivity_help")),
        Column("specificity", t("scores.corrected_specificity"), number=True,
               show=lambda row: _of(row["specificity"], row["negatives"]), help=t("scores.corrected_specificity_help")),
    )  # fmt: skip
    return columns, rows


def disputed(scored: ScoreTable, found: Agreement) -> Table:
    """The answers that judges part over, the widest first."""
    rows: list[Mapping[str, Any]] = [
        {
            "item": one.item, "condition": scored.label(one.condition), "spread": one.spread,
            "values": ", ".join(f"{_name(judge)}: {_value(value)}" for judge, value in one.values),
        }
        for one in found.disputed[:DISPUTED]
    ]  # fmt: skip
    columns = (
        Column("item", t("scores.record"), show=_to_record),
        *_condition(scored),
        Column("spread", t("scores.agreement_spread"), number=True),
        Column("values", t("scores.agreement_values")),
    )
    return columns, rows


def drilldown_table(scored: ScoreTable, criterion: str, pair: tuple[str, str], a: str, b: str) -> Table:
    """The answers to which two judges gave these values, as the matrix writes them."""
    rated = collect_ratings(scored, criterion)
    scale = scored.criteria[criterion].values or tuple(sorted(set(rated.value.tolist())))
    by = {number(value): value for value in scale}
    units: Sequence[int] = find_rated_units(rated, pair, by[a], by[b]) if a in by and b in by else ()
    c = scored.columns
    rows: list[Mapping[str, Any]] = [
        {"item": c.items[rated.item[at]], "condition": scored.label(c.conditions[rated.condition[at]]),
         "a": by[a], "b": by[b]}
        for at in units
    ]  # fmt: skip
    columns = (
        Column("item", t("scores.record"), show=_to_record),
        *_condition(scored),
        Column("a", _name(pair[0]), number=True, show=lambda row: _value(row["a"])),
        Column("b", _name(pair[1]), number=True, show=lambda row: _value(row["b"])),
    )
    return columns, rows


def _condition(scored: ScoreTable) -> tuple[Column, ...]:
    return (Column("condition", t("scores.condition")),) if len(scored.columns.conditions) > 1 else ()


def _to_record(row: Mapping[str, Any]) -> Markup:
    return score_drilldown_links.step(row["item"], item=row["item"], arm=row["condition"])


def _to_scores(row: Mapping[str, Any]) -> Markup:
    return score_drilldown_links.link(row["condition"], of=row["of"], under="more")


def _name(judge: str) -> str:
    return judge or t("scores.no_judge")


def _value(value: float) -> str:
    return number(value).replace("-", MINUS)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _of(share: float | None, n: int) -> str:
    return "–" if share is None else f"{100 * share:.0f} % ({round(share * n):,}/{n:,})"


def _ends(span: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = span or (None, None)
    return {"low": low, "high": high}


def _span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))


def _percents(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=f"{100 * row['low']:.0f}", high=f"{100 * row['high']:.0f} %")
