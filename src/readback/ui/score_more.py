"""More views of the scores: one at a time, chosen by name, offered only where the files call for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from readback.scores.agreement.measured import possible
from readback.scores.stats import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui import address, score_costs, score_doors, score_judges, score_lists, score_slices, score_views, show
from readback.ui.score_view import Chosen
from readback.ui.words import t

View = Callable[[ScoreTable, Workspace, Sequence[Row], Chosen], None]


def draw(scored: ScoreTable, shop: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The row of views; only the chosen one is worked out."""
    found = offered(scored, shop, view)
    if not found:
        return
    address.follow("view", "", ("", *found))
    st.session_state["view"] = st.session_state["view"] or None
    name = st.pills(t("scores.more"), list(found), key="view", format_func=lambda one: t(f"scores.view_{one}"),
                    on_change=_chosen)  # fmt: skip
    if name is not None and name in found:
        found[name](scored, shop, rows, view)
        if score_doors.is_open() and "under" in score_doors.opened():
            score_lists.draw(scored, shop, view.criterion.name, view.judge)


def offered(scored: ScoreTable, shop: Workspace, view: Chosen) -> Mapping[str, View]:
    """The views that these files have something for."""
    there = {
        "means": bool(view.baseline),  # else they are in sight already
        "effects": len(scored.varying) > 1,
        "heat": len(scored.varying) > 1,
        "joint": len(scored.columns.criteria) > 1,
        "slope": bool(view.baseline),
        "agreement": view.criterion.name in possible(scored),
        "slices": shop.dataset is not None and bool(view.baseline),
        "costs": shop.dataset is not None and bool(shop.conditions),
        "duels": bool(scored.outcomes),
        "reported": bool(scored.reported),
    }
    views: Mapping[str, View] = {
        "means": score_views.means,
        "effects": score_views.effects,
        "heat": score_views.heat,
        "joint": score_views.joint,
        "slope": score_views.slope,
        "agreement": score_judges.draw,
        "slices": score_slices.draw,
        "costs": score_costs.draw,
        "duels": score_views.head_to_head,
        "reported": score_views.reported,
    }
    return {name: draw for name, draw in views.items() if there[name]}


def reported(scored: ScoreTable, shop: Workspace, title: str) -> bool:
    """Show the means that files state without rows, where that is all there is."""
    if not scored.reported:
        return False
    show.draw(show.h("<p>{}</p>", title))
    score_views.stated(scored)
    return True


def _chosen() -> None:
    address.put(view=st.session_state.get("view"))
    score_doors.go()
