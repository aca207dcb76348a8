"""What is around every page: the workspace in the bar, its counts, and what changed on disk."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from markupsafe import Markup

from readback.ui.common import address, changed, choice, message, show, upload
from readback.words import t


def bar() -> None:
    """Which workspace, behind its name in the bar: another one, its dataset, how many records, and *About*."""
    st.session_state[show.SPOKEN] = message.spoken()
    here = choice.workspace_id()
    with st.container(key="workspace_bar", width="content"):
        label = show.md(name(here)) if here else t("frame.about")
        # With another workspace it is another button, which is closed.
        with st.popover(label, key=f"workspace_open_{here}", type="tertiary"):
            if here:
                listed = dict.fromkeys((*choice.folders(), here))  # a demo may be in view without being in the list
                st.session_state["workspace"] = here
                # Not a picker: what it opens closed, now and then, the popover that it is in.
                st.radio(t("frame.workspace"), list(listed), key="workspace", format_func=_label, on_change=_open)
                _facts()
            st.page_link("pages/about_page.py", label=t("frame.about"), query_params=address.query())


def lost() -> None:
    """Say on the page what changed on disk, and when the link asks for a workspace that is not here."""
    with st.container(key="changed"):
        changed.watch()
    changed.told()
    wanted = address.get("workspace")
    if wanted is not None and wanted != choice.workspace_id():
        show.notice(t("frame.unknown_workspace"), "warning")


def _open() -> None:
    address.put(workspace=st.session_state["workspace"])


def name(token: str) -> str:
    """What a workspace is called: an upload by when it came and by its files, since several may have one name."""
    folder = upload.path(token, choice.browser()) if token.startswith(upload.PREFIX) else None
    if folder is None:
        return token
    return t("frame.upload_name", time=clock((upload.home() / token).stat().st_mtime), name=upload.title(folder))


def _label(token: str) -> str:
    return show.md(name(token))


def clock(moment: float) -> str:
    """The time of day where the browser is; where it does not say, the server's, with the name of its time zone."""
    try:
        return datetime.fromtimestamp(moment, ZoneInfo(st.context.timezone or "")).strftime("%H:%M:%S")
    except (ValueError, ZoneInfoNotFoundError, OSError):
        return datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S %Z")


def _facts() -> None:
    workspace, data = choice.peek()
    if workspace is None:
        return
    lines = [show.h("<p><strong>{}</strong></p>", workspace.name)]
    if workspace.dataset is None:
        lines.append(show.h("<p>{}</p>", t("frame.no_dataset")) if workspace.prompts or workspace.tasks else Markup(""))
    elif workspace.dataset.absent:
        lines.append(show.h("<p>{}</p>", t("frame.absent", file=workspace.dataset.path)))
    elif data is not None:
        records = show.link("records", t("frame.records", n=len(data)))
        lines.append(show.h("<p>{}<br>{}</p>", workspace.dataset.path, records))
        said = data.counts
        if said.bad or said.blank:
            counts = t("frame.counts", lines=said.lines, read=said.read, bad=said.bad, blank=said.blank)
            lines.append(show.h("<p>{}</p>", counts))
        if workspace.dataset.private:
            lines.append(show.h("<p>{}</p>", t("frame.masked")))
    if choice.workspace_id().startswith(upload.PREFIX):
        lines.append(show.h("<p>{}</p>", t("frame.uploaded")))
    show.draw(show.h('<div class="rb-side">{}</div>', show.join(lines)))
