"""One record under one condition: what exactly does the model get?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from readback.types import Assembly, Message, ModelInput, Segment
from readback.ui.common import show
from readback.ui.common.draw.head import keys, loaded, present
from readback.ui.common.draw.text import beside, cited, layers, observed, token_sizes
from readback.ui.common.state import choice
from readback.ui.prompts import room, variables
from readback.ui.prompts.bar import menu, records
from readback.ui.prompts.one import (
    answer,
    change_here,
    finding_cards,
    replies,
    template_try,
    training_row,
    training_view,
    variants,
    views,
)
from readback.ui.prompts.one.model_input import made_up, model_input_view, program_line, token_bar
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
        show.empty(
            t("messages.nothing_to_send"),
            t("messages.choose_template"),
            "open",
            *((label, name) for label, name, is_there in there if is_there),
        )
        st.stop()
    if len(data) == 0:
        show.empty(loaded.no_records(workspace), t("messages.add_files"), "open")
        st.stop()

    show.draw(show.h('<a class="rb-skip" href="#" data-rb-to="">{}</a>', t("messages.skip")))
    places = room.draw_bar(room.ONE, filled=False)
    change_here.here()

    sent, tried = choice.sent(), beside.tried()
    assembled = choice.assembly(sent, tried)
    findings, faults = choice.find_findings(assembled, tried)
    model_input, training = layers.model_text(assembled), training_view.there(assembled)
    findings += layers.losses(model_input, assembled, findings)
    server = model_input_view.about(assembled, model_input)
    stored = layers.stored(choice.record(), choice.answer(sent))
    answered, expected = choice.answer(sent), replies.find_expected(choice.record())
    taught = replies.list_taught(choice.record(), expected)

    layers_there = {"wire": model_input is not None, "training": training, "stored": bool(stored)}
    view = layers.find_view(**layers_there)
    errors = model_input_view.errors(server)
    key = views.make_key(assembled) if view == "messages" else ""
    training_text = training_view.trained(assembled) if view == "training" else None
    if training_text:  # three texts beside each other need the whole width
        layers.draw_switch(view, errors, key, **layers_there)
        training_view.page(training_text, model_input, assembled)
    if assembled.messages and view not in ("stored", "training"):
        views.draw_lead(assembled, findings)
    left, right = present.columns([7, 3], gap="medium")
    if not training_text:
        with left:
            layers.draw_switch(view, errors, key, **layers_there)
    with left, present.slide("text"):
        views.warnings(assembled, tried)
        program_line.draw()
        if view == "wire" and model_input:
            model_input_view.draw(model_input, assembled, findings, server)
        elif view == "stored":
            views.stored(stored, assembled)
        elif view != "training":
            views.messages(assembled, findings, tried)
        if not present.on():
            variants.draw(assembled)
        replies.draw(taught, expected, answered, assembled, findings, assembled.masked)
        with st.expander(t("messages.edit"), key="edit_open"):
            template_try.draw()
        variables.of_record(workspace, choice.record(), assembled, choice.answer(sent))
    with right, present.slide("findings"), st.container(key="beside"):
        finding_cards.draw_cards(findings, faults, assembled, tried)
        model_input_view.findings(server if view == "wire" else (), len(findings) + 1)
        scores_place = answer.draw(assembled, answered, findings)
        replies.draw_expected(expected, answered, assembled, findings)
        if view != "stored":
            token_bar.draw(assembled)
        show.draw(show.h("<h3>{}</h3>", t("messages.fields")))
        beside.fields(choice.record(), assembled, findings, choice.answer(sent))
        if workspace.dataset:
            show.draw(show.h("<p>{}</p>", show.link("results", t("records.see_whole"), view="rows")))
        _draw_origins(view, model_input, stored, assembled, tried)
        with st.expander(t("messages.try"), key="try_open", expanded=bool(tried)):
            beside.trial(choice.record(), assembled)
    menu.fill(places, keys.MESSAGES)  # after the text, which people wait for
    with places.go:
        records.next_finding(findings)
    with places.switches:
        texts = [*(message.text for message in assembled.messages), *(reply.text for reply in taught)]
        if expected is not None:
            texts.append(expected.text)
        cited.switch([*texts, (answered.text if answered is not None else None) or ""])
        token_sizes.switch(assembled, view)
    with places.take:
        views.take(assembled)
        answer.take(answered)
        replies.take(expected, assembled.masked)
    answer.fill(scores_place)  # last: a large file of scores keeps nobody from the text


def _draw_origins(
    view: str,
    model_input: ModelInput | None,
    stored: tuple[Segment, ...],
    assembled: Assembly,
    tried: Mapping[str, Any],
) -> None:
    """Draw where the text in view comes from, folded."""
    if view == "stored":
        segments, alone = stored, replace(assembled, messages=(Message("user", stored),))
    else:
        sent_segments = tuple(segment for message in assembled.messages for segment in message.segments)
        segments, alone = (model_input.segments if view == "wire" and model_input else sent_segments), assembled
    sizes = token_sizes.describe_looks(segments if view == "wire" else (), alone)
    if segments:
        if view not in ("stored", "wire"):
            log = observed.find_log(assembled)
        else:
            log = None
        with st.expander(beside.summarise_origins(segments, log), key="origin_open", expanded=token_bar.is_typed()):
            beside.origins(segments, sizes, log)
            if view != "stored":
                token_bar.draw_what_if(assembled, tried)
