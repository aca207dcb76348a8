"""Tables that are probably scores: a sentence with a click that reads each as scores, and one that takes it back."""

from __future__ import annotations

import streamlit as st

from readback.types import Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t
from readback.workspace import proposed_scores
from readback.workspace.proposed_scores import Proposed


def draw(workspace: Workspace) -> bool:
    """What is proposed, each with its button; whether anything is."""
    tables = proposed_scores.proposed(workspace.alternatives)
    for one in tables:
        columns = ", ".join(one.columns)
        show.notice(t(f"open.table_{one.key}", file=one.file, n=len(one.columns), columns=columns))
        st.button(show.md(t("open.table_use", file=one.file)), key=f"{one.key}_{one.file}", type="primary",
                  on_click=_put, args=(one, True))  # fmt: skip
    return bool(tables)


def taken(workspace: Workspace) -> None:
    """What is read as scores by a choice of this session, each with a way to take it back."""
    used = {one.path for one in workspace.scores}
    for one in proposed_scores.confirmed(workspace.chosen):
        if one.file in used:
            with st.container(horizontal=True, vertical_alignment="center"):
                show.notice(t(f"open.table_used_{one.key}", file=one.file))
                st.button(t("open.unmap"), key=f"not_{one.key}_{one.file}", on_click=_put, args=(one, False))


def _put(table: Proposed, wanted: bool) -> None:
    """Change the choice in the address; for callbacks."""
    lines = [line for line in (address.get(table.key) or "").split("\n") if line and line != table.line]
    address.put(**{table.key: "\n".join([*lines, *([table.line] if wanted else [])]) or None}, finding=None)
    choice.begin()
