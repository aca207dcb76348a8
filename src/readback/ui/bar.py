"""The bar of Messages: which record, the next and the one before, and how to find one."""

from __future__ import annotations

import streamlit as st

from readback.records.dataset import Dataset
from readback.types import Finding
from readback.ui import address, choice, exact, find, searching, show
from readback.ui.words import t

LISTED = 500  # ids in a list to choose from; beyond, an id is typed


def records() -> None:
    """Draw the bar. The record's id and number are in the address; what is searched for is not."""
    data = choice.dataset()
    at, count = choice.position(), len(data)
    st.button(
        "‹", key="previous", help=t("messages.previous_help"), disabled=at <= 0, on_click=choice.go, args=(at - 1,)
    )
    st.button(
        "›", key="next", help=t("messages.next_help"), disabled=at >= count - 1, on_click=choice.go, args=(at + 1,)
    )
    st.session_state["position"] = at + 1
    st.number_input(t("messages.position", n=count), 1, max(count, 1), key="position", on_change=_jump, width=120)
    _ids(data, at)
    with st.popover(t("messages.find"), key="find", help=t("messages.find_help")):
        _find()


def said() -> None:
    """What the last search came to."""
    if sentence := st.session_state.pop("bar_said", None):
        show.notice(sentence)
    if choice.lost():
        show.notice(t("messages.lost_record"), "warning")


def next_finding(found: tuple[Finding, ...]) -> None:
    """The buttons that lead to the next finding and the one before, on this record or on another that has any."""
    keys = tuple(one.key for one in found)
    with st.container(horizontal=True):
        for name, back in (("previous_finding", True), ("next_finding", False)):
            st.button(t(f"messages.{name}"), key=name, help=t(f"messages.{name}_help"), on_click=_to_finding,
                      args=(keys, back))  # fmt: skip
    find.arrive()


def _jump() -> None:
    choice.go(int(st.session_state["position"]) - 1)


def _ids(data: Dataset, at: int) -> None:
    if data.source is None:
        return
    if len(data) <= LISTED:
        ids = data.ids()
        st.session_state["record"] = at
        st.selectbox(t("messages.record"), range(len(ids)), key="record", on_change=_listed, width=170,
                     format_func=lambda index: exact.spelling(ids[index]))  # fmt: skip
    else:
        st.session_state["record_id"] = exact.spelling(next(iter(data.ids(at, at + 1)), ""))
        st.text_input(t("messages.record"), key="record_id", on_change=_by_id, args=(data,), width=170)


def _listed() -> None:
    choice.go(st.session_state["record"])


def _by_id(data: Dataset) -> None:
    wanted = st.session_state["record_id"]
    index = data.find(wanted)
    if index is None:
        st.session_state["bar_said"] = t("messages.no_such_record")
    else:
        choice.go(index)


def _find() -> None:
    with st.form("find_form", border=False):
        st.text_input(t("messages.find_what"), key="find_text")
        places = ("record", "prompt")
        st.radio(t("messages.find_where"), places, key="find_where", format_func=lambda name: t(f"messages.in_{name}"))
        st.toggle(t("messages.find_regex"), key="find_regex", help=t("messages.find_regex_help"))
        st.toggle(t("messages.find_case"), key="find_case")
        under = ("sent", "all")
        st.radio(t("messages.find_under"), under, key="find_under", horizontal=True,
                 format_func=lambda name: t(f"messages.find_under_{name}"))  # fmt: skip
        with st.container(horizontal=True):
            st.form_submit_button(t("messages.find_next"), on_click=_search, args=(True,))
            st.form_submit_button(t("messages.find_all"), on_click=_search, args=(False,))


def _search(show_next: bool) -> None:
    """Go to the next record that is called so or holds the text, or list all whose messages hold it."""
    text, state = st.session_state["find_text"], st.session_state
    if not text:
        return
    there = find.by_id(text) if show_next and not state["find_regex"] else None
    if there is None and show_next and state["find_where"] == "record" and not state["find_regex"]:
        there = find.in_record(text)
        if there is None:
            state["bar_said"] = t("messages.found_none")
    elif there is None:
        refused = searching.begin(
            text, state["find_regex"], state["find_case"], state["find_under"] == "all", show_next
        )
        if refused:
            state["bar_said"] = t("messages.refused", why=refused)
    if there is not None:
        choice.go(there)


def _to_finding(here: tuple[str, ...], back: bool) -> None:
    """The finding after the one in view (or before it), on this record or on another that has any."""
    marked = st.query_params.get("finding")
    if marked in here:
        at = here.index(marked)
        rest = here[:at][::-1] if back else here[at + 1 :]
    else:
        rest = () if back else here
    if rest:
        address.put(finding=rest[0])
    else:
        find.finding(back)
