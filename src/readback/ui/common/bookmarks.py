"""Out of the page and into the meeting: copy a thing for notes, put it on the list, and the list of this session."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from urllib.parse import urlsplit

import streamlit as st
from markupsafe import Markup

from readback.bookmarks import markdown
from readback.bookmarks.entry import Entry, beginning, moved, without
from readback.html import exact
from readback.ui.common import address, beside, choice, exports, show
from readback.words import t

KEPT = "notes"  # where the session keeps its list
MOST = 200  # entries: more is not a list for a meeting


def offer(name: str, entry: Entry) -> None:
    """Two quiet buttons: copy the entry for notes, add it to the list (or take it off). `name` is unique on the page.

    The entry gets the name of the workspace in view where it has none.
    """
    if not entry.workspace:
        entry = replace(entry, workspace=choice.workspace().name)
    there = any(one.key == entry.key for one in kept())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"notes_{name}"):
        copy(name, markdown.entry(entry, words()), "notes.md", t("list.copy"))
        if there:
            st.button(t("list.remove_here"), key=f"unlist_{name}", type="tertiary", on_click=remove, args=(entry.key,))
        else:
            full = len(kept()) >= MOST
            st.button(t("list.add"), key=f"list_{name}", type="tertiary", on_click=add, args=(entry,), disabled=full,
                      help=t("list.full", n=MOST) if full else None)  # fmt: skip


def copy(name: str, text: str, file: str, label: str) -> None:
    """A button that copies a text; where the browser allows no copying it downloads it as `file`, and says why."""
    button = show.h(
        '<button class="rb-button" type="button" data-rb-copy="note-{}" data-rb-file="{}" data-rb-done="{}" '
        'data-rb-failed="{}">{}</button><span hidden id="note-{}">{}</span>',
        name,
        file,
        t("messages.copied"),
        t("list.not_copied"),
        label,
        name,
        Markup(exact.text(text)),  # noqa: S704 (escaped there)
    )
    st.html(f'<div class="rb">{button}</div>', width="content")


def way(page: str, **params: str | None) -> str:
    """The address of a page of ours as a link that works outside of it; a bare path where the host is not known.

    It names the workspace in view, which need not be the first one when the link is followed.
    """
    seen = urlsplit(st.context.url or "")
    path = address.href(page, **{"workspace": choice.workspace_id(), **params})
    return f"{seen.scheme}://{seen.netloc}{path}" if seen.netloc else path


def kept() -> tuple[Entry, ...]:
    """The list of this session, in its order."""
    entries: tuple[Entry, ...] = st.session_state.get(KEPT, ())
    return entries


def add(entry: Entry) -> None:
    """Put an entry at the end of the list; for callbacks."""
    if len(kept()) < MOST:
        st.session_state[KEPT] = (*without(kept(), entry.key), entry)


def remove(key: str) -> None:
    """Take an entry off the list; for callbacks."""
    st.session_state[KEPT] = without(kept(), key)


def move(key: str, by: int) -> None:
    """Move an entry up (-1) or down (1); for callbacks."""
    st.session_state[KEPT] = moved(kept(), key, by)


def clear() -> None:
    """Empty the list; for callbacks."""
    st.session_state[KEPT] = ()


def words() -> Mapping[str, str]:
    """The sentences of the exported texts, with their places."""
    return {
        "link": t("list.link"),
        "left_before": t("list.left_before", n="{n}"),
        "left_after": t("list.left_after", n="{n}"),
        "spelled": t("list.spelled"),
        "workspace": t("frame.workspace"),
        "error": t("frame.error"),
        "warning": t("frame.warning"),
        "info": t("frame.info"),
    }


def of_text(title: str, text: str, masked: bool, ours: Sequence[str] = ()) -> Entry:
    """A text of the record in view to take along: its beginning, with the sha256 of all of it."""
    data, at, sent = choice.dataset(), choice.position(), choice.sent()
    name = choice.record().id
    own = name is not None and name == exact.spelling(name) and data.find(name) == at
    record = name if name is not None else str(at)
    condition = sent.condition or " · ".join(part for part in (sent.mode, sent.task, sent.adapter) if part)
    facts = [t("messages.masked")] if masked else []
    facts += [t("messages.wording", names=", ".join(ours))] if ours else []
    facts += [t("messages.tried", names=", ".join(tried))] if (tried := beside.tried()) else []
    return Entry(
        "message",
        t("list.text", title=title, record=record, sent=" · ".join(part for part in (condition, sent.judge) if part)),
        way("messages", **asdict(sent), record=name if own else None, index=None if own else str(at),
            view=st.query_params.get("view")),
        (beginning(text),),
        tuple(facts),
        (("sha256", hashlib.sha256(exports.exact(text)).hexdigest()),),
    )  # fmt: skip
