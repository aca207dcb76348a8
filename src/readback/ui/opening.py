"""The open page's parts: lists of workspaces, an upload that becomes one, variables that want a field."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from readback.rules import finding
from readback.rules._fields import paths
from readback.types import Workspace
from readback.ui import address, choice, frame, show, upload
from readback.ui.words import t
from readback.unmapped import Unmapped, unmapped


def shelf(title: str, there: Mapping[str, Path], removable: bool = False) -> None:
    """A list of workspaces, each a link; uploads can be deleted at once."""
    st.subheader(title)
    here = choice.workspace_id()
    for token in there:
        with st.container(horizontal=True, vertical_alignment="center"):
            name = frame.name(token)
            said = show.h(" <span class='rb-small'>{}</span>", t("open.in_view")) if token == here else ""
            show.draw(show.h("<p>{}{}</p>", show.link("overview", name, **_only(token)), said))
            if removable:
                st.button(t("open.delete"), key=f"delete_{token}", on_click=_delete, args=(token,))


def bring() -> None:
    """The upload: files or a whole folder, kept as a workspace of their own and opened."""
    st.subheader(t("open.mine"))
    files = st.file_uploader(t("open.upload"), accept_multiple_files=True, key="upload", help=t("open.upload_help"))
    folder = st.file_uploader(t("open.upload_folder"), accept_multiple_files="directory", key="upload_folder")
    given = [*(files or ()), *(folder or ())]
    if st.button(t("open.upload_go"), key="upload_go", type="primary", disabled=not given):
        _take(given)
    show.draw(show.h('<p class="rb-small">{}</p>', t("open.upload_private")))


def mapping(shop: Workspace) -> None:
    """Variables without data, each with a field to take; one click when a field is near."""
    st.header(t("open.mapping"))
    for variable, field in choice.mapped().items():
        with st.container(horizontal=True, vertical_alignment="center"):
            show.draw(show.h("<p>{}</p>", t("open.mapped", variable=variable, field=field)))
            st.button(t("open.unmap"), key=f"unmap_{variable}", on_click=choice.map_field, args=(variable, None))
    data = choice.dataset()
    fields = [path for path, _ in paths(data.record(0).fields)] if len(data) else []
    wanted = unmapped(shop, data.record(0)) if len(data) else ()
    if not wanted:
        show.draw(show.h("<p>{}</p>", t("open.mapping_none")))
        return
    show.draw(show.h("<p>{}</p>", t("open.mapping_lead")))
    for one in wanted:
        _row(one, fields)


def loading(shop: Workspace) -> None:
    """What went wrong while loading, by file and line."""
    st.header(t("open.problems"))
    noted = (*shop.notes, *(choice.dataset().notes if shop.dataset else ()))
    if noted:
        show.findings([finding(note) for note in noted], to_message=False)
    else:
        show.draw(show.h("<p>{}</p>", t("open.no_problems")))


def _row(one: Unmapped, fields: list[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"field_{one.variable}"
        label = show.md(t("open.map_from", variable=one.variable))
        options = ["", *fields]
        st.selectbox(
            label,
            options,
            key=key,
            format_func=lambda option: option or t("open.map_leave"),
            on_change=_chosen,
            args=(one.variable, key),
            width=320,
        )
        if one.offered:
            offer = show.md(t("open.map_offer", field=one.offered, variable=one.variable))
            st.button(offer, key=f"offer_{one.variable}", on_click=choice.map_field, args=(one.variable, one.offered))


def _chosen(variable: str, key: str) -> None:
    choice.map_field(variable, st.session_state[key] or None)


def _delete(token: str) -> None:
    upload.delete(token, choice.browser())
    if token == choice.workspace_id():
        address.put(workspace=None)


def _take(given: list[Any]) -> None:
    try:
        token, notes = upload.save([(file.name, file) for file in given], choice.browser())
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # not a zip, or one with a password
        show.problem(t("open.bad_zip"), str(error))
        return
    st.session_state["upload_notes"] = notes
    address.put(workspace=token)
    st.rerun()


def _only(token: str) -> dict[str, str | None]:
    return {**dict.fromkeys(address.SHARED), "workspace": token}
