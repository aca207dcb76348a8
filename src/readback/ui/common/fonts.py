"""Our own fonts, from our own address: the policy of the server lets no other be loaded."""

from __future__ import annotations

import streamlit as st

from readback.ui.common import server

FACES = (server.FONTS / "fonts.css").read_text(encoding="utf-8")


def style() -> None:
    """Say where the fonts are; a browser fetches those whose characters are on the page, and keeps them."""
    st.html(f"<style>{faces(str(st.get_option('server.baseUrlPath') or ''))}</style>")


def faces(base_path: str) -> str:
    """The fonts as a style sheet, for pages below this path."""
    place = server.under(base_path, server.FONTS_PATH)
    return FACES.replace('url("', f'url("{place}')
