"""What was loaded: each file and what it was taken for, the counts of the dataset, what was noticed on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.audit import training
from readback.records.dataset import Counts, Dataset
from readback.rules import finding
from readback.types import Finding, Workspace
from readback.ui import show, table
from readback.ui.table import Column
from readback.ui.words import t

TOOLS = 15  # files from which on the list wants a filter


def files(shop: Workspace, caption: str) -> None:
    """The table of files that were recognised."""
    rows: list[Mapping[str, Any]] = [
        {"file": one.path, "what": one.what, "used": t(f"overview.{_used(one.used)}"), "detail": one.detail}
        for one in shop.recognised
    ]
    columns = (
        Column("file", t("overview.file"), show=lambda row: show.h('<span class="rb-path">{}</span>', row["file"])),
        Column("what", t("overview.what")),
        Column("used", t("overview.used")),
        Column("detail", t("overview.detail")),
    )
    table.table("loaded", columns, rows, caption=caption, tools=len(rows) > TOOLS)


def counts(file: str, said: Counts) -> str:
    """The counts of a dataset, which add up."""
    if said.read + said.bad + said.blank == said.lines:
        return t("overview.counts", file=file, n=said.lines, read=said.read, bad=said.bad, blank=said.blank)
    return t("overview.counts_other", file=file, n=said.read, bad=said.bad)


def noticed(shop: Workspace, data: Dataset | None) -> tuple[Finding, ...]:
    """What was noticed while the files were read."""
    return tuple(finding(note) for note in (*shop.notes, *(training.noted(shop, data) if data else ())))


def _used(used: bool) -> str:
    return "yes" if used else "no"
