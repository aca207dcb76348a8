"""The list of this session on its page: its entries in their order, and the ways to take it along."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from readback.bookmarks import markdown, page
from readback.bookmarks.entry import Entry
from readback.html import exact
from readback.ui.common import bookmarks, downloads, quote, show
from readback.words import language, t

FILE = "readback-list"


def take(entries: Sequence[Entry]) -> None:
    """The list as Markdown and as one HTML file, to copy and to download; and a way to begin anew."""
    with st.container(horizontal=True, vertical_alignment="center", key="take_list"):
        bookmarks.copy("list", as_markdown(entries), f"{FILE}.md", t("list.copy_all"))
        downloads.button(t("list.as_markdown"), lambda: as_markdown(entries), f"{FILE}.md", "text/markdown",
                         key="list_markdown", on_click="ignore")  # fmt: skip
        downloads.button(t("list.as_html"), lambda: as_html(entries), f"{FILE}.html", "text/html",
                         key="list_html", on_click="ignore")  # fmt: skip
        st.button(t("list.clear"), key="list_clear", type="tertiary", on_click=bookmarks.clear)


def as_markdown(entries: Sequence[Entry]) -> str:
    return markdown.document(entries, t("list.heading"), bookmarks.words())


def as_html(entries: Sequence[Entry]) -> str:
    return page.document(entries, t("list.heading"), bookmarks.words(), exact.text, language())


def draw(entries: Sequence[Entry]) -> None:
    """Each entry with the buttons that move it and take it off."""
    for number, one in enumerate(entries, 1):
        show.draw(_entry(one, number))
        with st.container(horizontal=True, gap="small", key=f"entry_{one.key}"):
            st.button(t("list.up", n=number), key=f"up_{one.key}", type="tertiary", disabled=number == 1,
                      on_click=bookmarks.move, args=(one.key, -1))  # fmt: skip
            st.button(t("list.down", n=number), key=f"down_{one.key}", type="tertiary", disabled=number == len(entries),
                      on_click=bookmarks.move, args=(one.key, 1))  # fmt: skip
            st.button(t("list.remove", n=number), key=f"remove_{one.key}", type="tertiary",
                      on_click=bookmarks.remove, args=(one.key,))  # fmt: skip


def _entry(one: Entry, number: int) -> Markup:
    word = show.severity(one.severity) if one.severity else ""
    facts = show.join([show.h('<p class="rb-small">{}</p>', fact) for fact in one.facts])
    labelled = [(part, show.h('<p class="rb-small">{}</p>', part.label) if part.label else "") for part in one.excerpts]
    quotes = show.join([show.h("{}{}", label, quote.quote(part, one.severity)) for part, label in labelled])
    link = show.h('<a class="rb-link" target="_self" href="{}">{}</a>', one.link, t("list.see")) if one.link else ""
    digests = [show.h("{} <code>{}</code>", label, digest) for label, digest in one.fingerprints]
    foot = show.join([part for part in (link, one.workspace, *digests) if part], " · ")
    return show.h(
        '<div class="rb-entry"><h2>{}. {} {}</h2>{}{}<p class="rb-where">{}</p></div>',
        number,
        word,
        one.title,
        facts,
        quotes,
        foot,
    )
