"""Doors of the scores page: links and clicks that open what is behind a number, all of it said by the address."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from readback.ui.common import address, show
from readback.words import t

# What the address of this page says besides what all pages share: what is chosen, and which drill-down is open.
CHOSEN = ("criterion", "scored_by", "by", "baseline", "view", "second", "rows", "columns", "a", "b", "slice_b", "field",
          "size", "pair", "code")  # fmt: skip
LINK = ("of", "value", "state", "against", "kept", "and", "long", "item", "arm", "under")


def link(label: object, **to: str | None) -> Markup:
    """A link on this page: what is chosen stays, the drill-downs that are open are closed."""
    now = st.query_params.to_dict()
    return show.link("scores", label, **{**{key: now[key] for key in CHOSEN if key in now}, **to})


def step(label: object, **to: str | None) -> Markup:
    """A link on this page that goes on from the drill-down that is open."""
    now = st.query_params.to_dict()
    return show.link("scores", label, **{**{key: now[key] for key in (*CHOSEN, *LINK) if key in now}, **to})


def count(n: int, **to: str | None) -> Markup | str:
    """A count as a drill-down to what it counts; nothing is behind a zero."""
    return link(show.number(n), **to) if n else show.number(n)


def go(**to: str | None) -> None:
    """Open a drill-down; for callbacks."""
    address.put(**{**dict.fromkeys(LINK), **to})


def is_open() -> bool:
    """Whether the address names a drill-down of a list."""
    return bool(st.query_params.get("of"))


def opened() -> Mapping[str, str]:
    """The parts of the drill-down that is open."""
    now = st.query_params.to_dict()
    return {key: now[key] for key in LINK if now.get(key)}


def heading(text: str) -> None:
    """The heading of what is behind the open drill-down, with the way back above it: the browser goes there, focus and
    all, when it opens.
    """
    now = opened()
    said = "&".join(f"{key}={value}" for key, value in now.items() if key != "kept")
    way = [link(t("scores.trail_scores"))]
    if "item" in now and "of" in now:
        way.append(step(t("scores.trail_list"), item=None, arm=None))
    here = show.h('<span aria-current="page">{}</span>', text)
    trail = show.h('<nav class="rb-trail" aria-label="{}">{}</nav>', t("scores.trail"), show.join([*way, here], " › "))
    show.draw(show.h('{}<h2 class="rb-arrive" tabindex="-1" data-rb-arrive="{}">{}</h2>', trail, said, text))


def close() -> None:
    """A button that closes the list."""
    st.button(t("scores.close"), key="close_records", on_click=go)
