"""How large the prompt's text is on Prompts: two buttons, kept for the session."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import show
from readback.words import t

SIZES = (85, 100, 115, 130, 150, 175, 200)  # percent
USUAL = 100
KEPT = "text_size"  # in the session: what suits a projector is no part of what a link shows


def chosen() -> int:
    """Return the size in percent."""
    size = st.session_state.get(KEPT, USUAL)
    return size if size in SIZES else USUAL


def buttons() -> None:
    """Draw A− and A+, and set the size."""
    now = SIZES.index(chosen())
    for name, by in (("smaller", -1), ("larger", 1)):
        to = now + by
        st.button(
            t(f"frame.{name}"),
            key=name,
            help=t(f"frame.{name}_help", n=SIZES[now]),
            disabled=not 0 <= to < len(SIZES),
            on_click=_set,
            args=(to,),
        )
    st.html(show.h("<style>:root {{ --rb-size: {}; }}</style>", SIZES[now] / 100))


def _set(to: int) -> None:
    st.session_state[KEPT] = SIZES[max(0, min(to, len(SIZES) - 1))]
