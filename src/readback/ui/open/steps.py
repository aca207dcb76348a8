"""Three steps from rows without a prompt to exact messages: see the rows, choose or paste a template, see a message."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from readback.checks.fields.field_mapping import LOOKED_AT, fields
from readback.prompts import assemble
from readback.records.dataset import Dataset
from readback.sources.templates.template_language import LANGUAGE_NAMES, LANGUAGES, detect_language
from readback.types import Record, Selection, Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.ui.open import plain_files
from readback.ui.prompts.one import training_row
from readback.ui.prompts.one.model_input import made_up
from readback.words import t
from readback.workspace.templates import plain_templates

MODE = "typed"  # what the typed template is called
LONGEST = 1 << 20  # characters of a template, as of a template's file
AUTOMATIC = ""


def wanted(workspace: Workspace) -> bool:
    """Whether nothing of the workspace can be sent or scored."""
    sent = workspace.prompts or workspace.tasks or workspace.judges or workspace.conditions or workspace.scores
    return not (sent or made_up.alone(workspace) or training_row.wanted(workspace))


def draw(workspace: Workspace, data: Dataset | None) -> None:
    """Draw the three steps, each with what is still missing."""
    if data:
        records = tuple(data.records(0, LOOKED_AT))
    else:
        records = ()
    st.subheader(t("open.step_rows"))
    if records and data and workspace.dataset:
        show.draw(show.h("<p>{}</p>", t("open.step_rows_lead", n=len(data), file=workspace.dataset.path)))
        show.draw(show.h("<p>{}</p>", show.link("results", t("records.see"), view="rows")))
    else:
        show.draw(show.h("<p>{}</p>", t("open.step_rows_none")))
    st.subheader(t("open.step_template"))
    show.draw(show.h("<p>{}</p>", t("open.step_template_lead")))
    plain_files.offered(workspace)
    names = fields(records)
    if names:
        show.draw(
            show.h(
                '<p class="rb-small">{} {}</p>',
                t("open.step_fields"),
                show.join([show.h("<code>{}</code>", name) for name in names], ", "),
            )
        )
    user = st.text_area(
        t("open.step_user"),
        key="step_user",
        height=180,
        max_chars=LONGEST,
        placeholder=t("open.step_example", field=names[0] if names else "question"),
    )
    with st.expander(t("open.step_system_open"), key="step_system_open"):
        system = st.text_area(t("open.step_system"), key="step_system", height=100, max_chars=LONGEST)
    guess = detect_language("typed", user, frozenset(names) if records else None)
    choice_of_language = st.selectbox(
        t("open.language"),
        [AUTOMATIC, *LANGUAGES],
        key="step_language",
        width=340,
        format_func=lambda option: LANGUAGE_NAMES[option] if option else t("open.language_automatic"),
    )
    if user.strip() and not choice_of_language:
        sentence = t("open.language_found", language=LANGUAGE_NAMES[guess.syntax], reason=guess.reason)
        show.draw(show.h('<p class="rb-small">{}</p>', sentence))
    _messages(workspace, records, user, system, choice_of_language or guess.syntax)


def _messages(workspace: Workspace, records: Sequence[Record], user: str, system: str, syntax: str) -> None:
    st.subheader(t("open.step_messages"))
    if not user.strip():
        show.draw(show.h("<p>{}</p>", t("open.step_messages_none")))
        return
    typed = plain_templates.format_template(user, system or None, syntax)
    trial = plain_templates.add_typed_templates(workspace, {MODE: typed})
    if records:
        record = records[0]
    else:
        record = Record(None, {})
    assembly = assemble.assemble(trial, record, Selection(mode=MODE))
    for message in assembly.messages:
        head = show.h("<h4>{}</h4>", show.role(message.role))
        show.draw(show.h("{}{}", head, show.exact_text(message.text)))
    findings, _ = choice.findings_in(trial, record, assembly)
    show.findings(findings, to_message=False)
    if st.button(t("open.step_use"), key="step_use", type="primary"):
        choice.type_template(MODE, typed)
        st.switch_page("pages/prompts_page.py", query_params=address.query())


def typed_here() -> None:
    """Draw the templates that were typed in this session, each with a way to take it back."""
    for mode in choice.typed():
        with st.container(horizontal=True, vertical_alignment="center"):
            show.notice(t("open.typed", mode=mode))
            st.button(t("open.unmap"), key=f"untype_{mode}", on_click=choice.type_template, args=(mode, None))
