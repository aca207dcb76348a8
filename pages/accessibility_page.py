"""The accessibility statement: what is met, what is known not to be, when it was checked, and whom to write to."""

import os

import streamlit as st

from readback.ui.accessibility import criteria
from readback.ui.common import show
from readback.words import t

st.title(t("access.title"))
found = criteria.document()
if found:
    show.draw(show.h('<p class="rb-lead">{}</p>', criteria.results(found.rows)))
show.draw(show.h('<p class="rb-prose">{}</p>', t("access.met")))
show.draw(show.h("<h2>{}</h2>", t("access.gaps_title")))
gaps = [t("access.gap_reader"), t("access.gap_wide"), t("access.gap_language"), t("access.gap_tested")]
if own := os.environ.get("READBACK_ACCESSIBILITY_GAPS"):
    gaps.append(own)
show.draw(show.h("<ul>{}</ul>", show.join([show.h("<li>{}</li>", gap) for gap in gaps])))
show.draw(show.h("<h2>{}</h2>", t("access.write_title")))
contact = os.environ.get("READBACK_CONTACT") or t("about.contact")
show.draw(show.h('<p class="rb-prose">{}</p>', t("access.write", contact=contact)))
checked = os.environ.get("READBACK_ACCESSIBILITY_CHECKED")
show.draw(show.h('<p class="rb-prose">{}</p>', t("access.checked", date=checked) if checked else t("access.unchecked")))
show.draw(show.h("<h2>{}</h2>", t("access.tested_title")))
criteria.draw(found)
