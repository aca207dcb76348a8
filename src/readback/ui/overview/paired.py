"""The comparisons that the files plan: what is against each, said first and listed with a way to Compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from readback.checks.comparisons import Pair, Weighed, faults
from readback.checks.summary import Audit
from readback.ui.common import sample_words, show, table
from readback.ui.common.table import Column
from readback.words import t

NONE = dict.fromkeys(("mode", "adapter", "task", "judge"))  # a link to a condition leaves nothing else chosen


def sentence(audit: Audit, found: Sequence[Weighed], pairs: Sequence[Pair]) -> Markup:
    """What stops a fair comparison, counted; then errors elsewhere. "" where nothing is planned."""
    errors = [one for one in found if one.group.severity == "error"]
    wrong = [pair for pair in pairs if any(pair in one.with_finding for one in errors)]
    if not pairs:
        return Markup("")
    if not wrong:
        key = "pair_right" if len(pairs) == 1 else "pairs_right"
        pair: dict[str, Any] = {"a": pairs[0].a, "b": pairs[0].b}
        sample = audit.sample
        said = t(f"sample.{key}", **pair, **sample_words.bound(sample)) if sample else t(f"overview.{key}", **pair)
        return show.h("{}", said)
    sides = {side for pair in wrong for side in (pair.a, pair.b)}
    hit = sum(row.errors for row in audit.conditions if row.name in sides)
    places = t("sample.places" if audit.sample else "overview.places", n=hit)
    known = {"places": places, "wrong": len(wrong), "all": len(pairs), **asdict(wrong[0])}
    key = "overview.pair_wrong" if len(wrong) == 1 else "overview.pairs_wrong"
    said = show.link("findings", t(key, n=sum(bool(one.with_finding) for one in errors), **known), severity="error")
    rest = audit.severities.get("error", 0) - hit
    return show.h("{} {}", said, t("overview.stopping_else", n=rest) if rest > 0 else "")


def table_of(audit: Audit, found: Sequence[Weighed], pairs: Sequence[Pair]) -> None:
    """A row for each planned comparison: its faults on one side only and on both, and the way to lay both beside."""
    title = t("overview.planned")
    rows: list[Mapping[str, Any]] = [_row(found, pair) for pair in pairs]
    by_name = {_said(pair): pair for pair in pairs}
    one, both = (sample_words.column(audit, t(f"overview.{key}")) for key in ("one_side", "both_sides"))
    columns = [
        Column("pair", t("overview.planned_pair"), show=lambda row: link(by_name[row["pair"]])),
        Column("one", one, number=True, help=t("overview.one_side_help")),
        Column("both", both, number=True, help=t("overview.both_sides_help")),
    ]
    table.table("planned", columns, rows, caption=title)


def _row(found: Sequence[Weighed], pair: Pair) -> Mapping[str, Any]:
    one, both = faults(found, pair)
    return {"pair": _said(pair), "one": one, "both": both}


def _said(pair: Pair) -> str:
    return t("overview.with", a=pair.a, b=pair.b)


def link(pair: Pair) -> Markup:
    """The pair as a link to Compare, both sides chosen."""
    return show.link("compare", _said(pair), **NONE, condition=pair.a, b_condition=pair.b)
