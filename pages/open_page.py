"""Open: how do I get my own files in?"""

import streamlit as st

from readback.ui.common import show
from readback.ui.common.draw import downloads, exports, score_proposals
from readback.ui.common.draw.head import loaded
from readback.ui.common.state import choice
from readback.ui.common.uploads import store as upload
from readback.ui.open import file_choices, folder_zip, mapping, opening, pasting, plain_files, steps
from readback.ui.prompts.one.model_input import made_up
from readback.words import t

st.title(t("frame.open"))
show.draw(show.h("<p>{}</p>", t("open.lead")))
opening.show_outcome()
left, right = st.columns([2, 3], gap="large")
with left:
    opening.bring()
    pasting.draw()
    given, demos = choice.configured(), choice.demos()
    if mine := [token for token in choice.folders() if token.startswith(upload.PREFIX)]:
        opening.own_workspaces(mine)
    if given:
        opening.listed(t("open.configured"), given)
    if others := [name for name in demos if name not in given]:
        opening.listed(t("open.demos"), others)
    show.draw(show.h('<p class="rb-small">{}</p>', t("open.upload_path")))

with right:
    workspace = choice.workspace(offer=False)
    st.header(show.md(t("open.shown", name=workspace.name)))
    data = choice.dataset() if workspace.dataset else None
    if data is not None and workspace.dataset and not workspace.dataset.absent:
        show.draw(show.h("<p>{}</p>", loaded.counts(workspace.dataset.path, data.counts)))
    st.subheader(t("open.recognised"))
    loaded.files(workspace, t("open.recognised"))
    score_proposals.draw(workspace)
    score_proposals.show_confirmed(workspace)
    plain_files.encodings(workspace, data)
    plain_files.tables(workspace, data)
    plain_files.ids(workspace)
    plain_files.several(workspace)
    steps.typed_here()
    if steps.wanted(workspace):
        steps.draw(workspace, data)
    elif made_up.wanted(workspace):
        made_up.lead(workspace, "open")
    file_choices.several(workspace)
    file_choices.training(workspace)
    if data and not steps.wanted(workspace):
        mapping.mapping(workspace, data)
    plain_files.languages(workspace)
    plain_files.tools(workspace)
    st.subheader(t("open.problems"))
    noticed = loaded.noticed()
    if noticed:
        loaded.problems(noticed)
    elif noticed is not None:
        show.draw(show.h("<p>{}</p>", t("open.no_problems")))
    show.draw(show.h("<p>{}</p>", show.link("overview", t("open.see_overview"))))
    with st.container(horizontal=True):
        downloads.button(
            t("open.save"),
            lambda: mapping.written_down(workspace),
            "readback.yml",
            "text/yaml",
            key="save",
            help=t("open.save_why"),
        )
        if choice.workspace_id().startswith(upload.PREFIX) and folder_zip.size(workspace) <= folder_zip.MOST:
            downloads.button(
                t("open.save_zip"),
                lambda: folder_zip.folder_zip(workspace, mapping.written_down(workspace)),
                f"{exports.name(workspace.name)}.zip",
                "application/zip",
                key="save_zip",
                help=t("open.save_zip_why"),
            )
