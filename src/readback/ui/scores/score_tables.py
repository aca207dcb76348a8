"""The scores page's tables under its charts: conditions and differences in numbers, every count a drill-down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from readback.checks.rules import finding
from readback.scores import report
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.criteria import MINUS
from readback.scores.summary_row import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.ui.common import show
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_drilldown_links, score_means
from readback.ui.scores.score_drilldown import address_of
from readback.words import t

Body = list[Mapping[str, Any]]
Table = tuple[tuple[Column, ...], Body]


def numbers(table: ScoreTable, rows: Sequence[Row]) -> Table:
    """The factors that vary, the mean with its interval, the counts, and how often each value was given."""
    factors = _factors(table, [row.condition for row in rows])
    values = sorted(
        dict.fromkeys(value for row in rows for value, _ in row.distribution),
        key=lambda value: float(value.split(" to ")[0]),  # a row may have only the values that it was given
    )
    named = tuple(Column(f"f_{name}", t("scores.condition") if name == "condition" else name) for name in factors)
    counts = (
        Column("mean", t("scores.mean"), number=True, show=lambda row: score_means.mean(row["mean"])),
        Column("low", t("scores.interval_title"), number=True, show=_span, help=t("scores.interval_help")),
        *(
            (Column("on_low", t("scores.on_scale_title"), number=True, show=_on_scale, help=t("scores.on_scale_help")),)
            if any(row.interval_on_scale for row in rows)
            else ()
        ),
        _count("n", t("scores.n_title"), state="scored"),
        _count("failed", t("scores.failed"), state="failed"),
        _count("missing", t("scores.missing"), state="missing"),
        *((_count("na", t("scores.na"), state="na"),) if any(row.not_applicable for row in rows) else ()),
    )
    each = tuple(_count(f"v_{v}", t("scores.value", value=v.replace("-", MINUS)), value=v) for v in values)
    columns = (*named, *counts, *each)
    body: Body = [
        {
            **{f"f_{name}": dict(row.condition).get(name, "") for name in factors},
            "mean": row.mean, "low": row.span[0] if row.span else None, "high": row.span[1] if row.span else None,
            "on_low": row.interval_on_scale[0] if row.interval_on_scale else None,
            "on_high": row.interval_on_scale[1] if row.interval_on_scale else None,
            "n": row.n, "failed": row.failed, "missing": row.missing, "na": row.not_applicable,
            **{f"v_{value}": n for value, n in row.distribution},
            "of": address_of(table, row.condition),
        }
        for row in rows
    ]  # fmt: skip
    return columns, body


def differences(table: ScoreTable, lines: Sequence[Comparison | Blocked]) -> Table:
    """Each comparison with its paired difference, its counts as drill-downs to the pairs, and its test; or why not.

    Where all are against one condition the heading names it; else a row names both sides.
    """
    factors = _factors(table, [one.b for one in lines])
    of_one = len({one.a for one in lines}) == 1
    names = tuple(Column(f"f_{name}", name) for name in factors) if len(factors) > 1 and of_one else ()
    columns = (
        *(() if of_one else (Column("a", t("scores.baseline_title")),)),
        *(() if names else (Column("b", t("scores.condition")),)),
        *names,
        Column("difference", t("scores.difference"), number=True, show=lambda row: _signed(row.get("difference"))),
        Column("low", t("scores.interval_title"), number=True, show=_span, help=t("scores.interval_help")),
        Column("wins", t("scores.higher"), number=True, show=lambda row: _pairs(row, "wins", "higher")),
        Column("ties", t("scores.same"), number=True, show=lambda row: _pairs(row, "ties", "same")),
        Column("losses", t("scores.lower"), number=True, show=lambda row: _pairs(row, "losses", "lower")),
        Column("n_shared", t("scores.shared"), number=True, show=lambda row: _pairs(row, "n_shared", None),
               help=t("scores.shared_help")),
        Column("p_adjusted", t("scores.p_title"), number=True, show=lambda row: _p(row.get("p_adjusted")),
               help=t("scores.p_help")),
        Column("kind", t("scores.kind"), show=_kind),
    )  # fmt: skip
    by_factor = ({f"f_{name}": dict(one.b).get(name, "") for name in factors} for one in lines)
    return columns, [{**_line(table, one), **named} for one, named in zip(lines, by_factor, strict=True)]


def _line(table: ScoreTable, one: Comparison | Blocked) -> Mapping[str, Any]:
    if isinstance(one, Blocked):
        why = " ".join(finding(diagnostic).message for diagnostic in one.why)
        sides = {"a": report.short(table, one.a), "b": report.short(table, one.b)}
        return {**sides, "kind": t("scores.blocked"), "why": why}
    low, high = one.span or (None, None)
    return {
        "a": report.short(table, one.a), "b": report.short(table, one.b),
        "difference": one.difference, "low": low, "high": high, "wins": one.wins,
        "ties": one.ties, "losses": one.losses, "n_shared": one.n_shared, "p_adjusted": one.p_adjusted,
        "kind": t("scores.kind_planned" if one.planned else "scores.kind_exploratory", n=one.family),
        "of": address_of(table, one.b), "against": address_of(table, one.a), "why": "",
    }  # fmt: skip


def _count(key: str, title: str, **to: str) -> Column:
    return Column(
        key, title, number=True, show=lambda row: score_drilldown_links.count(row.get(key) or 0, of=row["of"], **to)
    )


def _pairs(row: Mapping[str, Any], key: str, kept: str | None) -> Markup | str:
    if "of" not in row:
        return "–"
    return score_drilldown_links.count(row[key], of=row["of"], against=row["against"], kept=kept)


def _kind(row: Mapping[str, Any]) -> Markup | str:
    if not row["why"]:
        return str(row["kind"])
    return show.h('<span class="rb-blocked">{}: {}</span>', row["kind"], row["why"])


def _span(row: Mapping[str, Any]) -> str:
    if row.get("low") is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))


def _on_scale(row: Mapping[str, Any]) -> str:
    if row["on_low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["on_low"]), high=report.signed(row["on_high"]))


def _signed(value: float | None) -> str:
    return report.plus(value)


def _p(value: float | None) -> str:
    return "–" if value is None else report.p_text(value).removeprefix("= ")


def _factors(table: ScoreTable, conditions: Sequence[ConditionKey]) -> list[str]:
    there = list(dict.fromkeys(name for one in conditions for name, _ in one))
    varying = [name for name in there if len({dict(one).get(name) for one in conditions}) > 1]
    return varying or there[:1]
