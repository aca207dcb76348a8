"""Present: the page for a projector. Large text, one thing at a time, without the controls; P turns it on and off.

A page puts each thing that is shown by itself into `slide(name)`. Without Present all of them are drawn one below the
other; while presenting one is in sight, and the arrow keys go to the next and the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal
from unicodedata import east_asian_width

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.ui.common import address, show
from readback.words import t

SLIDE = "slide"  # in the address of a page: the number of what is shown, from 1
SLIDES = "slides"  # in the session: the names of what this run has put into slides
KEY = "present"  # in the address, on every page: a link shows the same to whoever follows

# Pixels of a letter of a picker in our font, at most: of narrow ones, of wide ones, and by kind of the others; of other
# alphabets the mean, and East Asian letters are squares.
NARROW = {**dict.fromkeys(" '!,.:;Iijl|·", 4), **dict.fromkeys('()[]{}-/1^"fr', 6.3), "t": 4.5, "s": 7}
WIDE = {**dict.fromkeys("MW%@", 13), "m": 11.7, "w": 10.8}
SMALL, DIGIT, CAPITAL, FOREIGN, SQUARE = 8, 8.7, 10, 11, 13.5
AROUND = 50  # pixels of what is beside the text
MOST = 620  # pixels: with what stands beside it, as much as a row of 1,366 pixels has room for
LARGER = 2  # times: texts of 14 pixels, which pickers and charts have, become those of 28


def on() -> bool:
    """Whether the page is presented."""
    return address.get(KEY) == "1"


def wide(pixels: int) -> int:
    """Return the width of a control whose text grows when the page is presented."""
    if on():
        return round(pixels * LARGER)
    return pixels


def holding(names: Iterable[str], least: int) -> int:
    """Return the width of a list that shows the longest of these names: `least` to MOST pixels, more in Present."""
    return wide(min(MOST, max(least, round(AROUND + max(map(_pixels, names), default=0)))))


def whole(name: str, most: int = MOST) -> bool:
    """Whether a list of at most that width shows this name whole."""
    return AROUND + _pixels(name) <= most


def _pixels(name: str) -> float:
    return sum(map(_letter, name))


@cache
def _letter(letter: str) -> float:
    if letter in NARROW or letter in WIDE:
        return NARROW.get(letter) or WIDE[letter]
    if east_asian_width(letter) in "WF":
        return SQUARE
    if ord(letter) > ord("ſ"):
        return FOREIGN
    if letter.isupper():
        return CAPITAL
    if letter.islower():
        return SMALL
    return DIGIT


def slide(name: str) -> DeltaGenerator:
    """Return the container for a thing that is presented by itself; `name` is unique on the page."""
    names: list[str] = st.session_state.setdefault(SLIDES, [])
    names.append(name)
    in_sight = not on() or len(names) == _get_number()
    return st.container(key=f"slide_{'in_sight' if in_sight else 'hidden'}_{name}")


def rest(name: str) -> DeltaGenerator:
    """Return the container for what is not presented: in its place without Present, and not in sight with it."""
    return st.container(key=f"slide_{'hidden' if on() else 'in_sight'}_{name}")


def columns(weights: Sequence[int], gap: Literal["small", "medium", "large"]) -> Sequence[DeltaGenerator]:
    """Return columns beside each other; while presenting, where one thing is in sight, each has the whole width."""
    if on():
        return [st.container() for _ in weights]
    return st.columns(list(weights), gap=gap)


def draw_steps() -> None:
    """Draw which thing is in sight and the steps to the others; at the end of a page, while it is presented."""
    count = len(st.session_state.get(SLIDES, ()))
    if not on() or count < 2:
        return
    number = _get_number()
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="slide_steps"):
        for key, label, to in (("previous_slide", "‹", number - 1), ("next_slide", "›", number + 1)):
            there = 1 <= to <= count
            st.button(label, key=key, help=t(f"frame.{key}"), disabled=not there, on_click=_go, args=(to,))
            if key == "previous_slide":
                show.word(t("frame.slide_of", n=number, all=count))


def _get_number() -> int:
    text = st.query_params.get(SLIDE, "1")
    if text.isdecimal() and len(text) < 4:
        return max(1, int(text))
    return 1


def _go(number: int) -> None:
    address.put(slide=str(number) if number > 1 else None)


def draw() -> None:
    """Draw the button that the key P presses, and while presenting the sign that the style sheet goes by."""
    st.session_state[SLIDES] = []
    if on():
        show.draw(show.h('<span class="rb-present"></span>'))
    if on():
        label, help_ = ("frame.present_end", "frame.present_end_help")
    else:
        label, help_ = ("frame.present", "frame.present_help")
    st.button(t(label), key="present", help=t(help_), type="tertiary", on_click=_turn)


def _turn() -> None:
    address.put(present=None if on() else "1")
