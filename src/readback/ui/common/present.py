"""Present: the page for a projector. Large text and what is shown, without the controls; P turns it on and off."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import east_asian_width

import streamlit as st

from readback.ui.common import address, show
from readback.words import t

KEY = "present"  # in the address, on every page: a link shows the same to whoever follows

LETTER, AROUND = 7.6, 58  # pixels of a letter of a picker, as wide as they are in the mean, and of what is beside them
MOST = 620  # pixels: with what stands beside it, as much as a row of 1,366 pixels has room for
LARGER = 1.43  # times: texts of 14 pixels, which pickers and charts have, become those of 20 that the page has


def on() -> bool:
    """Whether the page is presented."""
    return address.get(KEY) == "1"


def wide(pixels: int) -> int:
    """The width of a control whose text grows when the page is presented."""
    return round(pixels * LARGER) if on() else pixels


def holding(names: Iterable[str], least: int, most: int = MOST) -> int:
    """The width of a list that shows the longest of these names whole, from `least` to `most` pixels when not
    presented. An East Asian letter takes the room of two others.
    """
    letters = max((sum(1 + (east_asian_width(letter) in "WF") for letter in name) for name in names), default=0)
    return wide(min(most, max(least, round(AROUND + LETTER * letters))))


def draw() -> None:
    """The button that the key P presses, and while presenting the sign that the style sheet goes by."""
    if on():
        show.draw(show.h('<span class="rb-present"></span>'))
    label, help_ = ("frame.present_end", "frame.present_end_help") if on() else ("frame.present", "frame.present_help")
    st.button(t(label), key="present", help=t(help_), type="tertiary", on_click=_turn)


def _turn() -> None:
    address.put(present=None if on() else "1")
