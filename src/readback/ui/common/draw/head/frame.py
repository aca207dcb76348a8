"""What is around every page: the workspace in the bar, its counts, and what changed on disk."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from markupsafe import Markup

from readback.ui.common import address, show
from readback.ui.common.draw.head import changed, loaded, present
from readback.ui.common.draw.text import message
from readback.ui.common.state import choice
from readback.ui.common.uploads import store as upload
from readback.words import t


def bar(page: str) -> None:
    """Draw which workspace, in the head; behind its name the others, its dataset, how many records, and *About*.

    `page` is the address of the page in view, on which another workspace is opened.
    """
    st.session_state[show.SPOKEN] = message.spoken()
    with st.container(key="workspace_bar", width="content"):
        show.draw(_menu(page, choice.workspace_id()))


def _menu(page: str, here: str) -> Markup:
    """Return the workspaces as a list of links that opens in the browser alone: no run of the page can close it."""
    about = show.join([show.link("open", t("frame.open_other")), show.link("about", t("frame.about"))], " · ")
    if not here:
        return about
    listed = dict.fromkeys((*choice.folders(), here))  # a demo may be in view without being in the list
    links = show.join([show.h("<li>{}</li>", _to(page, link, link == here)) for link in listed])
    return show.h(
        '<details class="rb-menu" data-rb-menu="{}"><summary><span class="rb-aloud">{} </span>'
        '<span class="rb-name">{}</span></summary><div class="rb-side"><ul class="rb-listed" aria-label="{}">{}</ul>'
        "{}<p>{}</p></div></details>",
        here,
        t("frame.workspace"),
        name(here),
        t("frame.workspace"),
        links,
        _facts(),
        about,
    )


def _to(page: str, token: str, here: bool) -> Markup:
    """Return a link to a workspace that forgets what is chosen in this one, as `address.put` does."""
    forgotten: dict[str, str | None] = {key: None for key in address.SHARED if key != present.KEY}
    only = {**forgotten, "workspace": token}
    link = show.link(page, name(token), **({} if here else only))
    if not here:
        return link
    return show.h('{} <span class="rb-small">{}</span>', show.current(link), t("open.in_view"))


def warn_of_loss() -> None:
    """Say on the page what changed on disk, and when the link asks for a workspace that is not here."""
    with st.container(key="changed"):
        changed.watch()
    changed.describe_versions()
    wanted = address.get("workspace")
    if wanted is not None and wanted != choice.workspace_id():
        show.notice(t("frame.unknown_workspace"), "warning")


def name(token: str) -> str:
    """Return the name of a workspace: of an upload its time and its files, since several may have one name."""
    if token.startswith(upload.PREFIX):
        folder = upload.path(token, choice.browser())
    else:
        folder = None
    if folder is None:
        return token
    return t("frame.upload_name", time=clock((upload.home() / token).stat().st_mtime), name=upload.title(folder))


def clock(moment: float) -> str:
    """Return the time of day where the browser is; else the server's, with the name of its time zone."""
    try:
        return datetime.fromtimestamp(moment, ZoneInfo(st.context.timezone or "")).strftime("%H:%M:%S")
    except (ValueError, ZoneInfoNotFoundError, OSError):
        return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S %Z")


def _facts() -> Markup:
    """Return the name of the workspace in view, its dataset, and what must be known of it, as far as it is read."""
    workspace, data = choice.peek()
    if workspace is None:
        return Markup("")
    lines = [show.h("<p><strong>{}</strong></p>", workspace.name)]
    if workspace.dataset is None:
        lines.append(show.h("<p>{}</p>", t("frame.no_dataset")) if workspace.prompts or workspace.tasks else Markup(""))
    elif workspace.dataset.absent:
        lines.append(show.h("<p>{}</p>", t("frame.absent", file=workspace.dataset.path)))
    elif data is not None:
        records = show.link("records", t("frame.records", n=len(data)))
        lines.append(show.h("<p>{}<br>{}</p>", workspace.dataset.path, records))
        counts = data.counts
        if counts.bad or counts.blank:
            lines.append(show.h("<p>{}</p>", loaded.left(counts)))
        if workspace.dataset.private:
            lines.append(show.h("<p>{}</p>", t("frame.masked")))
    if choice.workspace_id().startswith(upload.PREFIX):
        lines.append(show.h("<p>{}</p>", t("frame.uploaded")))
    return show.join(lines)
