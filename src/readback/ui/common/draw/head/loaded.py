"""What was loaded: each file and what it was taken for, the counts of the dataset, what was noticed on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import streamlit as st
from markupsafe import Markup

from readback.records.dataset import Counts
from readback.types import Finding, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import caches, choice, work
from readback.words import t
from readback.workspace.left_out import count_files

SHOWN = 200  # findings of loading that a page lists
TOOLS = 15  # files from which on the list wants a filter


def files(workspace: Workspace, caption: str) -> None:
    """Draw the table of files that were recognised."""
    rows: list[Mapping[str, Any]] = [
        {"file": entry.path, "what": entry.what, "used": t(f"overview.{_used(entry.used)}"), "detail": entry.detail}
        for entry in workspace.recognised
    ]
    columns = (
        Column("file", t("overview.file"), show=_path),
        Column("what", t("overview.what")),
        Column("used", t("overview.used")),
        Column("detail", t("overview.detail")),
    )
    table.table("loaded", columns, rows, caption=caption, tools=len(rows) > TOOLS)
    used, rest = count_files(workspace.recognised)
    show.draw(show.h('<p class="rb-small">{}</p>', t("open.files", n=used + rest, used=used, rest=rest)))


def counts(file: str, dataset_counts: Counts) -> str:
    """Draw the counts of a dataset, which add up."""
    return f"{t('overview.counts', file=file, n=dataset_counts.read)} {left(dataset_counts)}".rstrip()


def left(dataset_counts: Counts) -> str:
    """Return the lines of a dataset that are not records; of a format without lines of its own, the number of rows.
    "" where there is nothing to say.
    """
    if dataset_counts.read + dataset_counts.bad + dataset_counts.blank != dataset_counts.lines:
        if dataset_counts.bad:
            return t("overview.counts_bad", n=dataset_counts.bad)
        return ""
    if dataset_counts.bad and dataset_counts.blank:
        key = "both"
    elif dataset_counts.bad:
        key = "bad"
    elif dataset_counts.blank:
        key = "blank"
    else:
        key = ""
    if key:
        return t(f"overview.lines_{key}", n=dataset_counts.lines, bad=dataset_counts.bad, blank=dataset_counts.blank)
    return ""


def noticed() -> tuple[Finding, ...] | None:
    """Return what was noticed while the files were read, as `check` reports it; None while that is worked out.

    Scores and answers may be large: they are read in the background, and how far that is is on the page.
    """
    job = caches.loading(*choice.key(), choice.workspace())
    if not work.look(job, "frame.loading", "loading"):
        return None
    if job.stopped:
        show.notice(t("frame.loading_stopped"), "warning")
        st.button(t("frame.again"), key="again_loading", on_click=caches.loading.clear)
        return None
    return cast(tuple[Finding, ...], job.result or ())


def no_records(workspace: Workspace) -> str:
    """Why there is nothing to show: the dataset is not there, or it is empty."""
    if workspace.dataset and workspace.dataset.absent:
        return t("messages.absent", file=workspace.dataset.path)
    return t("messages.no_records")


def problems(noticed: Sequence[Finding]) -> None:
    """Draw the findings of loading; of very many the first, and where all of them are."""
    show.findings(noticed[:SHOWN], to_message=False)
    if len(noticed) > SHOWN:
        more = t("open.more_problems", n=len(noticed) - SHOWN)
        show.draw(show.h("<p>{} {}</p>", more, show.link("findings", t("overview.all_findings"))))


def _path(row: Mapping[str, Any]) -> Markup:
    return show.h('<span class="rb-path">{}</span>', show.breaks(row["file"]))


def _used(used: bool) -> str:
    if used:
        return "yes"
    return "no"
