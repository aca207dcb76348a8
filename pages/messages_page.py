"""Messages: what exactly does the model get for this record?"""

import streamlit as st

from readback.ui import (
    address,
    bar,
    beside,
    change_here,
    choice,
    compare_view,
    going,
    keys,
    layers,
    picker,
    searching,
    show,
    size,
    template_try,
    variables,
    views,
)
from readback.ui.words import t

st.title(t("messages.title"))
shop, data = choice.workspace(), choice.dataset()
if not (shop.prompts or shop.tasks or shop.judges or shop.conditions):
    show.empty(t("messages.nothing_to_send"), t("messages.add_files"), "open")
    st.stop()
if len(data) == 0:
    show.empty(t("messages.no_records"), t("messages.add_files"), "open")
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom", key="bar"):
    bar.records()
    going.menu()
    picker.what()
picker.more()
bar.said()
going.arrive()
searching.results()
change_here.here()

sent, tried = choice.sent(), beside.tried()
made = choice.assembly(sent, tried)
found, faults = choice.found(made, tried)
wire, training = layers.wire(made), layers.training(made)
found += layers.losses(wire, made, found)
stored = layers.stored(choice.record(), choice.answer(sent))

with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="switch"):
    view = layers.switch(wire=wire is not None, training=training is not None, stored=bool(stored))
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        address.follow_switch("whitespace")
        st.toggle(t("messages.whitespace"), key="whitespace", help=t("messages.whitespace_help"),
                  on_change=address.keep, args=("whitespace",))  # fmt: skip
        size.buttons()
        show.draw(compare_view.to_compare())
        keys.listen(keys.MESSAGES)

left, right = st.columns([7, 3], gap="medium")
with left:
    views.warnings(made, tried)
    if view == "wire" and wire:
        views.wire(wire, made)
    elif view == "training" and training:
        views.training(made, training)
    elif view == "stored":
        views.stored(stored, made)
    else:
        views.messages(made, found)
    with st.expander(t("messages.edit"), key="edit_open"):
        template_try.draw()
    variables.of_record(shop, choice.record(), made)
with right:
    beside.origins(wire.segments if view == "wire" and wire else [s for m in made.messages for s in m.segments])
    views.findings(found, faults)
    bar.next_finding(found)
    with st.expander(t("messages.fields"), expanded=True, key="fields_open"):
        beside.fields(choice.record(), made, found)
    with st.expander(t("messages.try"), key="try_open", expanded=bool(tried)):
        beside.trial(choice.record(), made)
