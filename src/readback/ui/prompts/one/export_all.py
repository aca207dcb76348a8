"""Take all records along: made in the background when somebody asks for it, and downloaded from a file of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

import streamlit as st

from readback import quantity
from readback.exporting import selections as export_selections
from readback.exporting.export import MEDIA, ExportResult, NoModel, export
from readback.exporting.lines import ASKING_FORMS, FORMS, Form
from readback.exporting.selections import NothingToExport
from readback.prompts.children import Progress
from readback.readers.files.cache_folder import cache_folder
from readback.records.dataset import DatasetChanged
from readback.types import Selection, Workspace
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports
from readback.ui.common.state import background, choice, work
from readback.ui.common.state.work import Job
from readback.words import t

KIND = "export_all"
HERE, EVERY = "sent", "all"


@dataclass(frozen=True, slots=True)
class Taken:
    """What was made: the file, what a batch cannot hold in another one, and what it came to.

    Both files have no name, so that they are gone with the session that asked for them.
    """

    file: BinaryIO
    errors: BinaryIO | None
    exported: ExportResult


def draw() -> None:
    """Draw the choice of what to take along, the progress, and the download with its size."""
    with st.expander(t("messages.export_all"), key="export_all"):
        form: Form = st.selectbox(
            t("messages.export_form"), FORMS, key="export_form", format_func=lambda name: t(f"messages.export_{name}")
        )
        st.radio(
            t("messages.export_under"),
            (HERE, EVERY),
            key="export_under",
            horizontal=True,
            format_func=lambda name: t(f"messages.export_under_{name}"),
        )
        if form in ASKING_FORMS:
            st.text_input(t("messages.export_model"), key="export_model")
        st.button(t("messages.export_make"), key="export_make", on_click=_begin)
        if (job := background.find_job(KIND, _read_widgets())) is None:
            return
        if refusal := _refused(job):
            show.notice(refusal, "warning")
            return
        if isinstance(job.error, DatasetChanged):
            background.drop(KIND)
            choice.overtaken(job.error)
        if work.look(job, "messages.exporting", KIND):
            _offer(job.result, form)


def take(
    workspace: Workspace, choices: Sequence[Selection], form: Form, model: str, progress: Progress | None = None
) -> Taken:
    """Write the export to files without a name. Raises what `export` raises."""
    folder = cache_folder("exports")
    begun: list[BinaryIO] = []

    def errors() -> BinaryIO:
        begun.append(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115 - as the other one
        return begun[0]

    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it is open as long as it can be downloaded
    exported = export(workspace, choices, form, file, errors, model=model or None, progress=progress)
    for stream in (file, *begun):
        stream.flush()
    return Taken(file, begun[0] if begun else None, exported)


def content(file: BinaryIO) -> bytes:
    """All bytes of a file; several browsers may read it at once."""
    parts: list[bytes] = []
    while part := os.pread(file.fileno(), 1 << 28, sum(map(len, parts))):
        parts.append(part)
    return b"".join(parts)


def size(file: BinaryIO) -> str:
    """How large a file is, in words: `3.2 MB`."""
    return quantity.size(os.fstat(file.fileno()).st_size)


def _read_widgets() -> tuple[object, Selection, str, Form, str]:
    """Return what the widgets are set to: the files in view, what is shown, how much of it, the form, and the model."""
    state = st.session_state
    form: Form = state["export_form"]
    if form in ASKING_FORMS:
        model = state.get("export_model", "")
    else:
        model = ""
    return choice.key(), choice.sent(), state["export_under"], form, model


def _begin() -> None:
    workspace, wanted = choice.workspace(), _read_widgets()
    _, sent, under, form, model = wanted

    def make(progress: Progress) -> Taken:
        return take(workspace, _choices(workspace, sent, under), form, model, progress)

    background.drop(KIND)  # asked for again, it is made again
    background.ask(KIND, wanted, make)


def _choices(workspace: Workspace, sent: Selection, under: str) -> Sequence[Selection]:
    if under == HERE:
        return (sent,)
    return export_selections.choose_selections(workspace, judge=sent.judge)


def _refused(job: Job) -> str:
    """Why nothing could be made, where that is nobody's mistake here."""
    if isinstance(job.error, NoModel):
        return t("messages.export_no_model")
    if isinstance(job.error, NothingToExport):
        return t("messages.export_nothing", why=str(job.error))
    if isinstance(job.error, OSError):
        return t("messages.export_no_room", why=(job.error.strerror or str(job.error)).lower())
    return ""


def _offer(export: Taken, form: Form) -> None:
    exported = export.exported
    if exported.stopped:
        show.notice(t("messages.export_stopped"), "warning")
        return
    if exported.wording:
        show.notice(t("messages.wording", names=", ".join(exported.wording)))
    if exported.masked:
        show.notice(t("messages.masked"), "warning")
    sentence = t(
        "messages.export_counts",
        n=exported.records,
        choices=len(exported.choices),
        written=exported.written,
        failed=exported.failed,
    )
    show.draw(show.h("<p>{}</p>", sentence))
    kind, ending = MEDIA[form]
    called = exports.name(choice.workspace().name, form, exports.wording(tuple(exported.wording)))
    downloads.button(
        t("messages.export_take", size=size(export.file)),
        lambda: content(export.file),
        called + ending,
        kind,
        key="export_take",
        on_click="ignore",
    )
    if (errors := export.errors) is not None:
        downloads.button(
            t("messages.export_errors", size=size(errors)),
            lambda: content(errors),
            f"{called}{ending}.errors.jsonl",
            "application/jsonl",
            key="export_errors",
            on_click="ignore",
        )
