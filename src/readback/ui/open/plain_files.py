"""Plain template files on Open: which text files are prompts, in which language each is, ids and encodings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

import streamlit as st

from readback.checks.workspace_check import find_likely_encoding
from readback.readers.files.decoding import ENCODINGS, NAMES, find_guessed_encoding
from readback.readers.tables import table_choice
from readback.records.dataset import Dataset
from readback.sources.templates.template_language import LANGUAGE_NAMES, LANGUAGES
from readback.types import Prompt, Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t
from readback.workspace.dataset_choices import ENCODING_KEY, ID_KEY, TABLE_KEY
from readback.workspace.templates import plain_templates
from readback.workspace.tools import tool_choices

LISTED = 20  # modes whose language is changed on the page; folders may hold hundreds
BUTTONS = 8  # files that get a button each; of more, one is chosen from a list


def offered(workspace: Workspace) -> None:
    """Draw a button for each text file that could be a prompt and is not used."""
    files = workspace.alternatives.get(plain_templates.KEY, ())
    if len(files) > BUTTONS:
        st.session_state["use_file"] = ""
        st.selectbox(
            t("open.use_one"),
            ["", *files],
            key="use_file",
            on_change=_chosen,
            width=400,
            format_func=lambda file: file or t("open.use_none"),
        )
        return
    for file in files:
        st.button(show.md(t("open.use_file", file=file)), key=f"use_{file}", on_click=_use, args=(file,))


def several(workspace: Workspace) -> None:
    """Draw a button for each file that may hold several prompts, and one that makes such a file one prompt again."""
    for file in workspace.alternatives.get(plain_templates.PARTS, ()):
        with st.container(horizontal=True, vertical_alignment="center"):
            show.notice(t("open.parts", file=file))
            st.button(show.md(t("open.parts_use", file=file)), key=f"parts_{file}", on_click=_cut, args=(file, True))
    parts = (address.get(plain_templates.PARTS) or "").split("\n")
    for file, n in plain_templates.list_cut_files(workspace).items():
        if file in parts:
            with st.container(horizontal=True, vertical_alignment="center"):
                show.notice(t("open.parts_used", file=file, n=n))
                st.button(t("open.unmap"), key=f"whole_{file}", on_click=_cut, args=(file, False))


def ids(workspace: Workspace) -> None:
    """Draw a button for the column that may be the id."""
    for name in workspace.alternatives.get(ID_KEY, ()):
        with st.container(horizontal=True, vertical_alignment="center"):
            show.notice(t("open.id_column", name=name))
            st.button(
                show.md(t("open.id_column_use", name=name)),
                key="id_column",
                on_click=_put,
                args=(ID_KEY, [name]),
            )


def encodings(workspace: Workspace, data: Dataset | None) -> None:
    """Draw a button that reads the dataset in the encoding that its bytes look like, and one that takes this back."""
    if workspace.dataset:
        file = workspace.dataset.path
    else:
        file = ""
    stated = address.get(ENCODING_KEY)
    with st.container(horizontal=True, vertical_alignment="center"):
        if stated in ENCODINGS and file:
            show.notice(t("open.encoding_used", file=file, encoding=NAMES.get(stated, stated)))
            st.button(t("open.unmap"), key="utf8", on_click=_put, args=(ENCODING_KEY, []))
        elif data and (encoding := find_guessed_encoding(data.diagnostics)):
            named = NAMES.get(encoding, encoding)
            show.notice(t("open.encoding_guessed", file=file, encoding=named))
            st.button(t("open.encoding_keep"), key="encoding", on_click=_put, args=(ENCODING_KEY, [encoding]))
            st.button(t("open.encoding_utf8"), key="utf8", on_click=_put, args=(ENCODING_KEY, ["utf-8"]))
        elif encoding := find_likely_encoding(() if data is None else data.diagnostics):
            named = NAMES.get(encoding, encoding)
            show.notice(t("open.encoding", file=file, encoding=named))
            st.button(
                show.md(t("open.encoding_use", file=file, encoding=named)),
                key="encoding",
                on_click=_put,
                args=(ENCODING_KEY, [encoding]),
            )


def tables(workspace: Workspace, data: Dataset | None) -> None:
    """Draw a button for each other sheet or table of the dataset's file that has rows."""
    if workspace.dataset:
        file = workspace.dataset.path
    else:
        file = ""
    choice_of_tables = table_choice.find_tables(() if data is None else data.diagnostics)
    if not choice_of_tables:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        show.notice(t("open.table_taken", file=file, table=choice_of_tables.current))
        for name in choice_of_tables.others[:BUTTONS]:
            st.button(
                show.md(t("open.table_take", table=name)), key=f"table_{name}", on_click=_put, args=(TABLE_KEY, [name])
            )


