"""One record under one condition: what exactly does the model get?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from readback.types import Message
from readback.ui.common import show
from readback.ui.common.draw import beside, cited, layers, loaded, token_sizes
from readback.ui.common.state import choice
from readback.ui.prompts import room, variables
from readback.ui.prompts.bar import records
from readback.ui.prompts.one import (
    change_here,
    made_up,
    model_input_view,
    program_line,
    replies,
    template_try,
    token_bar,
    training_row,
    training_view,
    variants,
    views,
)
from readback.words import t


def draw() -> None:
    """Draw one record under one condition: its messages, findings and fields."""
    st.title(t("prompts.title"))
    workspace, data = choice.workspace(), choice.dataset()
    if training_row.wanted(workspace) and len(data):
        training_row.page()
        st.stop()
    if made_up.wanted(workspace):
        made_up.page(workspace)
        st.stop()
    if not (workspace.prompts or workspace.tasks or workspace.judges or workspace.conditions):
        there = (
            (t("records.see"), "results", workspace.dataset),
            (t("agenda.see_scores"), "results", workspace.scores),
        )
        show.empty(t("messages.nothing_to_send"), t("messages.choose_template"), "open",
                   *((label, name) for label, name, is_there in there if is_there))  # fmt: skip
        st.stop()
    if len(data) == 0:
        show.empty(loaded.no_records(workspace), t("messages.add_files"), "open")
        st.stop()

    show.draw(show.h('<a class="rb-skip" href="#" data-rb-to="">{}</a>', t("messages.skip")))
    switches, take = room.draw_bar(room.ONE)
    change_here.here()

    sent, tried = choice.sent(), beside.tried()
    assembled = choice.assembly(sent, tried)
    findings, faults = choice.find_findings(assembled, tried)
    model_input, training = layers.model_text(assembled), training_view.there(assembled)
    findings += layers.losses(model_input, assembled, findings)
    server = model_input_view.about(assembled, model_input)
    stored = layers.stored(choice.record(), choice.answer(sent))
    reply_list = replies.replies(choice.record(), choice.answer(sent))

    view = layers.switch(model_input_view.errors(server), wire=model_input is not None, training=training,
                         stored=bool(stored))  # fmt: skip
    with switches:
        cited.switch([*(message.text for message in assembled.messages), *(message.text for message in reply_list)])
        token_sizes.switch(assembled, view)
    with take:
        views.take(assembled)

    if view == "training" and (
        training_text := training_view.trained(assembled)
    ):  # three texts beside each other need the whole width
        training_view.page(training_text, model_input, assembled)
    left, right = st.columns([7, 3], gap="medium")
    with left:
        views.warnings(assembled, tried)
        program_line.draw()
        variants.draw(assembled)
        if view == "wire" and model_input:
            model_input_view.draw(model_input, assembled, findings, server)
        elif view == "stored":
            views.stored(stored, assembled)
        elif view != "training":
            views.messages(assembled, findings, tried)
        replies.draw(reply_list, assembled, findings, assembled.masked)
        with st.expander(t("messages.edit"), key="edit_open"):
            template_try.draw()
        variables.of_record(workspace, choice.record(), assembled, choice.answer(sent))
    with right, st.container(key="beside"):
        segments_in_view = (
            model_input.segments
            if view == "wire" and model_input
            else [s for m in assembled.messages for s in m.segments]
        )
        alone = replace(assembled, messages=(Message("user", stored),)) if view == "stored" else assembled
        segments_in_view = stored if view == "stored" else segments_in_view
        beside.origins(segments_in_view, token_sizes.describe_looks(segments_in_view if view == "wire" else (), alone))
        if view != "stored":
            token_bar.draw(assembled, tried)
        views.findings(findings, faults)
        model_input_view.findings(server if view == "wire" else (), len(findings) + 1)
        records.next_finding(findings)
        with st.expander(t("messages.fields"), expanded=True, key="fields_open"):
            beside.fields(choice.record(), assembled, findings, choice.answer(sent))
            if workspace.dataset:
                show.draw(show.h("<p>{}</p>", show.link("results", t("records.see_whole"), view="rows")))
        with st.expander(t("messages.try"), key="try_open", expanded=bool(tried)):
            beside.trial(choice.record(), assembled)
