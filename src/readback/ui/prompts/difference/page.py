"""Two texts and what differs between them; every mode and adapter of a record; all records."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import address, show
from readback.ui.common.draw import keys, loaded, picker
from readback.ui.common.state import choice
from readback.ui.prompts import room, variables
from readback.ui.prompts.difference import (
    compare_bar,
    compare_made,
    compare_records,
    compare_take,
    compare_versions,
    compare_view,
    fair,
)
from readback.ui.prompts.every import page as every
from readback.ui.prompts.one import variants
from readback.words import t


def draw(view: str) -> None:
    """Draw two texts and what differs between them, every cell of a record, or all records, as `view` says."""
    st.title(t("prompts.title"))
    workspace, data = choice.workspace(), choice.dataset()
    if not picker.options(workspace) or len(data) == 0:
        why = t("compare.nothing_to_send") if not picker.options(workspace) else loaded.no_records(workspace)
        scored = [(t("compare.by_scores"), "results")] if workspace.scores else []
        show.empty(why, t("messages.add_files"), "open", *scored)
        st.stop()

    room.draw_bar(view, keys.COMPARE)
    if view == room.EVERY:
        every.draw()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="sides"):
        compare_bar.sides()
        compare_bar.layer()
        compare_bar.swap()
    compare_versions.refused()

    difference = compare_made.compared()
    compare_view.draw_sentence(difference)
    fair.draw()
    compare_view.warned(difference)

    with st.container(horizontal=True, vertical_alignment="center", key="switch"):
        if view == room.DIFFERENCE:
            for name in ("whole", "inline"):
                address.follow_switch(name)
                st.toggle(t(f"compare.{name}"), key=name, help=t(f"compare.{name}_help"),
                          on_change=address.keep, args=(name,))  # fmt: skip

    if view == room.RECORDS:
        compare_records.draw()
        variants.compared(difference)
        variables.of_dataset(choice.audit(), workspace, data)
    else:
        compare_view.texts(difference)
        compare_view.legend(difference)
        variants.compared(difference)
        compare_view.exactness(difference)
        compare_take.draw(difference)
