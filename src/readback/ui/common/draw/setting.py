"""A setting of one page that a link keeps: a select box whose value lives in the address."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from readback.ui.common import address
from readback.words import t


def choose(
    key: str,
    label: str,
    options: Sequence[str],
    say: Callable[[str], str] = str,
    width: int = 180,
    every: str = "",
) -> str:
    """Draw a list and return the option chosen; "" stands for all, and is what an unknown value in a link becomes.

    `every` names all of them, which makes the label one for whoever hears it alone.
    """
    address.follow(key, "", options)
    return st.selectbox(
        label,
        options,
        key=key,
        format_func=lambda option: say(option) if option else every or t("findings.all"),
        on_change=address.keep,
        args=(key,),
        width=width,
        label_visibility="collapsed" if every else "visible",
    )


def offset(key: str, whole: int, step: int) -> int:
    """Where the page in view begins: a multiple of `step` below `whole`, from the address."""
    text = st.query_params.get(key, "0")
    number = int(text) if text.isdecimal() else 0
    return min(number, max(whole - 1, 0)) // step * step


def turn(key: str, widget: str, start: int, whole: int, step: int) -> None:
    """Draw the buttons to the page before and the next one, where there is more than one; `key` is that of `offset`,
    and `widget` is what the keys of the buttons begin with.
    """
    if whole <= step:
        return
    with st.container(horizontal=True):
        for name, to in (("earlier", start - step), ("later", start + step)):
            st.button(
                t(f"findings.{name}"),
                key=f"{widget}_{name}",
                disabled=not 0 <= to < whole,
                on_click=address.put,
                kwargs={key: str(to) if to > 0 else None},
            )
