"""About: what this is, what becomes of files, accessibility, whom to write to, version and licences."""

import os

import streamlit as st

from readback import __version__
from readback.ui.common import show
from readback.words import t

st.title(t("frame.about"))
show.draw(show.h('<p class="rb-lead">{}</p>', t("about.what")))
contact = os.environ.get("READBACK_CONTACT") or t("about.contact")
statement = show.link("accessibility", t("access.title"))
for heading, said in (
    ("files", show.h("{}", t("about.privacy"))),
    ("reading", show.h("{} {}", t("about.access"), statement)),
    ("questions", show.h("{}", t("about.write", contact=contact))),
    ("made", show.h("{} {}", t("about.version", version=__version__), t("about.licences"))),
):
    st.header(t(f"about.{heading}"))
    show.draw(show.h('<p class="rb-prose">{}</p>', said))
