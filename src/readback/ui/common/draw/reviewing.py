"""The review of the workspace in view: read once a run, written with the author's name, and never said to be saved
before it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import streamlit as st

from readback.review.event import Draft, Kind, NotSaved, new_id
from readback.review.state import Review, build_review
from readback.review.store import Broken, NotReadable, Store
from readback.review.who import Author, identify_author
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.words import t

SAID = "review_said"  # in the session: what the last save came to, with the key of its draft
LOOPBACK = "127.0.0.1"  # Streamlit names no address for a connection from its own machine, which a proxy may be on
NAMED = "review_named"  # in the session: the name that was typed; a field of one page is forgotten on the next
PENDING = "review_pending"  # in the session: what was to be saved before a name was known
COOKIE = "readback_name"  # where our script keeps the name that was asked for


@dataclass(frozen=True, slots=True)
class Pending:
    """What somebody wanted to have saved, in which workspace and on which page; `then` follows once it is."""

    form: str
    kind: Kind
    payload: Mapping[str, Any]
    texts: Mapping[str, bytes] | None
    fields: tuple[str, ...]
    then: Callable[[], object] | None
    place: tuple[object, str]


@st.cache_resource(max_entries=32, show_spinner=False)
def _store(root: str) -> Store:
    return Store(Path(root))


def store() -> Store:
    """Return the review of the workspace in view; all sessions share it."""
    return _store(str(choice.workspace().root))


def state() -> Review:
    """Return the state of the review now. Where it cannot be read, the page says so, and the state is empty."""
    try:
        return _state(store().sequence(), str(choice.workspace().root))
    except NotReadable as error:
        show.problem(t("review.unreadable"), str(error))
        return Review()


def is_readable() -> bool:
    """Whether the review can be read at all: of one that cannot nobody knows that it is empty."""
    try:
        store().sequence()
    except NotReadable:
        return False
    return True


@st.cache_data(max_entries=32, show_spinner=False)
def _state(sequence: int, root: str) -> Review:
    return build_review(_store(root).events())


def broken() -> Broken | None:
    """Where the chain of events is broken; None where it is whole."""
    try:
        return _broken(store().sequence(), str(choice.workspace().root))
    except NotReadable:
        return None  # `state` says so


@st.cache_data(max_entries=32, ttl=60, show_spinner=False)
def _broken(sequence: int, root: str) -> Broken | None:
    return _store(root).broken()


def author() -> Author:
    """Who writes here."""
    headers = st.context.headers
    values = {name.lower(): headers.get_all(name) for name in headers}
    cookie = st.context.cookies.get(COOKIE)
    name = st.session_state.get(NAMED, unquote(cookie) if isinstance(cookie, str) else "")
    return identify_author(values, st.context.ip_address or LOOPBACK, name)


def name_field() -> Author:
    """Ask for the author's name, once in a browser; where a proxy says it, it is shown. Drawn once on a page."""
    writer = author()
    if writer.refused:
        show.notice(t("review.refused", why=t(f"review.why_{writer.refused.replace(' ', '_')}")), "warning")
    elif writer.source == "proxy":
        show.draw(show.h('<p class="rb-small">{}</p>', t("review.you_are", name=writer.name)))
    else:
        _name_input("review_name", t("review.name"), writer.name)
    return author()


def _name_input(key: str, label: str, name: str) -> None:
    st.session_state.setdefault(key, name)
    st.text_input(
        label,
        key=key,
        help=t("review.name_help"),
        max_chars=200,
        autocomplete="name",
        on_change=_named,
        args=(key,),
    )
    show.draw(show.h('<span data-rb-name="{}"></span>', st.session_state[key]))


def _named(key: str) -> None:
    take_name(st.session_state[key])
    _save_pending()


def take_name(name: str) -> None:
    """Keep the name that somebody typed; for callbacks."""
    st.session_state[NAMED] = name


def _save_pending() -> None:
    """Save what waited for a name, unless another page is in view by now."""
    pending: Pending | None = st.session_state.get(PENDING)
    if pending is None or not author().name:
        return
    del st.session_state[PENDING]
    if pending.place == _place():
        save(pending.form, pending.kind, pending.payload, pending.texts, *pending.fields, then=pending.then)


def _place() -> tuple[object, str]:
    """Return the workspace and the page in view. The page by its address: the first run of a session has no other
    name for it than later ones.
    """
    return choice.workspace().root, urlsplit(st.context.url or "").path


def draft_key(name: str) -> str:
    """Return the id of the draft of one form: created with it, stored with its text in the tab, and new after each
    save.
    """
    key = st.session_state.setdefault(f"draft_key_{name}", new_id())
    st.text_input(t("review.draft_key"), key=f"draft_key_{name}", label_visibility="collapsed")
    show.draw(show.h('<span data-rb-draft="{}" data-rb-key="{}"></span>', name, key))
    return str(key)


def save(
    form: str,
    kind: Kind,
    payload: Mapping[str, Any],
    texts: Mapping[str, bytes] | None = None,
    *fields: str,
    then: Callable[[], object] | None = None,
) -> bool:
    """Save what a form holds; `fields` are emptied once it is saved, and `then` is called. Says on the page what came
    of it. Where no name is known it waits for one, which the page asks for in place.
    """
    writer = author()
    if not writer.name:
        if not writer.refused:
            st.session_state[PENDING] = Pending(form, kind, payload, texts, fields, then, _place())
        st.session_state[SAID] = (form, "", t("review.no_name"))
        return False
    st.session_state.pop(PENDING, None)
    key = st.session_state.get(f"draft_key_{form}") or new_id()
    try:
        store().save(Draft(kind, payload, writer.name, writer.source, key), texts)
    except (NotSaved, NotReadable) as error:
        st.session_state[SAID] = (form, "", t("review.not_saved", why=str(error)))
        return False
    for field in fields:
        st.session_state[field] = ""
    st.session_state[f"draft_key_{form}"] = new_id()
    st.session_state[SAID] = (form, key, t(f"review.saved_{kind}"))
    if then is not None:
        then()
    return True


def save_here(form: str, kind: Kind, payload: Mapping[str, Any]) -> None:
    """Save what one click says, without a form; where it is not saved, the page says so."""
    save(form, kind, payload)
    outcome = st.session_state.pop(SAID, None)
    if (pending := st.session_state.get(PENDING)) is not None:
        st.session_state[PENDING] = replace(pending, form="board")
    st.session_state[SAID] = ("board", "", outcome[2]) if outcome and not outcome[1] else None


def show_outcome(form: str, with_name: bool = True) -> None:
    """Draw what came of the last save of a form; the tab lets go of a draft that was saved. What waits for a name asks
    for it here, unless the form has a field for it (not `with_name`).
    """
    outcome = st.session_state.get(SAID)
    if outcome is not None and outcome[0] == form:
        del st.session_state[SAID]
        if outcome[1]:
            show.draw(show.h('<p class="rb-fine" role="status" data-rb-saved="{}">{}</p>', outcome[1], outcome[2]))
        else:
            show.draw(show.h('<p class="rb-warn" role="alert">{}</p>', outcome[2]))
    pending: Pending | None = st.session_state.get(PENDING)
    if with_name and pending is not None and pending.form == form and pending.place == _place():
        with st.container(key=f"name_{form}"):
            _name_input(f"review_name_{form}", t("review.name_now"), "")
            st.button(t("review.save_named"), key=f"save_named_{form}", type="primary", on_click=_save_pending)
