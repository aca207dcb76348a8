"""More views of the scores: one at a time, chosen by name, offered only where the files call for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from readback.scores.agreement.measures import list_measurable
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import address, show
from readback.ui.scores import (
    score_costs,
    score_drilldown_links,
    score_drilldown_lists,
    score_judges,
    score_lengths,
    score_pairwise,
    score_pairwise_list,
    score_reported,
    score_slices,
    score_view,
    score_views,
)
from readback.ui.scores.score_view import Chosen
from readback.words import t

OF_FILES = ("agreement", "duels", "reported")  # views of what the files have, whoever is in view
View = Callable[[ScoreTable, Workspace, Sequence[Row], Chosen], None]


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The row of views; only the chosen one is worked out."""
    found = offered(scored, workspace, view)
    if not found:
        return
    address.follow("view", "", ("", *found))
    st.session_state["view"] = st.session_state["view"] or None
    name = st.pills(t("scores.more"), list(found), key="view", format_func=lambda one: t(f"scores.view_{one}"),
                    on_change=_chosen)  # fmt: skip
    if name is not None and name in found:
        found[name](score_view.of_files(scored) if name in OF_FILES else scored, workspace, rows, view)
        if score_drilldown_links.is_open() and "under" in score_drilldown_links.opened():
            _listed(name, scored, workspace, view)


def offered(scored: ScoreTable, workspace: Workspace, view: Chosen) -> Mapping[str, View]:
    """The views that these files have something for."""
    factors = score_view.levels(scored, view.criterion.name, view.judge)
    every = score_view.of_files(scored)
    there = {
        "means": bool(view.baseline),  # else they are in sight already
        "effects": bool(factors),
        "heat": bool(factors),
        "joint": len(scored.columns.criteria) > 1,
        "lengths": score_lengths.possible(scored, workspace),
        "agreement": view.criterion.name in list_measurable(every),
        "slices": workspace.dataset is not None and bool(view.baseline),
        "costs": workspace.dataset is not None and bool(workspace.conditions),
        "duels": bool(every.outcomes),
        "reported": bool(every.reported),
    }
    views: Mapping[str, View] = {
        "means": score_views.means,
        "effects": score_views.effects,
        "heat": score_views.heat,
        "joint": score_views.joint,
        "lengths": score_lengths.draw,
        "agreement": score_judges.draw,
        "slices": score_slices.draw,
        "costs": score_costs.draw,
        "duels": score_pairwise.draw,
        "reported": score_reported.draw,
    }
    return {name: draw for name, draw in views.items() if there[name]}


def reported(scored: ScoreTable, workspace: Workspace, title: str) -> bool:
    """Show what files state without rows, means or outcomes side by side, where that is all there is."""
    if scored.outcomes:
        score_pairwise.shown(scored)
        if score_drilldown_links.is_open():
            score_pairwise_list.draw(scored)
    if scored.reported:
        show.draw(show.h("<p>{}</p>", title))
        score_reported.table_of(scored)
    return bool(scored.outcomes or scored.reported)


def _listed(name: str, scored: ScoreTable, workspace: Workspace, view: Chosen) -> None:
    """What the open drill-down of a view leads to."""
    if name == "agreement" and "and" in score_drilldown_links.opened():
        score_judges.listed(score_view.of_files(scored), workspace, view)
    elif name == "joint" and "and" in score_drilldown_links.opened():
        score_views.joint_list(scored, workspace, view)
    elif name == "slices" and "and" in score_drilldown_links.opened():
        score_slices.listed(scored, workspace, view)
    elif name == "costs" and "and" in score_drilldown_links.opened():
        score_costs.listed(scored, workspace, view)
    elif name == "duels":
        score_pairwise_list.draw(score_view.of_files(scored))
    else:
        score_drilldown_lists.draw(scored, workspace, view.criterion.name, view.judge)


def _chosen() -> None:
    address.put(view=st.session_state.get("view"))
    score_drilldown_links.go()
