"""The paired difference for each value of a record's field, on the scores page: exploratory, and adjusted for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from readback.scores import charts, report
from readback.scores.comparing import comparability
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.difference import FEW, decide
from readback.scores.slices.by_field import Slice, Sliced, slices
from readback.scores.slices.fields import fields
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.scores import (
    score_chart,
    score_drilldown,
    score_drilldown_links,
    score_drilldown_lists,
    score_means,
    score_view,
)
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_view import Chosen
from readback.words import t


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """A field, a condition, and for each value of the field its paired difference from the baseline."""
    known = {one.name: one for one in fields(workspace, scored).fields}
    if not known:
        show.draw(show.h("<p>{}</p>", t("scores.slices_none")))
        return
    name = score_view.pick("field", t("scores.field"), tuple(known))
    other = score_view.other(scored, rows, view, "slice_b")
    a, b = score_drilldown.key_of(scored, view.baseline), score_drilldown.key_of(scored, other)
    if a is None or b is None:
        return
    if why := comparability.find_obstacles(scored, a, b, view.criterion.name, view.judge):
        show.draw(show.h('<p class="rb-blocked">{}</p>', t("scores.blocked_line", why=score_view.reasons(why))))
        return
    found = slices(scored, known[name].of, view.criterion.name, view.judge, a, b)
    made = [_comparison(found, one) for one in found.slices]
    kept = [at for at, one in enumerate(made) if one.n_shared >= FEW]
    names = [found.slices[at].value for at in kept]

    def opens(point: Point) -> Mapping[str, str | None] | None:
        at = score_chart.place(point)
        if not at or at[0] >= len(kept):
            return None
        return {"of": other, "against": view.baseline, "and": str(kept[at[0]]), "under": "more"}

    used = {"rows": found.n - found.without, "without": found.without}
    methods = ", ".join(dict.fromkeys(one.method for one in made if one.method))
    tests = ", ".join(dict.fromkeys(one.p_method for one in made if one.p_method))
    how = t("scores.slices_how", method=methods, tests=tests, **used) if tests else t("scores.slices_how_few", **used)
    said = _said(scored, found, made, name)
    if len(kept) < len(made):
        said = f"{said} {t('scores.slices_undrawn', n=len(made) - len(kept), few=FEW)}"
    if kept:
        chart = charts.draw_forest([made[at] for at in kept], names, view.criterion, score_view.say, score_view.dark(),
                              baseline=report.short(scored, a))  # fmt: skip
        score_chart.draw("more", chart, said, how, opens)
    else:
        show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small">{}</p>', said, how))
    body = [
        {"value": one.value, "n": one.n, "mean_a": one.mean_a, "mean_b": one.mean_b, "p": one.p_adjusted}
        for one in found.slices
    ]
    columns = (
        Column("value", name),
        Column("n", t("scores.n_title"), number=True),
        Column("mean_b", report.short(scored, b), number=True, show=lambda row: score_means.mean(row["mean_b"])),
        Column("mean_a", report.short(scored, a), number=True, show=lambda row: score_means.mean(row["mean_a"])),
        Column("p", t("scores.p_title"), number=True, help=t("scores.p_slices"),
               show=lambda row: "–" if row["p"] is None else report.p_text(row["p"]).removeprefix("= ")),
    )  # fmt: skip
    table.table("slices", columns, body, caption=t("scores.view_slices"))


def listed(scored: ScoreTable, workspace: Workspace, view: Chosen) -> None:
    """The records of one value of the field under both conditions, for the drill-down that is open."""
    opened = score_drilldown_links.opened()
    known = {one.name: one for one in fields(workspace, scored).fields}
    name = st.query_params.get("field", "")
    of = known.get(name, next(iter(known.values()), None))
    a, b = (score_drilldown.key_of(scored, opened.get(key, "")) for key in ("against", "of"))
    at = opened["and"]
    if of is None or a is None or b is None or not at.isdecimal():
        return
    found = slices(scored, of.of, view.criterion.name, view.judge, a, b).slices
    value = found[int(at)].value if int(at) < len(found) else ""
    only = frozenset(item for item, kind in of.of.items() if kind == value)
    title = t("scores.slices_behind", field=of.name, value=value, b=report.short(scored, b),
              a=report.short(scored, a))  # fmt: skip
    score_drilldown_lists.pairs(scored, workspace, view.criterion.name, view.judge, opened, title, only)
    score_drilldown_links.close()


def _comparison(found: Sliced, one: Slice) -> Comparison:
    """A slice as the forest draws comparisons; what stands out does so after the adjustment too."""
    return decide(Comparison(
        found.a, found.b or found.a, found.criterion, found.judge, one.n, 0, 0, "too few", one.mean_a, one.mean_b,
        one.difference, one.interval, one.method, wins=one.wins, ties=one.ties, losses=one.losses, p=one.p,
        p_method=one.p_method, p_adjusted=one.p_adjusted, family=len(found.slices),
    ))  # fmt: skip


def _said(scored: ScoreTable, found: Sliced, made: Sequence[Comparison], name: str) -> str:
    """How many values stand out after the adjustment, and between what the differences lie."""
    apart = [one for one in made if one.verdict in ("b is higher", "a is higher")]
    known = [(one.difference, part.value) for one, part in zip(made, found.slices, strict=True)
             if one.difference is not None and one.verdict != "too few"]  # fmt: skip
    given = {"field": name, "n": len(made), "a": report.short(scored, found.a),
             "b": report.short(scored, found.b or found.a)}  # fmt: skip
    if not known:
        return t("scores.slices_few", **given)
    low, high = min(known), max(known)
    return t("scores.slices_said", apart=len(apart), low=report.plus(low[0]), low_value=low[1],
             high=report.plus(high[0]), high_value=high[1], few=len(made) - len(known), **given)  # fmt: skip
