"""Try a template: an edited copy over the record in view, what it changes, and a patch; nothing is ever written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import streamlit as st

from readback.checks.groups import in_text
from readback.checks.run.chunk import check_record
from readback.compare.record_differences import count_version_differences
from readback.prompts import assemble, editing
from readback.prompts.editing import Target, make_patch
from readback.types import Assembly, Finding, Workspace
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports
from readback.ui.common.state import choice
from readback.ui.prompts.one import diff_here
from readback.words import t

KIND = "edit"
BOM = "\ufeff"
HEIGHT = 260
MOST = 1 << 20  # characters of a copy, as of a template's file
Made = tuple[Assembly, tuple[Finding, ...]]


def draw() -> None:
    """Draw the editor, and what the copy does to the record in view."""
    workspace = choice.workspace()
    targets = editing.list_targets(workspace, choice.sent(), choice.record())
    if not targets:
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.edit_nothing")))
        return
    target = _which(targets)
    original = editing.get_text(workspace, target)
    show.draw(show.h('<p class="rb-small">{}</p>', t("messages.edit_lead")))
    if target.written is not None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.edit_format")))
    _shared(workspace, target)
    copy = _editor(target, original)
    if copy is None:
        return
    if copy == original:
        show.notice(t("messages.edit_same"))
        return
    new = editing.replace_text(workspace, target, copy)
    assembly, findings = _build_result(new, copy)
    was = choice.assembly(choice.sent())
    diff_here.draw(diff_here.both(was, assembly), KIND, t("messages.edit_before"), t("messages.edit_after"))
    show.draw(
        show.h(
            "<h3>{}</h3>", t("messages.edit_findings", n=len(findings)) if findings else t("messages.edit_no_findings")
        )
    )
    show.findings(findings, to_message=False)
    if len(choice.dataset()) > 1:
        sent = choice.sent()
        key = (choice.key(), sent, target, copy)
        diff_here.counting(KIND, key, lambda progress: count_version_differences(workspace, new, sent, progress))
    _take(workspace, target, original, copy)


def edited_texts() -> dict[tuple[str, Target], str]:
    """Return the copies of this session, by workspace and text; they are in no file and in no address."""
    edits: dict[tuple[str, Target], str] = st.session_state.setdefault("edits", {})
    return edits


def _which(targets: Sequence[Target]) -> Target:
    if len(targets) == 1:
        return targets[0]
    number = st.radio(
        t("messages.edit_which"),
        range(len(targets)),
        key="edit_which",
        horizontal=True,
        format_func=lambda at: _name(targets[at]),
    )
    return targets[number]


def _name(target: Target) -> str:
    return show.md(t(f"messages.edit_{target.part}", name=target.name))


def _shared(workspace: Workspace, target: Target) -> None:
    """Say which other prompts are read from the same file."""
    names = [user.name for user in editing.list_sharing(workspace, target)]
    if len(names) > 1:
        file = editing.locate_text(workspace, target).file
        show.notice(t("messages.edit_shared", file=file, names=", ".join(names)))


def _editor(target: Target, original: str) -> str | None:
    """Draw the editor; return the copy, or None before there is one."""
    mark = hashlib.sha256(f"{choice.workspace_id()}\0{target}\0{original}".encode("utf-8", "surrogatepass")).hexdigest()
    key, edited = f"edit_text_{mark[:12]}", edited_texts().get((choice.workspace_id(), target))
    if key not in st.session_state:
        st.session_state[key] = edited if edited is not None else original
    with st.form("edit_form", border=False):
        st.text_area(_name(target), key=key, height=HEIGHT, max_chars=max(MOST, len(st.session_state[key])))
        with st.container(horizontal=True):
            st.form_submit_button(t("messages.edit_try"), on_click=_try, args=(target, original, key))
            st.form_submit_button(t("messages.edit_reset"), on_click=_reset, args=(target, original, key))
    return edited


def _try(target: Target, original: str, key: str) -> None:
    edited_texts()[choice.workspace_id(), target] = editing.restore_line_ends(original, st.session_state[key])


def _reset(target: Target, original: str, key: str) -> None:
    edited_texts().pop((choice.workspace_id(), target), None)
    st.session_state[key] = original


def _build_result(new: Workspace, copy: str) -> Made:
    """Return the record in view with the copy, and its findings; made once while nothing else changes."""
    sent, at = choice.sent(), choice.position()
    key = (choice.key(), at, sent, copy)
    last_result: tuple[object, Made] | None = st.session_state.get("edit_made")
    if last_result is not None and last_result[0] == key:
        return last_result[1]
    record = choice.record()
    assembly = assemble.assemble(new, record, sent, choice.answer(sent))
    results = check_record(new, record, assembly)
    findings = tuple(sorted((result for result in results if isinstance(result, Finding)), key=in_text))
    st.session_state["edit_made"] = (key, (assembly, findings))
    return assembly, findings


def _take(workspace: Workspace, target: Target, original: str, copy: str) -> None:
    """Draw the copy as a patch of its file, or where that cannot be made as a text."""
    if target.written is not None:
        downloads.button(
            t("messages.edit_download"),
            lambda: exports.exact(copy),
            f"{exports.name(target.name)}.jinja",
            "application/octet-stream",
            key="edit_download",
            on_click="ignore",
        )
        show.notice(t("messages.edit_format_file", file=f"{exports.name(target.name)}.jinja"))
        return
    file = editing.locate_text(workspace, target).file or target.name
    there = editing.read_whole_file(workspace, target)
    stem = exports.name(file.rpartition("/")[2])
    with st.container(horizontal=True, vertical_alignment="center"):
        if there is not None and there.removeprefix(BOM) == original:
            mark = BOM if there.startswith(BOM) else ""
            patch = exports.exact(make_patch(file, mark + original, mark + copy))
            downloads.button(
                t("messages.edit_patch"),
                lambda: patch,
                f"{stem}.patch",
                "text/x-diff",
                key="edit_patch",
                on_click="ignore",
                help=t("messages.edit_patch_help"),
            )
        downloads.button(
            t("messages.edit_download"),
            lambda: exports.exact(copy),
            f"{stem}.txt",
            "application/octet-stream",
            key="edit_download",
            on_click="ignore",
        )
    if there is None:
        show.notice(t("messages.edit_inline", file=file))
    elif there.removeprefix(BOM) != original:
        show.notice(t("messages.edit_changed_file", file=file), "warning")
