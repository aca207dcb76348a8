"""The frame: which workspace, the navigation, and the page in view."""

import streamlit as st

from readback.readers.files.cache_folder import DiskFull, NoFolder
from readback.ui.common import address, show
from readback.ui.common.draw.head import frame, header, keys, present, reading_log, share
from readback.ui.common.state import choice, session
from readback.ui.review import live_notes, note_form
from readback.words import t

# Streamlit's menu has light and dark where it has any entry of ours; About is the one.
menu = {"About": t("about.what")}
st.set_page_config(page_title=t("frame.title"), layout="wide", initial_sidebar_state="collapsed", menu_items=menu)
address.begin()
choice.begin()
show.style()

# Each address differs from its file's stem: before the first run of st.navigation, and on every run of AppTest,
# Streamlit looks into pages/ by itself and would run a page without this frame.
page = st.navigation(
    [
        st.Page("pages/overview_page.py", title=t("frame.overview"), url_path="overview", default=True),
        st.Page("pages/prompts_page.py", title=t("frame.prompts"), url_path="prompts"),
        st.Page("pages/results_page.py", title=t("frame.results"), url_path="results"),
        st.Page("pages/findings_page.py", title=t("frame.findings"), url_path="findings"),
        st.Page("pages/review_page.py", title=t("frame.review"), url_path="review"),
        st.Page("pages/open_page.py", title=t("frame.open"), url_path="open"),
        st.Page("pages/about_page.py", title=t("frame.about"), url_path="about"),
        st.Page("pages/accessibility_page.py", title=t("access.title"), url_path="accessibility"),
    ],
    position="hidden",  # the head of the page has the rooms
)
st.set_page_config(page_title=f"{page.title} · {header.get_name()}")
here = page.url_path or address.HOME
header.draw(here)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head_right"):
    frame.bar(here)
    note_form.draw(here)
    share.draw(here)
    present.draw()
share.follow_presenter(here)
live_notes.follow(here)
keys.off()
frame.warn_of_loss()
keys.script()
try:
    if here not in header.ROOMS or not reading_log.draw():
        page.run()
    present.draw_steps()
except DiskFull as full:
    session.forget()  # what failed is tried again at the next look: by then there may be room
    show.problem(t("frame.no_folder" if isinstance(full, NoFolder) else "frame.disk_full"), str(full))
