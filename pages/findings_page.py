"""Findings: what is wrong, how often, and what do I do?"""

import streamlit as st

from readback.audit.groups import paragraphs
from readback.ui import address, choice, listing, setting, show
from readback.ui.words import t

st.title(t("frame.findings"))
shop = choice.workspace()
records = len(choice.dataset()) if shop.dataset else 0
audit = choice.audit()
if audit is None:
    show.notice(t("overview.unchecked"))
    if st.button(t("overview.check"), key="check_all"):
        audit = choice.audit(start=True)
if audit is None:
    st.stop()
if audit.stopped:
    show.notice(t("overview.stopped"), "warning")
if audit.truncated:
    show.notice(t("findings.truncated", kept=len(audit.findings), all=sum(audit.counts.values())), "warning")
if not audit.findings:
    show.draw(show.h("<p>{}</p>", t("findings.none_stopped" if audit.stopped else "findings.none")))
    show.page_link("messages", t("overview.see_messages"))
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    severity = setting.choose(
        "severity", t("findings.severity"), ("", "error", "warning", "info"), lambda w: t(f"frame.{w}")
    )
    area = setting.choose("area", t("findings.area"), ("", *listing.areas(audit)))
    arm = setting.choose("arm", t("findings.condition"), ("", *listing.arms(audit)), width=320)
    words = st.text_input(t("findings.search"), key="search", placeholder=t("findings.search_hint"), width=280)
found = listing.filtered(audit, severity, area, arm, words)
if not found:
    show.draw(show.h("<p>{}</p>", t("findings.none_filtered")))
    st.stop()

asked = st.query_params.get("code")
group = next((g for g in found if g.code == asked), found[0])
left, right = st.columns([2, 3], gap="large")
with left:
    st.header(t("findings.rules", n=len(found)))
    show.draw(listing.rules(found, group.code, records))
with right:
    st.header(show.md(group.title))
    for key, text in zip(("what", "why", "fix"), paragraphs(group.code), strict=False):
        show.draw(show.h("<p><strong>{}.</strong> {}</p>", t(f"findings.{key}"), text))
    start = setting.offset("at", len(group.findings), listing.PLACES)
    shown = group.findings[start : start + listing.PLACES]
    st.subheader(t("findings.page", start=start + 1, stop=start + len(shown), all=group.count))
    for one in shown:
        show.draw(listing.place(one, listing.messages(shop, choice.dataset(), one)))
    with st.container(horizontal=True):
        for label, at in (("earlier", start - listing.PLACES), ("later", start + listing.PLACES)):
            off = not 0 <= at < len(group.findings)
            st.button(
                t(f"findings.{label}"), key=label, disabled=off, on_click=address.put, kwargs={"at": str(max(at, 0))}
            )
for ignored, n in audit.ignored:
    why = ignored.why or t("findings.unwritten")
    said = t("findings.ignored_row", code=ignored.code, n=n, why=why, by=ignored.by or "–", date=ignored.date or "–")
    show.draw(show.h('<p class="rb-small">{}</p>', said))
