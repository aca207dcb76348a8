"""What stands on a page while a log is read: how far that is, and already the first request of the log."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from readback.html import exact
from readback.message_parts import parts
from readback.readers.files.paths import list_inside
from readback.ui.common import show
from readback.ui.common.draw.text import message
from readback.ui.common.state import caches, choice
from readback.ui.common.state.work import look, whole
from readback.words import t

PATIENCE = 10.0  # seconds for which the first request is waited for


def draw() -> bool:
    """Draw how far the reading of the log in view is, and its first request; return False where no log is read."""
    job = choice.find_opening()
    if job is None:
        return False
    st.title(show.md(choice.workspace_id()))
    if job.ready.is_set():
        whole(job, "frame.opening", "opening", "frame.opening_stopped", "frame.again", caches.opening.clear)
    elif look(job, "frame.opening", "opening", patience=0.0):
        st.rerun()
    _draw_first_request(Path(choice.key()[0]))
    return True


def _draw_first_request(path: Path) -> None:
    """Draw the messages that stand first in a log that is opened alone, exactly as everywhere."""
    files = [path] if path.is_file() else list_inside(path).files
    if len(files) != 1:
        return
    job = caches.first_request(str(files[0]), choice.key()[1])
    if job.ready.wait(PATIENCE):
        messages = job.result
    else:
        messages = None
    if not messages:
        return
    show.draw(show.h("<h2>{}</h2><p>{}</p>", t("frame.first_request"), t("frame.first_request_alone")))
    for number, each in enumerate(messages):
        name, title = f"first-{number}", message.role_title(each.role)
        segments, start, left = exact.window(each.segments, message.whitespace())
        head = show.h('<div class="rb-head"><h3>{}</h3></div>', title)
        st.html(f'<div class="rb">{head}{message.markup(name, title, segments, start=start)}</div>')
        if left:
            end = start + sum(len(segment.text) for segment in segments)
            show.notice(t("messages.window", start=start + 1, end=end, all=len(each.text)), "warning")
        show.draw(message.parts_markup(name, parts(each.whole)))
