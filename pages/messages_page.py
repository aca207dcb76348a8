"""Messages: what exactly does the model get for this record?"""

from dataclasses import replace

import streamlit as st

from readback.types import Message
from readback.ui.common import address, show
from readback.ui.common.draw import beside, cited, keys, layers, loaded, picker, size, token_sizes
from readback.ui.common.state import choice
from readback.ui.compare import compare_view
from readback.ui.findings import variables
from readback.ui.messages import (
    bar,
    change_here,
    jump,
    made_up,
    model_input_view,
    program_line,
    replies,
    searching,
    template_try,
    token_bar,
    training_row,
    training_view,
    variants,
    views,
)
from readback.words import t

st.title(t("messages.title"))
workspace, data = choice.workspace(), choice.dataset()
if training_row.wanted(workspace) and len(data):
    training_row.page()
    st.stop()
if made_up.wanted(workspace):
    made_up.page(workspace)
    st.stop()
if not (workspace.prompts or workspace.tasks or workspace.judges or workspace.conditions):
    there = ((t("records.see"), "records", workspace.dataset), (t("agenda.see_scores"), "scores", workspace.scores))
    show.empty(t("messages.nothing_to_send"), t("messages.choose_template"), "open",
               *((label, name) for label, name, held in there if held))  # fmt: skip
    st.stop()
if len(data) == 0:
    show.empty(loaded.no_records(workspace), t("messages.add_files"), "open")
    st.stop()

show.draw(show.h('<a class="rb-skip" href="#" data-rb-to="">{}</a>', t("messages.skip")))
with st.container(horizontal=True, vertical_alignment="center", key="bar"):
    bar.records()
    jump.menu()
    picker.what()
picker.more()
picker.whole_name()
bar.show_search_outcome()
jump.arrive()
searching.results()
change_here.here()

sent, tried = choice.sent(), beside.tried()
made = choice.assembly(sent, tried)
found, faults = choice.find_findings(made, tried)
model_input, training = layers.model_text(made), training_view.there(made)
found += layers.losses(model_input, made, found)
server = model_input_view.about(made, model_input)
stored = layers.stored(choice.record(), choice.answer(sent))
said = replies.replies(choice.record(), choice.answer(sent))

with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="switch"):
    view = layers.switch(model_input_view.errors(server), wire=model_input is not None, training=training,
                         stored=bool(stored))  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        address.follow_switch("whitespace")
        st.toggle(t("messages.whitespace"), key="whitespace", help=t("messages.whitespace_help"),
                  on_change=address.keep, args=("whitespace",))  # fmt: skip
        cited.switch([*(one.text for one in made.messages), *(one.text for one in said)])
        token_sizes.switch(made, view)
        size.buttons()
        show.draw(compare_view.to_compare())
        keys.listen(keys.MESSAGES)

if view == "training" and (
    training_text := training_view.trained(made)
):  # three texts beside each other need the whole width
    training_view.page(training_text, model_input, made)
left, right = st.columns([7, 3], gap="medium")
with left:
    views.warnings(made, tried)
    program_line.draw()
    variants.draw(made)
    if view == "wire" and model_input:
        model_input_view.draw(model_input, made, found, server)
    elif view == "stored":
        views.stored(stored, made)
    elif view != "training":
        views.messages(made, found, tried)
    replies.draw(said, made, found, made.masked)
    with st.expander(t("messages.edit"), key="edit_open"):
        template_try.draw()
    variables.of_record(workspace, choice.record(), made, choice.answer(sent))
with right, st.container(key="beside"):
    shown = model_input.segments if view == "wire" and model_input else [s for m in made.messages for s in m.segments]
    alone = replace(made, messages=(Message("user", stored),)) if view == "stored" else made
    shown = stored if view == "stored" else shown
    beside.origins(shown, token_sizes.describe_looks(shown if view == "wire" else (), alone))
    if view != "stored":
        token_bar.draw(made, tried)
    views.findings(found, faults)
    model_input_view.findings(server if view == "wire" else (), len(found) + 1)
    bar.next_finding(found)
    with st.expander(t("messages.fields"), expanded=True, key="fields_open"):
        beside.fields(choice.record(), made, found, choice.answer(sent))
        if workspace.dataset:
            show.draw(show.h("<p>{}</p>", show.link("records", t("records.see_whole"))))
    with st.expander(t("messages.try"), key="try_open", expanded=bool(tried)):
        beside.trial(choice.record(), made)
