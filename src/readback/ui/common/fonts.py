"""Our own fonts, from our own address: the policy of the server lets no other be loaded."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import server, show


def style() -> None:
    """Say where the fonts are; a browser fetches those whose characters are on the page, and keeps them.

    The style sheet that our server links says it as well.
    """
    if show.LINKED:
        return
    st.html(f"<style>{server.faces(str(st.get_option('server.baseUrlPath') or ''))}</style>")
