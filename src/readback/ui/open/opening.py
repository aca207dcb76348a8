"""The open page's parts: lists of workspaces, and an upload that becomes one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.rules import build_finding
from readback.types import Diagnostic
from readback.ui.common import address, show
from readback.ui.common.draw.head import frame
from readback.ui.common.state import choice
from readback.ui.common.uploads import store as upload
from readback.ui.common.uploads.quota import NoRoom
from readback.words import t


def listed(title: str, there: Iterable[str]) -> None:
    """Draw a list of workspaces, each a link."""
    st.header(title)
    show.draw(
        show.h('<ul class="rb-listed">{}</ul>', show.join([show.h("<li>{}</li>", _link(name)) for name in there]))
    )


def own_workspaces(there: Iterable[str]) -> None:
    """Draw the uploads of this browser, each with a button that deletes it at once."""
    st.header(t("open.uploads"))
    for token in there:
        with st.container(horizontal=True, vertical_alignment="center"):
            show.draw(_link(token))
            st.button(t("open.delete"), key=f"delete_{token}", on_click=_delete, args=(token,))


def bring() -> None:
    """Draw the upload: files or a whole folder, stored as a workspace of their own and opened."""
    st.header(t("open.mine"))
    _own_words()
    turn = st.session_state.setdefault("uploads", 0)  # a new key empties the two after use
    files = st.file_uploader(
        t("open.upload"), accept_multiple_files=True, key=f"upload_{turn}", help=t("open.upload_help")
    )
    folder = st.file_uploader(t("open.upload_folder"), accept_multiple_files="directory", key=f"folder_{turn}")
    uploads_sent = [*(files or ()), *(folder or ())]
    if st.button(t("open.upload_go"), key="upload_go", type="primary", disabled=not uploads_sent):
        take_files([(file.name, file) for file in uploads_sent])
    show.draw(show.h('<p class="rb-small">{}</p>', t("open.upload_private")))


def _own_words() -> None:
    """Our words in place of Streamlit's in the two fields, for which it has no parameter (streamlit#13500).

    The style sheet says where they are.
    """
    most = int(st.get_option("server.maxUploadSize"))
    labels = {
        "choose": t("open.upload_choose"),
        "choose-folder": t("open.upload_choose_folder"),
        "drop": t("open.upload_drop", n=most),
        "drop-folder": t("open.upload_drop_folder", n=most),
    }
    lines = [show.h("--rb-{}: {};", name, _css(text)) for name, text in labels.items()]
    st.html(show.h("<style>:root {{ {} }}</style>", show.join(lines, " ")))


def _css(text: str) -> Markup:
    """Return a text as a CSS string in which no character can mean anything else."""
    signs = [sign if sign.isascii() and sign.isalnum() else f"\\{ord(sign):x} " for sign in text]
    return show.h('"{}"', "".join(signs))


def show_outcome() -> None:
    """Draw what came of the upload or the deletion a moment ago."""
    if st.session_state.pop("upload_deleted", False):
        show.notice(t("open.deleted"))
    token, count, diagnostics = st.session_state.get("upload_said", ("", 0, ()))
    if token and token == choice.workspace_id():
        show.notice(t("open.kept", n=count))
        show.findings([build_finding(diagnostic) for diagnostic in diagnostics], to_message=False)


def _delete(token: str) -> None:
    upload.delete(token, choice.browser())
    st.session_state["upload_deleted"] = True
    if token == choice.workspace_id() or token == address.get("workspace"):
        address.put(workspace=None)


def take_files(files: list[tuple[str, Any]]) -> None:
    """Store files (name, binary file) as a workspace of this browser and open it; say why where that cannot be done."""
    try:
        token, diagnostics = upload.save(files, choice.browser(), unwrap=True)
    except NoRoom as error:
        show.problem(t("open.not_kept"), str(error))
        return
    except OSError as error:
        show.problem(t("open.not_kept"), (error.strerror or type(error).__name__).lower())
        return
    if not upload.holds(token):
        upload.delete(token, choice.browser())
        show.problem(t("open.nothing_kept"))
        show.findings([build_finding(diagnostic) for diagnostic in diagnostics], to_message=False)
        return
    outcome: tuple[str, int, tuple[Diagnostic, ...]] = (token, len(files), diagnostics)
    st.session_state["upload_said"] = outcome
    st.session_state["uploads"] += 1
    address.put(workspace=token)
    st.rerun()


def _link(token: str) -> Markup:
    only: dict[str, str | None] = {**dict.fromkeys(address.SHARED), "workspace": token}
    here = show.h(' <span class="rb-small">{}</span>', t("open.in_view")) if token == choice.workspace_id() else ""
    return show.h("{}{}", show.link("overview", frame.name(token), **only), here)
