"""The views of the room Review: which is asked for, and the switch between them."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import address, show
from readback.words import t

OPEN, DECIDED, SIGNED = VIEWS = ("open", "decided", "signed")


def get_view() -> str:
    """Return the view in the address; the first one where it names none that there is, or an item of the agenda."""
    view = OPEN if "item" in st.query_params else st.query_params.get("view", OPEN)
    return view if view in VIEWS else OPEN


def draw_switch(view: str) -> None:
    """Draw the links to the three views."""
    links = [
        show.h(
            '<a class="rb-link" target="_self" href="{}"{}>{}</a>',
            address.href("review", view=None if name == OPEN else name),
            show.h(' aria-current="page"') if name == view else "",
            t(f"review.view_{name}"),
        )
        for name in VIEWS
    ]
    show.draw(show.h('<nav class="rb-switch rb-low" aria-label="{}">{}</nav>', t("review.views"), show.join(links)))
