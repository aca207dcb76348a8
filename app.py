"""The frame: which workspace, the navigation, and the page in view."""

import streamlit as st

from readback.readers.cache_folder import DiskFull, NoFolder
from readback.ui.common import address, show
from readback.ui.common.draw import frame, keys, present
from readback.ui.common.state import choice, session
from readback.ui.review import note_here
from readback.words import t

st.set_page_config(page_title=t("frame.title"), layout="wide", initial_sidebar_state="collapsed")
address.begin()
choice.begin()
show.style()

# Each address differs from its file's stem: before the first run of st.navigation, and on every run of AppTest,
# Streamlit looks into pages/ by itself and would run a page without this frame.
page = st.navigation(
    [
        st.Page("pages/overview_page.py", title=t("frame.overview"), url_path="overview", default=True),
        st.Page("pages/messages_page.py", title=t("frame.messages"), url_path="messages"),
        st.Page("pages/compare_page.py", title=t("compare.title"), url_path="compare"),
        st.Page("pages/findings_page.py", title=t("frame.findings"), url_path="findings"),
        st.Page("pages/scores_page.py", title=t("frame.scores"), url_path="scores"),
        st.Page("pages/agenda_page.py", title=t("agenda.title"), url_path="agenda"),
        st.Page("pages/review_page.py", title=t("review.title"), url_path="review"),
        st.Page("pages/open_page.py", title=t("frame.open"), url_path="open"),
        st.Page("pages/records_page.py", title=t("records.title"), url_path="records", visibility="hidden"),
        st.Page("pages/about_page.py", title=t("frame.about"), url_path="about", visibility="hidden"),
        st.Page("pages/accessibility_page.py", title=t("access.title"), url_path="accessibility", visibility="hidden"),
    ],
    position="top",
)
st.set_page_config(page_title=f"{page.title} · {t('frame.title')}")
here = page.url_path or address.HOME
frame.bar(here, with_note=here in note_here.OF_PAGE)
note_here.draw(here)
present.draw()
keys.off()
frame.warn_of_loss()
keys.script()
try:
    page.run()
except DiskFull as full:
    session.forget()  # what failed is tried again at the next look: by then there may be room
    show.problem(t("frame.no_folder" if isinstance(full, NoFolder) else "frame.disk_full"), str(full))
