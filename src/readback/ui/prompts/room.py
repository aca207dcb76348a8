"""The views of the room Prompts: which is asked for, and the switch between them."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from readback.ui.common import address, show
from readback.words import t

ONE, SIDES, EVERY, DIFFERENCE, RECORDS = VIEWS = ("one", "sides", "every", "difference", "records")
LAYER_OF = {"wire": "wire", "training": "training"}  # layers of One that are texts to compare
KEPT = ("layer", "whitespace", "differs")  # keys of a view that the others understand; so do they those of side B


def get_view() -> str:
    """Return the view in the address; the first one where it names none that there is."""
    view = st.query_params.get("view", ONE)
    return view if view in VIEWS else ONE


def draw_switch(view: str) -> None:
    """Draw the links to the five views of what is in view."""
    own = {key: value for key, value in st.query_params.to_dict().items() if key in KEPT or key.startswith("b_")}
    links = [
        show.h(
            '<a class="rb-link" target="_self" href="{}"{}>{}</a>',
            address.href("prompts", **{**own, "view": None if name == ONE else name}),
            show.h(' aria-current="page"') if name == view else "",
            t(f"prompts.view_{name}"),
        )
        for name in VIEWS
    ]
    show.draw(show.h('<nav class="rb-switch rb-low" aria-label="{}">{}</nav>', t("prompts.views"), show.join(links)))


def to_messages() -> Markup:
    """Make the link back to A's messages; the key d follows it."""
    return show.h(
        '<span class="st-key-to_messages" title="{}">{}</span>',
        t("compare.to_messages_help"),
        show.link("prompts", t("compare.to_messages")),
    )


def to_compare() -> Markup:
    """Make the link from Messages to Compare, with what is in view there as A; the key d follows it."""
    parameters = {
        "whitespace": st.query_params.get("whitespace"),
        "layer": LAYER_OF.get(st.query_params.get("layer", "")),
    }
    return show.h(
        '<span class="st-key-to_compare" title="{}">{}</span>',
        t("compare.open_help"),
        show.link("prompts", t("compare.open"), view="difference", **parameters),
    )
