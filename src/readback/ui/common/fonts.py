"""Our own fonts, from our own address: the policy of the server lets no other be loaded."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import server


def style() -> None:
    """Say where the fonts are; a browser fetches those whose characters are on the page, and keeps them."""
    st.html(f"<style>{server.faces(str(st.get_option('server.baseUrlPath') or ''))}</style>")
