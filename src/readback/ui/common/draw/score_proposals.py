"""Tables that are probably scores: a sentence with a click that reads each as scores, and one that takes it back."""

from __future__ import annotations

import streamlit as st

from readback.types import Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t
from readback.workspace.tables import proposed_scores
from readback.workspace.tables.proposed_scores import Proposed


def draw(workspace: Workspace) -> bool:
    """Draw what is proposed, each with its button; return whether anything is."""
    tables = proposed_scores.list_proposed(workspace.alternatives)
    for proposal in tables:
        columns = ", ".join(proposal.columns)
        show.notice(t(f"open.table_{proposal.key}", file=proposal.file, n=len(proposal.columns), columns=columns))
        st.button(
            show.md(t("open.table_use", file=proposal.file)),
            key=f"{proposal.key}_{proposal.file}",
            type="primary",
            on_click=_put,
            args=(proposal, True),
        )
    return bool(tables)


def show_confirmed(workspace: Workspace) -> None:
    """Draw what is read as scores by a choice of this session, each with a way to take it back."""
    used = {proposal.path for proposal in workspace.scores}
    for proposal in proposed_scores.list_confirmed(workspace.chosen):
        if proposal.file in used:
            with st.container(horizontal=True, vertical_alignment="center"):
                show.notice(t(f"open.table_used_{proposal.key}", file=proposal.file))
                st.button(
                    t("open.unmap"), key=f"not_{proposal.key}_{proposal.file}", on_click=_put, args=(proposal, False)
                )


def _put(table: Proposed, wanted: bool) -> None:
    """Change the choice in the address; for callbacks."""
    lines = [line for line in (address.get(table.key) or "").split("\n") if line and line != table.line]
    address.put(**{table.key: "\n".join([*lines, *([table.line] if wanted else [])]) or None}, finding=None)
    choice.begin()
