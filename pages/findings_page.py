"""Findings: what is wrong, how often, and what do I do?"""

import streamlit as st

from readback.checks.groups import alike, before, paragraphs, same_fix
from readback.checks.quoted import Quoted
from readback.ui.common import show
from readback.ui.common.draw import keys, listing, places, setting, steps
from readback.ui.common.state import choice
from readback.ui.findings import ignoring, taking
from readback.ui.overview import overview
from readback.ui.prompts import variables
from readback.words import t

st.title(t("frame.findings"))
workspace, data = choice.workspace(), choice.dataset()
records = len(data) if workspace.dataset else 0
audit = choice.audit()
overview.state(audit)
whole, audit = audit, ignoring.looked_at(audit)
if audit is not whole:
    show.notice(t("findings.listed_ignored"))
if audit.truncated and audit.every is None:
    kept = t("findings.truncated", kept=len(audit.findings), all=sum(audit.counts.values()))
    show.notice(kept, "warning")
every = listing.ordered(audit, workspace)
if not every:
    show.empty(listing.none(audit), *overview.way(workspace))
    ignoring.show_ignored(audit)
    variables.of_dataset(whole, workspace, data)
    st.stop()

lead = st.container()
with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
    severity = setting.choose("severity", t("findings.severity"), listing.severities(every), listing.say_severity, 130)
    area = setting.choose("area", t("findings.area"), ("", *listing.areas(every)), width=190)
    condition = setting.choose(
        "arm", t("findings.condition"), ("", *listing.conditions(every, audit)), listing.condition_label, 270
    )
    words = st.text_input(t("findings.search"), key="search", placeholder=t("findings.search_hint"), width=190)
    found = listing.filtered(every, audit, severity, area, condition, words)
    if found:
        taking.download(found, whole.sample)
    keys.listen(keys.FINDINGS)
if not found:
    none = t("findings.none_filtered")
    show.draw(show.h("<p>{} {}{}</p>", none, show.link("findings", t("findings.no_filter")), show.aloud(none)))
    st.stop()

asked = st.query_params.get("code")
group = next((g for g in found if g.code == asked), found[0])
with lead:
    show.draw(listing.lead(found, every, records, audit, group))
left, right = st.columns([2, 3], gap="large")
with left:
    st.header(heading := t("findings.rules", n=len(found)))
    show.draw(listing.rules(found, group.code, records, audit) + show.aloud(heading))
    ignoring.show_ignored(audit)
with right:
    st.header(show.md(group.title))
    told = dict(zip(("what", "why", "fix"), paragraphs(group.code), strict=False))
    fix = same_fix(group.findings) or told.get("fix", "")
    if fix:
        label = t("findings.fix_first")
        show.draw(show.h('<p class="rb-prose"><strong>{}</strong> {}</p>', label, listing.prose(fix)))
    if told:
        with st.expander(t("findings.explained"), key="explained"):
            for key, text in told.items():
                show.draw(show.h('<p class="rb-prose"><strong>{}.</strong> {}</p>', t(f"findings.{key}"),
                                 listing.prose(text)))  # fmt: skip
    stacks = alike(group.findings)
    start = setting.offset("at", len(stacks), listing.PLACES)
    drawn = listing.drawn(stacks)
    shown = drawn or stacks[start : start + listing.PLACES]
    st.subheader(listing.heading(group, before(stacks, start), sum(map(len, shown)), audit, len(stacks) * bool(drawn)))
    if len(shown) > 1:
        at = t("findings.at_place", all=len(shown))
        show.draw(steps.steps("place", t("findings.previous_place"), t("findings.next_place"), at, t("findings.steps")))
    if shown:
        places.places(shown, group, Quoted(workspace, data, choice.answer))
    listing.turn(start, len(stacks), bool(drawn))
    if audit is whole:
        known = tuple(one for one in audit.findings if one.code == group.code)
        ignoring.offer(group, [same[0] for same in shown], known, workspace)
variables.of_dataset(whole, workspace, data)
