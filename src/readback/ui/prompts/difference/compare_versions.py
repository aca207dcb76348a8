"""Choose a revision that is not in the list of *Difference*."""

from __future__ import annotations

import streamlit as st

from readback.compare.git import Git
from readback.compare.side import SideError
from readback.html import exact
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.ui.common.state.revisions import refusal, revisions
from readback.ui.prompts.two_texts import compare_sides
from readback.ui.prompts.two_texts.compare_sides import put_b
from readback.words import t


def typed() -> None:
    """Draw a field for a tag, a branch or a commit; the address gets the commit that it names."""
    if not revisions():
        return
    with st.popover(t("compare.other_rev"), key="other_rev"):
        st.text_input(t("compare.rev"), key="rev", help=t("compare.rev_help"), on_change=_typed)
        if reason := st.session_state.pop("rev_said", None):
            show.problem(t("compare.no_rev"), reason)


def refused() -> None:
    """One sentence where the folder's history is not read, and why."""
    if compare_sides.kind() == "version" and (reason := refusal()):
        show.notice(exact.spelling(reason))


def _typed() -> None:
    try:
        with Git(choice.workspace().root) as git:
            put_b("version", rev=git.find_commit(st.session_state["rev"].strip()))
    except SideError as error:
        st.session_state["rev_said"] = str(error)
