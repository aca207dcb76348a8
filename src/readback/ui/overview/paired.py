"""The comparisons that the files plan: what is against each, said first and listed with a way to Compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from readback.checks.comparisons import Pair, Weighed, faults
from readback.checks.summary import Audit
from readback.ui.common import show, table
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
        pair = {"a": pairs[0].a, "b": pairs[0].b}
        return show.h("{}", t("overview.pair_right", **pair) if len(pairs) == 1 else t("overview.pairs_right"))
    sides = {side for pair in wrong for side in (pair.a, pair.b)}
    hit = sum(row.errors for row in audit.conditions if row.name in sides)
    known = {"places": t("overview.places", n=hit), "wrong": len(wrong), "all": len(pairs), **asdict(wrong[0])}
    key = "overview.pair_wrong" if len(wrong) == 1 else "overview.pairs_wrong"
    said = show.link("findings", t(key, n=sum(bool(one.with_finding) for one in errors), **known), severity="error")
    rest = audit.severities.get("error", 0) - hit
    return show.h("{} {}", said, t("overview.stopping_else", n=rest) if rest > 0 else "")


def table_of(found: Sequence[Weighed] | None, pairs: Sequence[Pair]) -> None:
    """A row for each planned comparison: its faults on one side only and on both, and the way to lay both beside."""
    title = t("overview.planned")
    rows: list[Mapping[str, Any]] = [_row(found, pair) for pair in pairs]
    by_name = {_said(pair): pair for pair in pairs}
    columns = [Column("pair", t("overview.planned_pair"), show=lambda row: link(by_name[row["pair"]]))]
    if found is not None:
        columns += [
            Column("one", t("overview.one_side"), number=True, help=t("overview.one_side_help")),
            Column("both", t("overview.both_sides"), number=True, help=t("overview.both_sides_help")),
        ]
    table.table("planned", columns, rows, caption=title)


def _row(found: Sequence[Weighed] | None, pair: Pair) -> Mapping[str, Any]:
    one, both = faults(found or (), pair)
    return {"pair": _said(pair), "one": one, "both": both}


def _said(pair: Pair) -> str:
    return t("overview.with", a=pair.a, b=pair.b)


def link(pair: Pair) -> Markup:
    """The pair as a link to Compare, both sides chosen."""
    return show.link("compare", _said(pair), **NONE, condition=pair.a, b_condition=pair.b)
