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
from readback.exporting.lines import FORMS, Form
from readback.exporting.selections import NothingToExport
from readback.prompts.children import Progress
from readback.readers.cache_folder import cache_folder
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
    made: ExportResult


def draw() -> None:
    """The choice of what to take along, how far it is, and the download with its size once it is made."""
    with st.popover(t("messages.export_all"), key="export_all"):
        form: Form = st.selectbox(
            t("messages.export_form"), FORMS, key="export_form", format_func=lambda name: t(f"messages.export_{name}")
        )
        st.radio(t("messages.export_under"), (HERE, EVERY), key="export_under", horizontal=True,
                 format_func=lambda name: t(f"messages.export_under_{name}"))  # fmt: skip
        if form == "openai-batch":
            st.text_input(t("messages.export_model"), key="export_model")
        st.button(t("messages.export_make"), key="export_make", on_click=_begin)
        if (job := background.find_job(KIND, _asked())) is None:
            return
        if said := _refused(job):
            show.notice(said, "warning")
            return
        if isinstance(job.error, DatasetChanged):
            background.drop(KIND)
            choice.overtaken(job.error)
        if work.look(job, "messages.exporting", KIND):
            _offer(job.result, form)


def take(
    workspace: Workspace, choices: Sequence[Selection], form: Form, model: str, progress: Progress | None = None
) -> Taken:
    """The export in files without a name. Raises what `export` raises."""
    folder = cache_folder("exports")
    begun: list[BinaryIO] = []

    def errors() -> BinaryIO:
        begun.append(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115 - as the other one
        return begun[0]

    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it is open as long as it can be downloaded
    made = export(workspace, choices, form, file, errors, model=model or None, progress=progress)
    for one in (file, *begun):
        one.flush()
    return Taken(file, begun[0] if begun else None, made)


def content(file: BinaryIO) -> bytes:
    """All bytes of a file; several browsers may read it at once."""
    parts: list[bytes] = []
    while part := os.pread(file.fileno(), 1 << 28, sum(map(len, parts))):
        parts.append(part)
    return b"".join(parts)


def size(file: BinaryIO) -> str:
    """How large a file is, in words: `3.2 MB`."""
    return quantity.size(os.fstat(file.fileno()).st_size)


def _asked() -> tuple[object, Selection, str, Form, str]:
    """What the widgets say now: the files in view, what is shown, how much of it, the form, and the model."""
    state = st.session_state
    form: Form = state["export_form"]
    model = state.get("export_model", "") if form == "openai-batch" else ""
    return choice.key(), choice.sent(), state["export_under"], form, model


def _begin() -> None:
    workspace, asked = choice.workspace(), _asked()
    _, sent, under, form, model = asked

    def make(progress: Progress) -> Taken:
        return take(workspace, _choices(workspace, sent, under), form, model, progress)

    background.drop(KIND)  # asked for again, it is made again
    background.ask(KIND, asked, make)


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


def _offer(taken: Taken, form: Form) -> None:
    made = taken.made
    if made.stopped:
        show.notice(t("messages.export_stopped"), "warning")
        return
    if made.wording:
        show.notice(t("messages.wording", names=", ".join(made.wording)))
    if made.masked:
        show.notice(t("messages.masked"), "warning")
    said = t("messages.export_counts", n=made.records, choices=len(made.choices), written=made.written,
             failed=made.failed)  # fmt: skip
    show.draw(show.h("<p>{}</p>", said))
    kind, ending = MEDIA[form]
    called = exports.name(choice.workspace().name, form, exports.wording(tuple(made.wording)))
    downloads.button(t("messages.export_take", size=size(taken.file)), lambda: content(taken.file), called + ending,
                     kind, key="export_take", on_click="ignore")  # fmt: skip
    if (errors := taken.errors) is not None:
        downloads.button(t("messages.export_errors", size=size(errors)), lambda: content(errors),
                         f"{called}{ending}.errors.jsonl", "application/jsonl", key="export_errors",
                         on_click="ignore")  # fmt: skip
