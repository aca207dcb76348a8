"""Out of the page and into the meeting: copy a thing for notes, or add it to Review."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from markupsafe import Markup

from readback.bookmarks import markdown
from readback.bookmarks.entry import Entry, cut_beginning
from readback.html import exact
from readback.ui.common import address, show
from readback.ui.common.draw import exports, reviewing
from readback.ui.common.draw.text import beside
from readback.ui.common.state import choice
from readback.words import t


def offer(name: str, entry: Entry, plain: bool = True, item: str = "") -> None:
    """Draw quiet buttons: copy the entry for notes, add it to Review (or take it out). `name` is unique on the page.

    Unless `plain`, the way into Review is what the eye falls on, and what else there is stands in a menu beside it.
    Where Review has an item about the same (`item` is its key), that way is a link to it, and the entry is added to
    that item, in the menu. The entry gets the name of the workspace in view where it has none.
    """
    if not entry.workspace:
        entry = replace(entry, workspace=choice.workspace().name)
    mark = replace(entry, link="").key  # the way to it names what else is in view, which makes it no other thing
    there = next((item for item in reviewing.state().agenda if item.entry.get("key") == mark), None)
    is_folded = bool(item) or not plain
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"notes_{name}"):
        if item and not plain:
            show.draw(show.h('<span class="rb-open-item">{}</span>', show.link("review", t("list.open"), item=item)))
        elif not plain and there is None:
            st.button(t("list.add"), key=f"list_{name}", type="primary", on_click=_add, args=(name, mark, entry))
        with st.popover(t("list.more"), key=f"more_{name}", type="tertiary") if is_folded else nullcontext():
            copy(name, markdown.format_entry(entry, words()), "notes.md", t("list.copy"))
            if there is not None:
                take_out = t("list.remove_here")
                st.button(take_out, key=f"unlist_{name}", type="tertiary", on_click=_remove, args=(name, there.id))
            elif item or plain:
                label = t("list.add_text" if item else "list.add")
                st.button(label, key=f"list_{name}", type="tertiary", on_click=_add, args=(name, mark, entry))
        reviewing.show_outcome(f"list_{name}")


def _add(name: str, mark: str, entry: Entry) -> None:
    bookmark = {"key": mark, **asdict(replace(entry, link=_path(entry.link)))}
    _save(name, {"do": "add", "entry": bookmark})


def _remove(name: str, step: str) -> None:
    _save(name, {"do": "undo", "step": step})


def _save(name: str, payload: Mapping[str, Any]) -> None:
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = (f"list_{name}", "", t("list.no_name"))
        return
    reviewing.save(f"list_{name}", "agenda", payload)


def _path(link: str) -> str:
    """Return a link without the host, which others may reach by another name."""
    parts = urlsplit(link)
    if parts.query:
        return f"{parts.path}?{parts.query}"
    return parts.path


def copy(name: str, text: str, file: str, label: str) -> None:
    """Draw a button that copies a text; where the browser allows no copying it downloads `file`, and says why."""
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
    """Return the address of a page as a link that works outside of it; a bare path where the host is not known.

    It names the workspace in view, which need not be the first one when the link is followed.
    """
    parts = urlsplit(st.context.url or "")
    path = address.href(page, **{"workspace": choice.workspace_id(), **params})
    if parts.netloc:
        return f"{parts.scheme}://{parts.netloc}{path}"
    return path


def words() -> Mapping[str, str]:
    """Return the sentences of the exported texts, with their places."""
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
    """Return a text of the record in view to take along: its beginning, with the sha256 of all of it."""
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
        way(
            "prompts",
            **asdict(sent),
            record=name if own else None,
            index=None if own else str(at),
            layer=st.query_params.get("layer"),
        ),
        (cut_beginning(text),),
        tuple(facts),
        (("sha256", hashlib.sha256(exports.exact(text)).hexdigest()),),
    )
