"""The keyboard: which key presses which visible button, the list of them, and the switch that turns them off."""

from __future__ import annotations

import json
from collections.abc import Mapping

import streamlit as st

from readback.ui.common import own_files, show
from readback.words import t

# key -> (the key of the button or field it presses, the sentence in the list)
MESSAGES = {
    "j": ("next", "keys.next"),
    "k": ("previous", "keys.previous"),
    "]": ("next_sent", "keys.next_sent"),
    "[": ("previous_sent", "keys.previous_sent"),
    "f": ("next_finding", "keys.next_finding"),
    "F": ("previous_finding", "keys.previous_finding"),
    "w": ("whitespace", "keys.whitespace"),
    "t": ("tokens", "keys.tokens"),
    "d": ("to_compare", "keys.to_compare"),
    "/": ("find", "keys.find"),
    "?": ("keys", "keys.this_list"),
}
COMPARE = {
    "j": ("next", "keys.next"),
    "k": ("previous", "keys.previous"),
    "]": ("next_b", "keys.next_b"),
    "[": ("previous_b", "keys.previous_b"),
    "n": ("next_change", "keys.next_change"),
    "p": ("previous_change", "keys.previous_change"),
    "i": ("inline", "keys.inline"),
    "e": ("whole", "keys.whole"),
    "w": ("whitespace", "keys.whitespace"),
    "x": ("swap", "keys.swap"),
    "d": ("to_messages", "keys.to_messages"),
    "/": ("find", "keys.find"),
    "?": ("keys", "keys.this_list"),
}

FINDINGS = {
    "n": ("next_place", "keys.next_place"),
    "p": ("previous_place", "keys.previous_place"),
    "/": ("search", "keys.find"),
    "?": ("keys", "keys.this_list"),
}

AGENDA = {
    "j": ("next", "keys.next_item"),
    "k": ("previous", "keys.previous_item"),
    "a": ("item_verdict:0", "keys.accept"),
    "c": ("item_verdict:1", "keys.change"),
    "d": ("item_verdict:2", "keys.defer"),
    "r": ("decide_item", "keys.reason"),
    "?": ("keys", "keys.this_list"),
}


def pressed(keys: Mapping[str, tuple[str, str]]) -> str:
    """Which key presses what, as our script reads it; none where somebody has switched the keys off."""
    on = st.session_state.get("keys_chosen", True)
    return json.dumps({key: name for key, (name, _) in keys.items()} if on else {"P": ""})


def listen(keys: Mapping[str, tuple[str, str]], folded: bool = False) -> None:
    """Let the browser press the buttons for these keys, unless somebody is typing or has switched it off.

    Their list is behind a button, or `folded` inside a menu, where nothing may hang over it.
    """
    with (
        st.expander(t("keys.title"), key="keys")
        if folded
        else st.popover(t("keys.title"), key="keys", help=t("keys.help"), type="tertiary")
    ):
        rows = [show.h("<tr><td><kbd>{}</kbd></td><td>{}</td></tr>", key, t(label)) for key, (_, label) in keys.items()]
        table = '<table class="rb-table"><caption>{}</caption><tbody>{}</tbody></table>'
        show.draw(show.h(table, t("keys.title"), show.join(rows)))
        st.session_state["keys_on"] = st.session_state.get("keys_chosen", True)
        st.toggle(t("keys.on"), key="keys_on", on_change=_remember)
    if st.session_state.get("keys_chosen", True):
        show.draw(show.h('<span data-rb-keys="{}"></span>', pressed(keys)))


def off() -> None:
    """On every page, where somebody has switched the keys off: then none does anything, the one to present neither."""
    if not st.session_state.get("keys_chosen", True):
        show.draw(show.h('<span data-rb-keys="{}"></span>', json.dumps({"P": ""})))


def script() -> None:
    """Our one script, from our own address: the policy of the server lets no other run, and nothing inline."""
    source = own_files.under(str(st.get_option("server.baseUrlPath") or ""), own_files.SCRIPT_PATH)
    st.html(f'<script src="{source}"></script><span></span>', unsafe_allow_javascript=True)


def _remember() -> None:
    st.session_state["keys_chosen"] = st.session_state["keys_on"]
