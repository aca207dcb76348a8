"""What changed files do to the record in view, and to how many others: the old beside the new."""

from __future__ import annotations

import streamlit as st

from readback.compare.record_differences import count_version_differences
from readback.prompts import assemble
from readback.types import Assembly
from readback.ui.common import address, show
from readback.ui.common.draw.head import changed
from readback.ui.common.draw.head.changed import Versions
from readback.ui.common.state import choice
from readback.ui.prompts.one import diff_here
from readback.words import t

KIND = "change"


def here() -> None:
    """Draw it where the link asks for it and files have changed."""
    if st.query_params.get("change") != "1":
        return
    there = changed.versions()
    with st.container(border=True, key="change_here"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            show.draw(show.h("<h2>{}</h2>", t("messages.change")))
            st.button(t("messages.change_close"), key="change_close", on_click=address.put, kwargs={"change": None})
        if there is None:
            show.draw(show.h("<p>{}</p>", t("messages.change_none")))
        elif there.new is None:
            show.problem(t("messages.change_unread"), there.why)
        else:
            _draw(there)


def both(there: Versions) -> tuple[Assembly, Assembly]:
    """Return the record in view under what is sent, assembled from the old files and from the new."""
    folders = [workspace for workspace in (there.old, there.new) if workspace is not None]
    assemblies = [assemble.assemble(opened, choice.record(), choice.sent(), choice.answer()) for opened in folders]
    return assemblies[0], assemblies[-1]


def _draw(there: Versions) -> None:
    old, new = there.old, there.new
    if there.dataset:
        show.notice(t("messages.change_dataset", file=there.dataset))
    difference = diff_here.both(*both(there))
    diff_here.draw(difference, "change", t("messages.change_before"), t("messages.change_after"))
    if there.dataset:
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.change_uncounted", file=there.dataset)))
    elif new is not None and len(choice.dataset()) > 1:
        sent = choice.sent()
        key = (there.key, sent)
        diff_here.counting(KIND, key, lambda progress: count_version_differences(old, new, sent, progress))
