"""Two texts and what differs between them, in one record and in all."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import address
from readback.ui.common.draw.head import keys
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
from readback.ui.prompts.one import variants
from readback.words import t


def draw(view: str) -> None:
    """Draw two texts and what differs between them in the record in view, or in all records, as `view` says."""
    room.require_texts()
    places = room.draw_bar(view, keys.COMPARE)
    if view == room.DIFFERENCE:
        with places.switches:
            for name in ("whole", "inline"):
                address.follow_switch(name)
                st.toggle(
                    t(f"compare.{name}"), key=name, help=t(f"compare.{name}_help"), on_change=address.keep, args=(name,)
                )
    with st.container(horizontal=True, vertical_alignment="center", key="sides"):
        compare_bar.sides()
        compare_bar.layer()
        compare_bar.swap()
    compare_versions.refused()

    difference = compare_made.compared()
    if view == room.RECORDS:
        compare_records.draw()
        fair.draw()
        variants.compared(difference)
        variables.of_dataset(choice.audit(), choice.workspace(), choice.dataset())
        return
    compare_view.draw_sentence(difference)
    fair.draw()
    compare_view.warned(difference)
    compare_view.texts(difference)
    compare_view.legend(difference)
    variants.compared(difference)
    compare_view.exactness(difference)
    compare_take.draw(difference)
