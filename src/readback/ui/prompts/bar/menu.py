"""The menu of the bar: find and go to, what is drawn in the texts, their size, and what a view adds to take along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.ui.common import show
from readback.ui.common.draw.head import keys, size
from readback.ui.common.draw.text import message
from readback.ui.prompts.bar import jump, records
from readback.words import t


class Places(NamedTuple):
    """Hold the places in the menu; a view puts its own ways to go, switches and ways to take texts along there, too."""

    find: DeltaGenerator
    go: DeltaGenerator
    switches: DeltaGenerator
    size: DeltaGenerator
    take: DeltaGenerator
    keys: DeltaGenerator


def draw() -> Places:
    """Draw the menu, whose places are empty.

    It is opened by the browser alone, so that opening costs no run; its controls are on the page all the time, for the
    keys.
    """
    with st.container(key="menu", width="content"):
        words = '<details class="rb-menu" data-rb-menu="prompts" title="{}"><summary>{}</summary></details>'
        show.draw(show.h(words, t("prompts.menu_help"), t("prompts.menu")))
        with st.container(key="menu_items"):
            _title("menu_find")
            find = st.container()
            _title("menu_go")
            go = st.container(key="menu_go")
            _title("menu_draw")
            switches = st.container(key="menu_switches")
            text_size = st.container(horizontal=True, vertical_alignment="center", key="menu_size")
            take = st.container(key="menu_take")
            listening = st.container()
    return Places(find, go, switches, text_size, take, listening)


def fill(places: Places, listened: Mapping[str, tuple[str, str]]) -> None:
    """Draw what the menus of all views hold. `listened` are the keys of the view.

    It is a fifth of the work of a page, for a menu that is closed: a view may draw its text before.
    """
    with places.find:
        records.find()
    with places.go:
        jump.menu()
    with places.switches:
        message.draw_whitespace_switch()
    with places.size:
        show.word(t("prompts.menu_size"))
        size.buttons()
    with places.keys:
        keys.listen(listened, folded=True)


def _title(name: str) -> None:
    show.draw(show.h('<p class="rb-menu-title">{}</p>', t(f"prompts.{name}")))
