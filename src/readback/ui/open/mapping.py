"""Variables that find no field, each with the nearest field offered, one click to map it; and what the judges read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from readback import workspace as reading
from readback.checks.fields import field_mapping
from readback.checks.fields.field_mapping import LOOKED_AT, Input, Unmapped, fields, unmapped
from readback.records.dataset import Dataset
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.ui.common.state.caches import JUDGED
from readback.words import t


def mapping(workspace: Workspace, data: Dataset) -> None:
    """Draw what was mapped in this session, what still wants a field, and then the way to the messages."""
    st.subheader(t("open.mapping"))
    records = tuple(data.records(0, LOOKED_AT))
    if records:
        wanted = unmapped(workspace, records)
    else:
        wanted = ()
    for variable, field in choice.mapped().items():
        judge, cut, name = variable.partition(JUDGED)
        if cut:
            called = t("open.judge_name", name=name, judge=judge)
        else:
            called = variable
        with st.container(horizontal=True, vertical_alignment="center"):
            show.notice(t("open.mapped", variable=called, field=field))
            st.button(t("open.unmap"), key=f"unmap_{variable}", on_click=choice.map_field, args=(variable, None))
    if any(not entry.optional for entry in wanted):
        show.draw(show.h("<p>{}</p>", t("open.mapping_lead")))
    elif not choice.mapped():
        show.draw(show.h("<p>{}</p>", t(_choose_sentence(workspace))))
    names = fields(records)
    for entry in wanted:
        _row(entry, names)
    _judges(
        field_mapping.inputs(
            workspace, records, lambda condition: caches.answers(*choice.key(), condition.name, workspace)
        )
    )
    if choice.mapped():
        key = "open.see_mapped"
    else:
        key = "overview.see_messages"
    show.draw(show.h("<p>{}</p>", show.link("prompts", t(key))))


def _choose_sentence(workspace: Workspace) -> str:
    """Return the sentence that says why no variable is listed."""
    if not (workspace.prompts or workspace.tasks or workspace.judges):
        return "open.mapping_no_template"
    is_of_tools = workspace.prompts and all(prompt.project for prompt in workspace.prompts.values())
    if is_of_tools and not (workspace.tasks or workspace.judges):
        return "open.mapping_of_tools"
    return "open.mapping_none"


def written_down(workspace: Workspace) -> str:
    """Return the workspace as readback.yml, with what was mapped here."""
    return reading.init_text(workspace, field_mapping.describe_guesses(field_mapping.inputs(workspace)))


def _judges(inputs: Sequence[Input]) -> None:
    """Draw what each judge reads from which field, to be changed here."""
    if not inputs:
        return
    st.subheader(t("open.judges"))
    show.draw(show.h("<p>{}</p>", t("open.judges_lead")))
    for judge_input in inputs:
        key = f"judge_{judge_input.judge}_{judge_input.name}"
        st.session_state[key] = ""
        st.selectbox(
            show.md(t("open.judge_name", name=judge_input.name, judge=judge_input.judge)),
            ["", *judge_input.offered],
            key=key,
            format_func=partial(_or_now, judge_input),
            on_change=_chosen,
            args=(f"{judge_input.judge}{JUDGED}{judge_input.name}", key),
        )


def _or_now(judge_input: Input, option: str) -> str:
    """Return a field that can be chosen; without one, where the judge's value is from now."""
    if option:
        return option
    if judge_input.left_out or judge_input.field is None:
        return t("open.judge_left_out" if judge_input.left_out else "open.judge_nowhere")
    return t("open.judge_said" if judge_input.declared else "open.judge_found", field=judge_input.field)


def _row(unmapped: Unmapped, names: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"row_{unmapped.variable}"):
        key = f"field_{unmapped.variable}"
        st.session_state[key] = ""
        st.selectbox(
            show.md(t("open.map_optional" if unmapped.optional else "open.map_from", variable=unmapped.variable)),
            ["", *names],
            key=key,
            format_func=lambda option: option or t("open.map_leave"),
            help=show.md(t("open.map_readers", readers=", ".join(unmapped.readers))),
            on_change=_chosen,
            args=(unmapped.variable, key),
            width=300,
        )
        if unmapped.offered:
            st.button(
                show.md(t("open.map_offer", field=unmapped.offered, variable=unmapped.variable)),
                key=f"offer_{unmapped.variable}",
                type="secondary" if unmapped.optional else "primary",
                on_click=choice.map_field,
                args=(unmapped.variable, unmapped.offered),
            )


def _chosen(variable: str, key: str) -> None:
    """Map the variable to what was chosen. Nobody chooses "": Streamlit reports it of a list that has just gone."""
    if field := st.session_state[key]:
        choice.map_field(variable, field)
