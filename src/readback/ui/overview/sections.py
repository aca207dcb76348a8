"""What is folded below the overview, in one line: what was loaded, problems, interfaces, made-up conversations."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from readback.checks.summary import Audit
from readback.records.dataset import Dataset
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw.head import loaded
from readback.ui.overview import facts, headline, overview, registry, requests_line
from readback.ui.prompts.one import training_row
from readback.ui.prompts.one.model_input import made_up
from readback.words import t


def draw(workspace: Workspace, data: Dataset | None, audit: Audit, scored: ScoreTable | None) -> None:
    """Draw the line of sections, all closed; each opens below it over the whole width."""
    with st.container(horizontal=True, key="overview_more"):
        with st.expander(t("overview.loaded"), expanded=_is_asked()):
            _draw_loaded(workspace, data, audit, scored)
        requests_line.draw_logs(workspace)
        registry.section(workspace)
        if made_up.alone(workspace):
            with st.expander(t("made_up.title"), expanded=made_up.wanted(workspace)):
                made_up.section(workspace)
        if noticed := loaded.noticed():
            with st.expander(t("overview.problems", n=len(noticed))):
                loaded.problems(noticed)


def _draw_loaded(workspace: Workspace, data: Dataset | None, audit: Audit, scored: ScoreTable | None) -> None:
    """Draw the counts of what was read, and each file with what it was taken for."""
    counts: list[Markup | str] = []
    if data and workspace.dataset:
        see = show.link("results", t("records.see"), view="rows")
        counts = [show.h("{} {}", loaded.counts(workspace.dataset.path, data.counts), see)]
    lines = [
        *counts,
        *overview.engine_lines(audit),
        *training_row.show_training_files(audit),
        *(headline.reconciled(scored) if scored else ()),
    ]
    text = overview.lines(lines)
    if _is_asked():
        text = show.h('<div class="rb-arrive" tabindex="-1" data-rb-arrive="{}">{}</div>', facts.LOADED, text)
    show.draw(text)
    loaded.files(workspace, t("overview.loaded"))


def _is_asked() -> bool:
    return st.query_params.get(facts.LOADED) == "1"
