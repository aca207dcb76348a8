"""The paired difference for each value of a record's field, on the scores page: exploratory, and adjusted for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback.scores.slices.by_field import slices
from readback.scores.slices.fields import fields
from readback.scores.stats import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui import score_behind, score_said, score_view, show, table
from readback.ui.score_behind import door
from readback.ui.score_view import Chosen
from readback.ui.table import Column
from readback.ui.words import t


def draw(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """A field, a condition, and for each value of the field its paired difference from the baseline."""
    known = {one.name: one for one in fields(shop, scored).fields}
    if not known:
        show.draw(show.h("<p>{}</p>", t("scores.slices_none")))
        return
    name = score_view.pick("field", t("scores.field"), tuple(known))
    doors = [door(scored, row.condition) for row in rows if door(scored, row.condition) != view.baseline]
    other = score_view.pick("b", t("scores.other_condition"), doors, lambda one: score_behind.called(scored, one), 360)
    first = score_behind.key_of(scored, view.baseline or door(scored, rows[0].condition))
    if first is None:
        return
    second = score_behind.key_of(scored, other) if other else None
    found = slices(scored, known[name].of, view.criterion.name, view.judge, first, second)
    body: list[Mapping[str, Any]] = [
        {
            "value": one.value, "n": one.n, "mean_a": one.mean_a, "mean_b": one.mean_b, "difference": one.difference,
            "low": one.interval[0] if one.interval else None, "high": one.interval[1] if one.interval else None,
            "p": one.p_adjusted,
        }
        for one in found.slices
    ]  # fmt: skip
    columns = (
        Column("value", name),
        Column("n", t("scores.n_title"), number=True),
        Column("mean_a", score_said.short(scored, first), number=True, show=lambda row: score_said.mean(row["mean_a"])),
        *((Column("mean_b", score_said.short(scored, second), number=True,
                  show=lambda row: score_said.mean(row["mean_b"])),) if second else ()),
        Column("difference", t("scores.difference"), number=True, show=lambda row: score_said.plus(row["difference"])),
        Column("low", t("scores.interval_title"), number=True, show=_span),
        Column("p", t("scores.p_title"), number=True, show=_p, help=t("scores.p_slices")),
    )  # fmt: skip
    show.draw(show.h("<p>{}</p>", t("scores.slices_said", field=name, n=len(found.slices), without=found.without)))
    table.table("slices", columns, body, caption=t("scores.view_slices"))


def _p(row: Mapping[str, Any]) -> str:
    return "–" if row["p"] is None else score_said.p_text(row["p"]).removeprefix("= ")


def _span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=score_said.signed(row["low"]), high=score_said.signed(row["high"]))
