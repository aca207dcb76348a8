"""The bar of Messages: which record, the next and the one before, and how to find one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from readback import assemble
from readback.answers import open_answers
from readback.dataset import Dataset
from readback.types import Finding
from readback.ui import address, choice, exact, show
from readback.ui.words import t

LISTED = 500  # ids in a list to choose from; beyond, an id is typed
LOOKED = 2_000  # records looked through in one go for a text in the prompt or a finding: some seconds


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
        _find(data, at)


def said() -> None:
    """What the last search came to."""
    if sentence := st.session_state.pop("bar_said", None):
        show.notice(sentence)
    if choice.lost():
        show.notice(t("messages.lost_record"), "warning")


def next_finding(found: tuple[Finding, ...]) -> None:
    """The button that leads to the next finding, on this record or on the next one that has any."""
    data, at = choice.dataset(), choice.position()
    st.button(t("messages.next_finding"), key="next_finding", help=t("messages.next_finding_help"),
              on_click=_next_finding, args=(data, at, tuple(one.key for one in found)))  # fmt: skip


def _jump() -> None:
    choice.go(int(st.session_state["position"]) - 1)


def _ids(data: Dataset, at: int) -> None:
    if data.source is None:
        return
    if len(data) <= LISTED:
        ids = data.ids()
        st.session_state["record"] = at
        st.selectbox(t("messages.record"), range(len(ids)), key="record", on_change=_listed, width=170,
                     format_func=lambda index: exact.spelled(ids[index]))  # fmt: skip
    else:
        st.session_state["record_id"] = exact.spelled(next(iter(data.ids(at, at + 1)), ""))
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


def _find(data: Dataset, at: int) -> None:
    with st.form("find_form", border=False):
        st.text_input(t("messages.find_what"), key="find_text")
        places = ("record", "prompt")
        st.radio(t("messages.find_where"), places, key="find_where", format_func=lambda name: t(f"messages.in_{name}"))
        st.form_submit_button(t("messages.find_next"), on_click=_search, args=(data, at))


def _search(data: Dataset, at: int) -> None:
    text, where = st.session_state["find_text"], st.session_state["find_where"]
    if not text:
        return
    index = data.find(text)
    if index is None or index == at:
        hits = data.search(text, at + 1) if where == "record" else _in_prompts(data, text, at + 1)
        again = data.search(text) if where == "record" else _in_prompts(data, text, 0)
        index = next(hits, None)
        index = next(again, None) if index is None else index
    _land(index, t("messages.found_none"))


def _in_prompts(data: Dataset, text: str, start: int) -> Iterator[int]:
    """Records whose assembled messages hold the text, whatever the case; as many as a person waits for."""
    shop, sent, wanted = choice.workspace(), choice.sent(), text.casefold()
    chosen = shop.condition(sent.condition) if sent.judge and sent.condition else None
    replies = open_answers(shop, chosen) if chosen else None
    for index in range(start, min(start + LOOKED, len(data))):
        here = data.record(index)
        made = assemble.assemble(shop, here, sent, replies.get(here.id) if replies and here.id else None)
        if any(wanted in message.text.casefold() for message in made.messages):
            yield index


def _next_finding(data: Dataset, at: int, here: tuple[str, ...]) -> None:
    """The next finding: on this record after the one in view, else the next record with one under this choice."""
    marked = st.query_params.get("finding")
    rest = here[here.index(marked) + 1 :] if marked in here else here
    if rest:
        address.put(finding=rest[0])
        return
    for index in islice((*range(at + 1, len(data)), *range(at)), LOOKED):
        choice.go(index)
        found, _ = choice.found(choice.assembly())
        if found:
            address.put(finding=found[0].key)
            return
    choice.go(at)
    st.session_state["bar_said"] = t("messages.no_more_findings")


def _land(index: int | None, sorry: str) -> None:
    if index is None:
        st.session_state["bar_said"] = sorry
    else:
        choice.go(index)
