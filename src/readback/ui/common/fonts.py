"""Our own fonts, from our own address: the policy of the server lets no other be loaded."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import server

FACES = (server.FONTS / "fonts.css").read_text(encoding="utf-8")


def style() -> None:
    """Say where the fonts are; a browser fetches those whose characters are on the page, and keeps them."""
    place = server.under(str(st.get_option("server.baseUrlPath") or ""), server.FONTS_PATH)
    faces = FACES.replace('url("', f'url("{place}')
    st.html(f"<style>{faces}</style>")
