"""The views of the room Prompts: which is asked for, and the bar that all of them have."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from readback.ui.common import address, show
from readback.ui.common.draw import picker
from readback.ui.common.draw.head import keys, loaded
from readback.ui.common.state import choice
from readback.ui.prompts.bar import jump, menu, records, searching
from readback.ui.prompts.two_texts import compare_words
from readback.words import t

ONE, SIDES, EVERY, DIFFERENCE, RECORDS = VIEWS = ("one", "sides", "every", "difference", "records")
KEPT = ("layer", "whitespace", "differs")  # keys of a view that the others understand; so do they those of side B
PRESSED = {ONE: "to_messages", DIFFERENCE: "to_compare"}  # what the key d presses


def get_view() -> str:
    """Return the view in the address; the first one where it names none that there is."""
    view = st.query_params.get("view", ONE)
    if view in VIEWS:
        return view
    return ONE


def require_texts() -> None:
    """Draw the title; where there are no two texts to lay side by side, say why and end the page."""
    st.title(t("prompts.title"))
    workspace = choice.workspace()
    if picker.options(workspace) and len(choice.dataset()):
        return
    if picker.options(workspace):
        why = loaded.no_records(workspace)
    else:
        why = t("compare.nothing_to_send")
    if workspace.scores:
        scored = [(t("compare.by_scores"), "results")]
    else:
        scored = []
    show.empty(why, t("messages.add_files"), "open", *scored)
    st.stop()


def draw_bar(
    view: str | None, listened: Mapping[str, tuple[str, str]] = keys.MESSAGES, *, filled: bool = True
) -> menu.Places:
    """Draw the one bar of all views: the record, what is sent, the five views, and the menu.

    Return the places in the menu where a view puts its own: ways to go, switches, and ways to take texts along.
    `listened` are the keys of the view. A menu that is not `filled` is filled by the view, with `menu.fill`. Without a
    `view` (a file of training rows) nothing is sent. Below the bar is what the last search or jump came to.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="bar"):
        records.draw()
        if view is not None:
            picker.what()
            draw_switch(view)
        own = menu.draw()
    if filled:
        menu.fill(own, listened)
    if view is not None:
        picker.more()
        if view != EVERY:  # which has every name whole
            picker.whole_name()
        records.whole_name()
    records.arrive()
    _say_what_is_in_view(view)
    records.show_search_outcome()
    jump.arrive()
    searching.results()
    return own


def _say_what_is_in_view(view: str | None) -> None:
    """Tell a screen reader the record and what is sent, each time that one of them changes."""
    data, at = choice.dataset(), choice.position()
    if data.source is None:
        return
    if view is not None:
        sent = compare_words.sent(choice.sent())
    else:
        sent = ""
    record = t("prompts.now_record", n=at + 1, all=len(data), record=jump.called(at))
    show.draw(show.aloud(", ".join(part for part in (record, sent) if part)))


def draw_switch(view: str) -> None:
    """Draw the links to the five views of what is in view."""
    own = {key: value for key, value in st.query_params.to_dict().items() if key in KEPT or key.startswith("b_")}
    links = [
        show.h(
            '<span class="{}" role="presentation">'
            '<a class="rb-link" target="_self" role="tab" href="{}"{}>{} '
            '<span class="rb-view-hint">{}</span></a></span>',
            f"st-key-{PRESSED[name]}" if name in PRESSED else "",
            address.href("prompts", **{**own, "view": None if name == ONE else name}),
            show.tab(name == view),
            t(f"prompts.view_{name}"),
            t(f"prompts.hint_{name}"),
        )
        for name in VIEWS
    ]
    tabs = '<nav aria-label="{}"><div class="rb-views" role="tablist" aria-label="{}">{}</div></nav>'
    show.draw(show.h(tabs, t("prompts.views"), t("prompts.views"), show.join(links)))
