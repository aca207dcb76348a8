"""Open: how do I get my own files in?"""

import streamlit as st

from readback import workspace as reading
from readback.rules import finding
from readback.ui import choice, opening, overview, show, table, upload
from readback.ui.words import t

st.title(t("frame.open"))
show.draw(show.h("<p>{}</p>", t("open.lead")))
left, right = st.columns(2, gap="large")
with left:
    given = choice.configured()
    mine = {token: path for token, path in choice.folders().items() if token.startswith(upload.PREFIX)}
    if given:
        opening.shelf(t("open.configured"), given)
    if mine:
        opening.shelf(t("open.uploads"), mine, removable=True)
    if choice.demos():
        opening.shelf(t("open.demos"), choice.demos())
with right:
    opening.bring()
    show.draw(show.h('<p class="rb-small">{}</p>', t("open.upload_path")))
if left_out := st.session_state.get("upload_notes"):
    show.findings([finding(note) for note in left_out], to_message=False)

shop = choice.workspace()
st.header(f"{t('open.recognised')}: {show.md(shop.name)}")
columns, rows = overview.loaded(shop)
table.table("loaded", columns, rows, caption=t("open.recognised"))
if shop.dataset:
    opening.mapping(shop)
opening.loading(shop)
st.download_button(
    t("open.save"), lambda: reading.init_text(shop), "readback.yml", "text/yaml", key="save", help=t("open.save_why")
)
