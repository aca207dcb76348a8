"""Which record is in view, the next and the one before, and how to find one."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from readback.checks.run import finding_search
from readback.checks.run.finding_search import There
from readback.checks.summary import Audit
from readback.html import exact
from readback.prompts import selections
from readback.records import first_words, raw_lines
from readback.records.dataset import Dataset, DatasetChanged
from readback.types import Finding, Selection
from readback.ui.common import address, show
from readback.ui.common.draw import picker
from readback.ui.common.draw.head import present
from readback.ui.common.draw.text import beside
from readback.ui.common.state import background, caches, choice, work
from readback.ui.common.state.work import Job, Progress
from readback.ui.prompts.bar import jump, searching
from readback.words import t

READ = 20_000_000  # bytes of a file whose records are all read for the first words of each
KIND, HOLDS = "finding", "holding"  # work: the next record with a finding, or with a text in its fields
KNOWN = "with_findings"  # in the session: the records with a finding under what was sent, where all were looked at


def draw() -> None:
    """Draw which record is in view, between the buttons to the one before and the next.

    The record's id and number are in the address; what is searched for is not.
    """
    data = choice.dataset()
    if data.source is None:
        return
    at, count = choice.position(), len(data)
    with st.container(horizontal=True, vertical_alignment="center", key="which_record"):
        st.button(
            "‹", key="previous", help=t("messages.previous_help"), disabled=at <= 0, on_click=choice.go, args=(at - 1,)
        )
        if count <= choice.LISTED:
            _list(data, at)
        else:
            _fields(data, at)
        st.button(
            "›", key="next", help=t("messages.next_help"), disabled=at >= count - 1, on_click=choice.go, args=(at + 1,)
        )


def whole_name() -> None:
    """Draw how the record is called; the browser shows it on a phone, where the list cuts it.

    On a wider window the record beside the messages has its id and its question.
    """
    data, at = choice.dataset(), choice.position()
    if data.source is None:
        return
    is_listed = len(data) <= choice.LISTED
    if is_listed:
        name = list_entries(*choice.key(), data, beside.aliases())[at]
    else:
        name = jump.called(at)
    field = "record" if is_listed else "record_id"
    show.draw(show.h('<p class="rb-small rb-wrapped rb-on-phone" data-rb-whole="{}" hidden>{}</p>', field, name))


def show_search_outcome() -> None:
    """Draw what the last search came to; while records are still searched for a text, how far that is."""
    _arrive_at_holding()
    if sentence := st.session_state.pop("bar_said", None):
        show.notice(sentence)
    if unknown := choice.unknown():
        kind, name = unknown
        label = picker.label(picker.key(choice.sent()))
        show.notice(t("frame.unknown_condition", kind=t(f"frame.kind_{kind}"), name=name, shown=label), "warning")
    if choice.is_record_missing():
        show.notice(t("messages.lost_record"), "warning")


def next_finding(findings: tuple[Finding, ...]) -> None:
    """Draw the buttons that lead to the next finding and the one before, on this record or on another that has any."""
    keys = tuple(finding.key for finding in findings)
    with st.container(key="go_finding"):
        for name, back in (("previous_finding", True), ("next_finding", False)):
            st.button(
                t(f"messages.{name}"),
                key=name,
                help=t(f"messages.{name}_help"),
                on_click=_to_finding,
                args=(keys, back),
                type="tertiary",
            )


def _list(data: Dataset, at: int) -> None:
    """Draw all records as a list that is searched by typing into it: number, first words, id."""
    entries = list_entries(*choice.key(), data, beside.aliases())
    st.session_state["record"] = at
    st.selectbox(
        t("messages.record_of", n=len(entries)),
        range(len(entries)),
        key="record",
        on_change=_listed,
        label_visibility="collapsed",
        format_func=entries.__getitem__,
    )


def _fields(data: Dataset, at: int) -> None:
    """Draw a field for the number and one for the id, where a list would be too long."""
    count = len(data)
    st.session_state["position"] = at + 1
    st.number_input(
        t("messages.position", n=count),
        1,
        max(count, 1),
        key="position",
        on_change=_jump,
        width=60 + 9 * len(str(count)),
        label_visibility="collapsed",
    )
    show.word(t("messages.of_records", n=count))
    st.session_state["record_id"] = exact.spelling(next(iter(data.ids(at, at + 1)), ""))
    # The first ids tell how long the others are: with a width of its own for each, all behind it would move.
    st.text_input(
        t("messages.record_id"),
        key="record_id",
        on_change=_by_id,
        args=(data,),
        width=present.holding(map(exact.spelling, data.ids(0, 100)), 150),
        label_visibility="collapsed",
    )


@st.cache_resource(max_entries=caches.KEEP, show_spinner=False)
def list_entries(
    path: str, stamp: str, fields: tuple[tuple[str, str], ...], _data: Dataset, _aliases: Mapping[str, str]
) -> tuple[str, ...]:
    """Return how each record reads in a list: its number, the first words of its question, and its id."""
    ids = [*map(exact.spelling, _data.ids())]
    if _data.span(len(ids) - 1)[1] > READ:
        return tuple(f"{n} · {name}" for n, name in enumerate(ids, 1))
    words = (first_words.find_first_words(record, _aliases) for record in _data.records())
    return tuple(
        " · ".join(part for part in (str(n), question, "" if name == str(n) else name) if part)
        for n, (name, question) in enumerate(zip(ids, words, strict=True), 1)
    )


def _jump() -> None:
    choice.go(int(st.session_state["position"]) - 1)


def _listed() -> None:
    choice.go(st.session_state["record"])


def _by_id(data: Dataset) -> None:
    wanted = st.session_state["record_id"]
    index = data.find(wanted)
    if index is None:
        st.session_state["bar_said"] = t("messages.no_such_record")
    else:
        choice.go(index)


def find() -> None:
    """Draw the form that finds a record by its id, by a text in it, or by a text in its messages."""
    with st.container(key="find"), st.form("find_form", border=False):
        st.text_input(t("messages.find_what"), key="find_text")
        with st.container(horizontal=True, key="find_go"):
            st.form_submit_button(t("messages.find_next"), on_click=_search, args=(True,))
            st.form_submit_button(t("messages.find_all"), on_click=_search, args=(False,))
        with st.expander(t("messages.find_how")):
            places, under = ("record", "prompt"), ("sent", "all")
            st.radio(
                t("messages.find_where"),
                places,
                key="find_where",
                horizontal=True,
                format_func=lambda name: t(f"messages.in_{name}"),
            )
            st.radio(
                t("messages.find_under"),
                under,
                key="find_under",
                horizontal=True,
                format_func=lambda name: t(f"messages.find_under_{name}"),
            )
            st.toggle(t("messages.find_regex"), key="find_regex", help=t("messages.find_regex_help"))
            st.toggle(t("messages.find_case"), key="find_case")


def _search(show_next: bool) -> None:
    """Go to the next record that is called so or holds the text, or list all whose messages hold it."""
    text, state = st.session_state["find_text"], st.session_state
    if not text:
        return None
    state[searching.SEARCHES] = state.get(searching.SEARCHES, 0) + 1
    if show_next and not state["find_regex"]:
        there = by_id(text)
    else:
        there = None
    if there is None and show_next and state["find_where"] == "record" and not state["find_regex"]:
        return _in_record(text)
    if there is None:
        refused = searching.begin(
            text, state["find_regex"], state["find_case"], state["find_under"] == "all", show_next
        )
        if refused:
            state["bar_said"] = t("messages.refused", why=refused)
    if there is not None:
        choice.go(there)
    return None


def _in_record(text: str) -> None:
    """Go to the next record (after the one in view, then from the top) that holds the text, whatever the case."""
    data, at = choice.dataset(), choice.position()
    key = (choice.key(), text, at)

    def look(progress: Progress) -> int | None:
        ranges = ((at + 1, len(data)), (0, at + 1))
        return next(
            (hit for each in ranges if (hit := raw_lines.find_first(data, text, *each, progress)) is not None), None
        )

    job = background.ask(HOLDS, key, look)
    if job.ready.wait(work.PATIENCE) and job.error is None:
        _to_holding(job)
    else:
        st.session_state[HOLDS] = key


def _arrive_at_holding() -> None:
    """While records are looked at for a text, show how far that is; then go there."""
    key = st.session_state.get(HOLDS)
    if key is not None:
        job = background.find_job(HOLDS, key)
    else:
        job = None
    if job is None:
        return
    if job.error is not None:
        st.session_state.pop(HOLDS)  # else it would fail again at each look
        background.drop(HOLDS)
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if work.look(job, "messages.looking", HOLDS):
        _to_holding(job)
        st.rerun()


def _to_holding(job: Job) -> None:
    stopped = job.stopped
    st.session_state.pop(HOLDS, None)
    background.drop(HOLDS)
    if job.result is not None:
        choice.go(job.result)
    elif not stopped:
        st.session_state["bar_said"] = t("messages.found_none")


def _to_finding(here: tuple[str, ...], back: bool) -> None:
    """Return the finding after the one in view (or before it), on this record or on another that has any."""
    marked = st.query_params.get("finding")
    if marked in here:
        at = here.index(marked)
        rest = here[:at][::-1] if back else here[at + 1 :]
    else:
        rest = () if back else here
    if rest:
        address.put(finding=rest[0])
    else:
        finding(back)


# Find the next record: by its id, by a text in it, or by a finding. The address says nothing of what is looked for.


def by_id(text: str) -> int | None:
    """Go to the record of that id, unless it is in view already."""
    called = choice.dataset().find(text)
    if called != choice.position():
        return called
    return None


def finding(back: bool) -> None:
    """Go to the next record with a finding under what is sent, or the last one before; for callbacks.

    The check of all records answers at once where it was made; else the records are looked at one after another,
    and the page shows how far that is.
    """
    at, sent, workspace, data = choice.position(), choice.sent(), choice.workspace(), choice.dataset()
    if (audit := _audit()) is not None and sent in (selections.list_selections(workspace) or (Selection(),)):
        return _go(finding_search.pick(finding_search.of_audit(audit, sent), at, back))
    held_finding = st.session_state.get(KNOWN)
    if held_finding is not None and held_finding[0] == (choice.key(), sent):
        return _go(finding_search.pick(held_finding[1], at, back))
    key = (choice.key(), sent, at, back)
    job = background.ask(KIND, key, lambda progress: finding_search.nearest(workspace, data, sent, at, back, progress))
    if job.ready.wait(work.PATIENCE):
        return _arrive(job)
    st.session_state[KIND] = key
    return None


def arrive() -> None:
    """While records are looked at for a finding, show how far that is; then go there."""
    key = st.session_state.get(KIND)
    if key is not None:
        job = background.find_job(KIND, key)
    else:
        job = None
    if (
        job is None or key is None or key[:3] != (choice.key(), choice.sent(), choice.position())
    ):  # somebody went elsewhere
        st.session_state.pop(KIND, None)
        return
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if job.error is not None:
        background.drop(KIND)  # else it would fail again at each look
    if work.look(job, "messages.looking", KIND):
        _arrive(job)
        st.rerun()


def _arrive(job: Job) -> None:
    stopped = job.stopped
    st.session_state.pop(KIND, None)
    background.drop(KIND)
    if job.result is not None and not stopped:
        if job.result.all is not None:
            st.session_state[KNOWN] = ((choice.key(), choice.sent()), job.result.all)
        _go(job.result.there)


def _go(there: There | None) -> None:
    if there is None:
        st.session_state["bar_said"] = t("messages.no_more_findings")
    else:
        choice.go(there[0], finding=there[1] or None)


def _audit() -> Audit | None:
    """Return the check of all records, where it was made to the end and holds every finding."""
    job = caches.audited(choice.key())
    if job is not None and job.ready.is_set():
        result = job.result
    else:
        result = None
    if isinstance(result, Audit) and not (result.stopped or result.truncated):
        return result
    return None
