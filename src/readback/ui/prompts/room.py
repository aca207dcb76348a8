"""The views of the room Prompts: which is asked for, and the bar that all of them have."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.ui.common import address, show
from readback.ui.common.draw import keys, picker
from readback.ui.prompts.bar import jump, menu, records, searching
from readback.words import t

ONE, SIDES, EVERY, DIFFERENCE, RECORDS = VIEWS = ("one", "sides", "every", "difference", "records")
KEPT = ("layer", "whitespace", "differs")  # keys of a view that the others understand; so do they those of side B
PRESSED = {ONE: "to_messages", DIFFERENCE: "to_compare"}  # what the key d presses


def get_view() -> str:
    """Return the view in the address; the first one where it names none that there is."""
    view = st.query_params.get("view", ONE)
    return view if view in VIEWS else ONE


def draw_bar(
    view: str | None, listened: Mapping[str, tuple[str, str]] = keys.MESSAGES
) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw the one bar of all views: the record, what is sent, the five views, and the menu.

    Return the two places in the menu where a view puts its own: its switches, and its ways to take texts along.
    `listened` are the keys of the view. Without a `view` (a file of training rows) nothing is sent. Below the bar is
    what the last search or jump came to.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="bar"):
        records.draw()
        if view is not None:
            picker.what()
            draw_switch(view)
        own = menu.draw(listened)
    if view is not None:
        picker.more()
        picker.whole_name()
    records.show_search_outcome()
    jump.arrive()
    searching.results()
    return own


def draw_switch(view: str) -> None:
    """Draw the links to the five views of what is in view."""
    own = {key: value for key, value in st.query_params.to_dict().items() if key in KEPT or key.startswith("b_")}
    links = [
        show.h(
            '<span class="{}"><a class="rb-link" target="_self" href="{}"{}>{}</a></span>',
            f"st-key-{PRESSED[name]}" if name in PRESSED else "",
            address.href("prompts", **{**own, "view": None if name == ONE else name}),
            show.h(' aria-current="page"') if name == view else "",
            t(f"prompts.view_{name}"),
        )
        for name in VIEWS
    ]
    show.draw(show.h('<nav class="rb-views" aria-label="{}">{}</nav>', t("prompts.views"), show.join(links)))
