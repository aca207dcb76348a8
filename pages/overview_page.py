"""Overview: may we compare these, and what should we talk about?"""

import streamlit as st

from readback.ui import choice, overview, show, table
from readback.ui.headline import headline
from readback.ui.words import t

shop = choice.workspace()
data = choice.dataset() if shop.dataset else None
audit = choice.audit()
score = headline(shop)

st.title(show.md(shop.name))
show.draw(show.h('<p class="rb-lead">{}</p>', overview.facts(shop, len(data) if data else None, audit)))
if score and score.synthetic:
    show.notice(t("overview.synthetic"), "warning")

if not (shop.prompts or shop.tasks or shop.judges or shop.scores):
    show.empty(t("overview.nothing"), t("frame.open_one"), "open")
if audit is None and st.button(t("overview.check"), key="check_all", help=t("overview.check_why")):
    audit = choice.audit(start=True)
if audit is not None:
    if audit.stopped:
        show.notice(t("overview.stopped"), "warning")
    if audit.faults:
        show.problem(
            t("overview.faults_ours", n=len(audit.faults)), "\n".join(f"{f.rule}: {f.error}" for f in audit.faults)
        )
    if audit.conditions:
        st.header(t("overview.arms" if shop.conditions else "overview.arms_modes"))
        columns, rows = overview.arms(shop, audit, score)
        table.table("arms", columns, rows, caption=t("overview.arms" if shop.conditions else "overview.arms_modes"))
        show.draw(show.h('<p class="rb-small">{}</p>', t("overview.observed")))
    if shop.scores:
        show.page_link("scores", t("overview.see_scores"))
    st.header(t("overview.first"), help=t("overview.first_help"))
    if overview.look_at(audit):
        show.draw(overview.first(audit))
        show.page_link("findings", t("overview.all_findings"))
    else:
        show.draw(show.h("<p>{}</p>", t("overview.first_none")))

st.header(t("overview.loaded"))
if data and shop.dataset:
    show.draw(show.h("<p>{}</p>", overview.counts(shop.dataset.path, data.counts)))
columns, rows = overview.loaded(shop)
table.table("loaded", columns, rows, caption=t("overview.loaded"))
if noticed := overview.loading(shop):
    with st.expander(t("overview.problems", n=len(noticed))):
        show.findings(noticed, to_message=False)