def languages(workspace: Workspace) -> None:
    """Draw the language of each mode that is a plain file, to be changed where it was guessed wrong."""
    modes = _modes(workspace)
    if not modes:
        return
    st.subheader(t("open.languages"))
    show.draw(show.h("<p>{}</p>", t("open.languages_lead")))
    for mode, prompt in islice(modes.items(), LISTED):
        key = f"language_{mode}"
        st.session_state[key] = prompt.syntax
        st.selectbox(
            show.md(t("open.language_of", mode=mode)),
            LANGUAGES,
            key=key,
            format_func=LANGUAGE_NAMES.__getitem__,
            on_change=_language,
            args=(mode, key),
            width=340,
        )
    if len(modes) > LISTED:
        show.draw(show.h('<p class="rb-small">{}</p>', t("open.languages_more", n=len(modes) - LISTED)))


def tools(workspace: Workspace) -> None:
    """Draw the tool that reads each prompt file of which the content does not decide that, to be chosen.

    Where all are plain templates, the choice is behind a line that opens.
    """
    files = tool_choices.list_choices(workspace)
    if not files:
        return
    if any(files.values()):
        st.subheader(t("open.tools"))
        place = st.container()
    else:
        place = st.expander(t("open.tools_closed"))
    with place:
        show.draw(show.h("<p>{}</p>", t("open.tools_lead")))
        for file, tool in islice(files.items(), LISTED):
            key = f"tool_{file}"
            st.session_state[key] = tool
            st.selectbox(
                show.md(t("open.tool_of", file=file)),
                list(dict.fromkeys((tool, *tool_choices.list_candidates(file)))),
                key=key,
                format_func=lambda name: name or t("open.tool_none"),
                on_change=_tool,
                args=(file, key),
                width=340,
            )
        if len(files) > LISTED:
            show.draw(show.h('<p class="rb-small">{}</p>', t("open.tools_more", n=len(files) - LISTED)))


def _modes(workspace: Workspace) -> Mapping[str, Prompt]:
    plain = [config for config in workspace.configs if config.name == plain_templates.NAME]
    names = [mode for config in plain for mode in config.prompts]
    return {mode: workspace.prompts[mode] for mode in names if mode in workspace.prompts}


def _chosen() -> None:
    if file := st.session_state["use_file"]:
        _use(file)


def _use(file: str) -> None:
    _put(plain_templates.KEY, [*(address.get(plain_templates.KEY) or "").split("\n"), file])


def _cut(file: str, wanted: bool) -> None:
    before = [part for part in (address.get(plain_templates.PARTS) or "").split("\n") if part != file]
    address.put(mode=None, condition=None)  # the modes have other names then
    _put(plain_templates.PARTS, [*before, *([file] if wanted else [])])


def _language(mode: str, key: str) -> None:
    languages_chosen = plain_templates.parse_languages(address.get(plain_templates.SYNTAX))
    _put(
        plain_templates.SYNTAX,
        (plain_templates.format_languages({**languages_chosen, mode: st.session_state[key]}) or "").split("\n"),
    )


def _tool(file: str, key: str) -> None:
    by_file, _ = tool_choices.parse_choices(address.get(tool_choices.KEY))
    address.put(mode=None, condition=None)  # the modes may have other names then
    chosen = {**by_file, file: st.session_state[key]}
    _put(tool_choices.KEY, (tool_choices.format_choices(chosen) or "").split("\n"))


def _put(key: str, lines: list[str]) -> None:
    address.put(**{key: "\n".join(filter(None, lines)) or None}, finding=None)
    choice.begin()
