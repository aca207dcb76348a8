"""The further views of the scores page: means, main effects, two factors, two criteria, each record, stated means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import chart_sentences, charts, counts, report, summary
from readback.scores.comparing import comparability, paired_items
from readback.scores.comparing.difference import EXACT
from readback.scores.criteria import MINUS
from readback.scores.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.scores import (
    score_chart,
    score_drilldown,
    score_drilldown_links,
    score_drilldown_lists,
    score_means,
    score_view,
)
from readback.ui.scores.score_chart import Point
from readback.ui.scores.score_drilldown import address_of
from readback.ui.scores.score_view import Chosen
from readback.words import t

FEW = 60  # records that are drawn one by one
CLOSE = 1 / 3  # of the scale: means that lie closer get the colours for themselves, or they would look the same

Opened = dict[str, str | None]


def means(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The mean of each row with its interval, on the whole scale."""
    made = charts.draw_means(rows, score_view.names(scored, rows), view.criterion, score_view.say, score_view.dark())
    said = score_means.lead(scored, rows, view.criterion)
    score_chart.draw("more", made, said, chart_sentences.of_means(rows), _to(scored, rows))


def effects(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """Every value of every factor with its mean over all rows that share it."""
    by = _levels(scored, view)
    listed = [row for found in by.values() for row in found]
    made = charts.draw_effects(by, view.criterion, score_view.say, score_view.dark())
    widths = {factor: max(r.mean or 0 for r in found) - min(r.mean or 0 for r in found) for factor, found in by.items()}
    said = ""
    if widths:
        most = max(widths, key=widths.__getitem__)
        said = t("scores.effects_said", factor=most, by=report.signed(widths[most]), n=len(by))
    how = chart_sentences.of_means(next(iter(by.values()), ()))  # every factor takes the same scores apart
    score_chart.draw("more", made, said, how, _to(scored, listed))


def heat(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The mean of every pair of values of two factors."""
    factors = tuple(_levels(scored, view))
    with st.container(horizontal=True):
        down = score_view.pick("rows", t("scores.rows"), factors)
        rest = tuple(factor for factor in factors if factor != down)
        across = score_view.pick("columns", t("scores.columns"), rest)
    found = counts.heat(scored, down, across, view.criterion.name, view.judge)
    flat = [mean for line in found.means for mean in line if mean is not None]
    low, high = charts.find_axis_range(view.criterion, flat)
    near = len(flat) > 1 and max(flat) - min(flat) < CLOSE * (high - low)
    made = charts.draw_heat(found, view.criterion, score_view.say, score_view.dark(), whole=not near)

    def opens(point: Point) -> Opened | None:
        at = score_chart.place(point)
        if len(at) < 2:
            return None
        return {"of": f"{down}={found.rows[at[0]]} · {across}={found.columns[at[1]]}", "under": "more"}

    said = t("scores.heat_said", rows=down, columns=across, low=score_means.mean(min(flat, default=None)),
             high=score_means.mean(max(flat, default=None)))  # fmt: skip
    counted = [n for line in found.counts for n in line]
    how = [t("scores.distribution_method", rows=sum(counted))]
    if near:
        how.append(t("scores.heat_near"))
    if not found.same_items:
        how.append(t("scores.heat_items", low=min(counted), high=max(counted)))
    score_chart.draw("more", made, said, " ".join(how), opens)


def joint(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """How often the values of two criteria came together."""
    others = tuple(name for name in scored.columns.criteria if name != view.criterion.name)
    second = score_view.pick("second", t("scores.second"), others)
    found = counts.joint(scored, view.criterion.name, second, view.judge)
    made = charts.draw_joint(found, score_view.say, score_view.dark())
    cells = [(n, r, c) for r, line in enumerate(found.counts) for c, n in enumerate(line)]
    said = t("scores.joint_none")
    if found.n:
        n, r, c = max(cells)
        a, b = found.rows[r].replace("-", MINUS), found.columns[c].replace("-", MINUS)
        given = {"first": view.criterion.name, "a": a, "second": second, "b": b}
        said = t("scores.joint_said", n=n, all=found.n, share=100 * n / found.n, **given)

    def opens(point: Point) -> Opened | None:
        at = score_chart.place(point)
        if len(at) < 2 or not found.counts[at[0]][at[1]]:
            return None
        return {"of": "*", "value": found.rows[at[0]], "and": found.columns[at[1]], "under": "more"}

    score_chart.draw("more", made, said, t("scores.joint_method", n=found.n, left=found.left_out), opens)


def joint_list(scored: ScoreTable, workspace: Workspace, view: Chosen) -> None:
    """The scores behind a cell of two criteria, for the drill-down that is open."""
    now = st.query_params.to_dict()
    others = [name for name in scored.columns.criteria if name != view.criterion.name]
    second = now["second"] if now.get("second") in others else others[0]
    a, b = now.get("value", ""), now.get("and", "")
    cells = counts.joint_cells(scored, view.criterion.name, second, view.judge, a, b)
    called = t("scores.joint_behind", first=view.criterion.name, a=a.replace("-", MINUS), second=second,
               b=b.replace("-", MINUS))  # fmt: skip
    score_drilldown_lists.of_cells(scored, workspace, cells, called)


def slope(scored: ScoreTable, rows: Sequence[Row], view: Chosen, named: Sequence[Line] = ()) -> None:
    """Each record under the baseline and under one other condition, first of a pair that the first words name."""
    chosen = score_view.other(scored, rows, view, named=named)
    a, b = score_drilldown.key_of(scored, view.baseline), score_drilldown.key_of(scored, chosen)
    if a is None or b is None:
        return
    if why := comparability.find_obstacles(scored, a, b, view.criterion.name, view.judge):
        show.draw(show.h('<p class="rb-blocked">{}</p>', t("scores.blocked_line", why=score_view.reasons(why))))
        return
    found = paired_items.pair_items(scored, a, b, view.criterion.name, view.judge)
    if not found.items:
        show.draw(show.h("<p>{}</p>", t("scores.slope_none")))
        return
    sides = (score_drilldown.called(scored, view.baseline), score_drilldown.called(scored, chosen))
    apart = (found.b - found.a).round(EXACT)  # means of the same scores differ by rounding alone
    up, down = int((apart > 0).sum()), int((apart < 0).sum())
    same = len(found.items) - up - down
    moved = counts.transitions(found.a, found.b, view.criterion, None, sides)
    if len(found.items) <= FEW:
        made = charts.draw_dumbbells(
            found.items, found.a.tolist(), found.b.tolist(), sides, view.criterion, score_view.say, score_view.dark()
        )
    else:
        made = charts.draw_slope(moved, view.criterion, score_view.say, score_view.dark())
    said = t("scores.slope_said", n=len(found.items), a=sides[0], b=sides[1], up=up, down=down, same=same)

    def opens(point: Point) -> Opened | None:
        at = score_chart.place(point)
        one = found.items[at[0]] if len(at) == 1 and at[0] < len(found.items) else None
        return {"item": one, "arm": sides[1]} if one else {"of": chosen, "against": view.baseline}

    how = t("scores.slope_method", a=found.only_a, b=found.only_b)
    values = view.criterion.values
    if len(found.items) > FEW and not {*found.a.tolist(), *found.b.tolist()} <= set(values):
        how = f"{chart_sentences.drawn_moves(moved, in_steps=bool(values))} {how}".lstrip()
    score_chart.draw("each", made, said, how, opens)
    show.draw(_sides(view.baseline, chosen, up, same, down))


def _levels(scored: ScoreTable, view: Chosen) -> dict[str, tuple[Row, ...]]:
    """The rows of each factor that has more than one value among the scores in view."""
    by = {
        factor: tuple(row for row in found if all(value for _, value in row.condition))
        for factor, found in summary.main_effects(scored, view.criterion.name, view.judge).items()
    }
    return {factor: found for factor, found in by.items() if len(found) > 1}


def _sides(a: str, b: str, up: int, same: int, down: int) -> Markup:
    """The records that are higher, the same or lower, as drill-downs to their lists."""
    parts = [
        score_drilldown_links.link(t(f"scores.kept_{side}", n=n), of=b, against=a, kept=side)
        if n else t(f"scores.kept_{side}", n=n)
        for side, n in (("higher", up), ("same", same), ("lower", down))
    ]  # fmt: skip
    return show.h('<p class="rb-small">{} {}</p>', t("scores.slope_links"), show.join(parts, " · "))


def _to(scored: ScoreTable, rows: Sequence[Row]) -> Any:
    def opens(point: Point) -> Opened | None:
        at = score_chart.place(point)
        return {"of": address_of(scored, rows[at[0]].condition), "under": "more"} if at and at[0] < len(rows) else None

    return opens
