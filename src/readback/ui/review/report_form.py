"""The report from the page: made when it is asked for, in one of its forms, for the files and events of that moment."""

from __future__ import annotations

from functools import partial

import streamlit as st

from readback.reporting import contents
from readback.reporting.forms import FORMS
from readback.review.store import Store
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import downloads, reviewing
from readback.ui.common.state import choice
from readback.words import t

FILES = {
    "html": ("readback-report.html", "text/html"),
    "markdown": ("readback-report.md", "text/markdown"),
    "json": ("readback-report.json", "application/json"),
}


def draw() -> None:
    """Draw the three downloads of the report."""
    opened, store = choice.workspace(), reviewing.store()  # a download is made when there is no session to ask
    with st.popover(t("agenda.report"), key="report_open"):
        show.draw(show.h('<p class="rb-prose">{}</p>', t("agenda.report_said")))
        for form, (name, kind) in FILES.items():
            make = partial(_make_report, form, opened, store)
            downloads.button(t(f"agenda.report_{form}"), make, name, kind, key=f"report_{form}", on_click="ignore")


def _make_report(form: str, opened: Workspace, store: Store) -> bytes:
    return FORMS[form](contents.build_contents(opened, store, contents.select_events(store.events(), None)))
