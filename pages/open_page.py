"""Open: how do I get my own files in?"""

import streamlit as st

from readback import workspace as reading
from readback.ui import choice, loaded, mapping, opening, show, upload
from readback.ui.words import t

st.title(t("frame.open"))
show.draw(show.h("<p>{}</p>", t("open.lead")))
opening.said()
left, right = st.columns([2, 3], gap="large")
with left:
    opening.bring()
    given, demos = choice.configured(), choice.demos()
    if mine := [token for token in choice.folders() if token.startswith(upload.PREFIX)]:
        opening.own_shelf(mine)
    if given:
        opening.shelf(t("open.configured"), given)
    if others := [name for name in demos if name not in given]:
        opening.shelf(t("open.demos"), others)
    show.draw(show.h('<p class="rb-small">{}</p>', t("open.upload_path")))

with right:
    shop = choice.workspace()
    st.header(show.md(shop.name))
    data = choice.dataset() if shop.dataset else None
    if data and shop.dataset:
        show.draw(show.h("<p>{}</p>", loaded.counts(shop.dataset.path, data.counts)))
    st.subheader(t("open.recognised"))
    loaded.files(shop, t("open.recognised"))
    if data:
        mapping.mapping(shop, data)
    st.subheader(t("open.problems"))
    if noticed := loaded.noticed(shop, data):
        show.findings(noticed, to_message=False)
    else:
        show.draw(show.h("<p>{}</p>", t("open.no_problems")))
    show.draw(show.h("<p>{}</p>", show.link("overview", t("open.see_overview"))))
    st.download_button(
        t("open.save"),
        lambda: reading.init_text(shop),
        "readback.yml",
        "text/yaml",
        key="save",
        help=t("open.save_why"),
    )
