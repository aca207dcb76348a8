"""The messages of both sides and what differs between them; made once for everybody who looks at the same files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import streamlit as st

from readback.compare.diff import Difference, compare_sides
from readback.compare.sentence import format_sentence as said
from readback.compare.side import ShownSide, Side, SideError
from readback.compare.sides import show_side
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.ui.common.state.stamp import stamp
from readback.ui.prompts.two_texts.compare_sides import side
from readback.words import t

KEEP = 64  # sides and differences that several people go back and forth between


def compared() -> Difference:
    """Return the difference of A and B. Where a side cannot be shown, show why and end the run of the page."""
    a, b = side("a"), side("b")
    try:
        return compare(a, b)
    except SideError as error:
        show.problem(t("compare.not_shown"), str(error))
        st.stop()


def compare(a: Side, b: Side) -> Difference:
    """Return the difference of two sides. Raises SideError where one of them cannot be shown."""
    shown_sides = build_side(a), build_side(b)
    return _difference(key(a), key(b), lambda: compare_sides(*shown_sides))


def sentence(d: Difference) -> str:
    """Return the sentence that describes a difference."""
    return _sentence(key(d.a.side), key(d.b.side), lambda: said(d))


def build_side(asked_side: Side) -> ShownSide:
    """Return the messages of a side. Raises SideError where it cannot be shown."""
    return _build_shown(key(asked_side), lambda: show_side(choice.workspace(), asked_side, choice.position()))


def key(side: Side) -> Any:
    """Return what tells one side from another; for a second workspace also the stamp of its files."""
    if side.workspace is not None:
        file_stamp = stamp(Path(side.workspace)).key
    else:
        file_stamp = ""
    return choice.key(), astuple(side), file_stamp


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _build_shown(key_of_side: Any, _make: Callable[[], ShownSide]) -> ShownSide:
    return _make()


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _difference(a: Any, b: Any, _make: Callable[[], Difference]) -> Difference:
    return _make()


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _sentence(a: Any, b: Any, _make: Callable[[], str]) -> str:
    return _make()
