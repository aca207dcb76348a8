"""About: version, licence, privacy, accessibility and whom to write to."""

import os

import streamlit as st

from readback import __version__
from readback.ui.common import show
from readback.words import t

st.title(t("frame.about"))
contact = os.environ.get("READBACK_CONTACT") or t("about.contact")
for key in ("what", "version", "licences", "privacy", "access", "write"):
    show.draw(show.h("<p>{}</p>", t(f"about.{key}", version=__version__, contact=contact)))
show.page_link("accessibility", t("access.title"))
