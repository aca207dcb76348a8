"""The menu of the bar: find and go to, what is drawn in the texts, their size, and what a view adds to take along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.ui.common import address, show
from readback.ui.common.draw import keys, size
from readback.ui.prompts.bar import jump, records
from readback.words import t


class Places(NamedTuple):
    """Hold the places in the menu where a view puts its own: ways to go, switches, and ways to take texts along."""

    go: DeltaGenerator
    switches: DeltaGenerator
    take: DeltaGenerator


def draw(listened: Mapping[str, tuple[str, str]]) -> Places:
    """Draw the menu and return where a view puts its own.

    It is opened by the browser alone, so that opening costs no run; its controls are on the page all the time, for the
    keys (`listened`).
    """
    with st.container(key="menu", width="content"):
        words = '<details class="rb-menu" data-rb-menu="prompts" title="{}"><summary>{}</summary></details>'
        show.draw(show.h(words, t("prompts.menu_help"), t("prompts.menu")))
        with st.container(key="menu_items"):
            _title("menu_find")
            records.find()
            _title("menu_go")
            go = st.container(key="menu_go")
            with go:
                jump.menu()
            _title("menu_draw")
            switches = st.container(key="menu_switches")
            with switches:
                address.follow_switch("whitespace")
                st.toggle(t("messages.whitespace"), key="whitespace", help=t("messages.whitespace_help"),
                          on_change=address.keep, args=("whitespace",))  # fmt: skip
            with st.container(horizontal=True, vertical_alignment="center", key="menu_size"):
                show.word(t("prompts.menu_size"))
                size.buttons()
            take = st.container(key="menu_take")
            keys.listen(listened, folded=True)
    return Places(go, switches, take)


def _title(name: str) -> None:
    show.draw(show.h('<p class="rb-menu-title">{}</p>', t(f"prompts.{name}")))
