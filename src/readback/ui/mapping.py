"""Variables that find no field, each with the nearest field offered, one click to map it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from readback.audit.unmapped import LOOKED_AT, Unmapped, fields, unmapped
from readback.records.dataset import Dataset
from readback.types import Workspace
from readback.ui import choice, show
from readback.ui.words import t


def mapping(shop: Workspace, data: Dataset) -> None:
    """What was mapped in this session, what still wants a field, and then the way to the messages."""
    st.subheader(t("open.mapping"))
    records = tuple(data.records(0, LOOKED_AT))
    wanted = unmapped(shop, records) if records else ()
    for variable, field in choice.mapped().items():
        with st.container(horizontal=True, vertical_alignment="center"):
            show.notice(t("open.mapped", variable=variable, field=field))
            st.button(t("open.unmap"), key=f"unmap_{variable}", on_click=choice.map_field, args=(variable, None))
    if any(not one.optional for one in wanted):
        show.draw(show.h("<p>{}</p>", t("open.mapping_lead")))
    elif not choice.mapped():
        show.draw(show.h("<p>{}</p>", t("open.mapping_none")))
    known = fields(records)
    for one in wanted:
        _row(one, known)
    key = "open.see_mapped" if choice.mapped() else "overview.see_messages"
    show.draw(show.h("<p>{}</p>", show.link("messages", t(key))))


def _row(one: Unmapped, known: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"row_{one.variable}"):
        key = f"field_{one.variable}"
        st.session_state[key] = ""
        st.selectbox(
            show.md(t("open.map_optional" if one.optional else "open.map_from", variable=one.variable)),
            ["", *known],
            key=key,
            format_func=lambda option: option or t("open.map_leave"),
            help=show.md(t("open.map_readers", readers=", ".join(one.readers))),
            on_change=_chosen,
            args=(one.variable, key),
            width=300,
        )
        if one.offered:
            st.button(
                show.md(t("open.map_offer", field=one.offered, variable=one.variable)),
                key=f"offer_{one.variable}",
                type="secondary" if one.optional else "primary",
                on_click=choice.map_field,
                args=(one.variable, one.offered),
            )


def _chosen(variable: str, key: str) -> None:
    choice.map_field(variable, st.session_state[key] or None)
