"""Findings: what is wrong, where, how often, and what do I do?"""

import streamlit as st

from readback.checks.groups import alike, before
from readback.checks.quoted import Quoted
from readback.ui.common import show
from readback.ui.common.draw import listing, places, setting
from readback.ui.common.draw.head import keys, present, steps
from readback.ui.common.state import choice
from readback.ui.findings import effect, explaining, first_sentence, ignoring, rule_list, taking
from readback.ui.overview import overview
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
weights = listing.weigh(audit, workspace)
every = listing.ordered(audit, weights)
if not every:
    show.empty(listing.none(audit), *overview.way(workspace))
    ignoring.show_ignored(audit)
    st.stop()

head = st.container(horizontal=True, vertical_alignment="center", key="findings_head")
lead = head.container()
with head.container(horizontal=True, vertical_alignment="center", width="content", key="filters"):
    arms = ("", *listing.conditions(every, audit))
    condition = setting.choose(
        "arm", t("findings.condition"), arms, listing.condition_label, 230, t("findings.every_condition")
    )
    hint = t("findings.search_hint")
    words = st.text_input(t("findings.search"), key="search", placeholder=hint, width=190, label_visibility="collapsed")
    with st.popover(explaining.name_filters(), key="more_filters"):
        severity = setting.choose("severity", t("findings.severity"), listing.severities(every), listing.say_severity)
        area = setting.choose("area", t("findings.area"), ("", *listing.areas(every)))
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
shown = listing.filtered(every, audit, severity, area, "", words) if condition else found
with lead:
    show.draw(first_sentence.draw(found, every, records, audit, workspace))
left, right = present.columns([8, 13], gap="medium")
with left, present.slide("rules"):
    heading = t("findings.rules", n=len(found))
    view = rule_list.View(audit, workspace, {one.group.code: one for one in weights}, group.code, condition)
    show.draw(rule_list.draw(view, found, shown, brief=present.on()) + show.aloud(heading))
    ignoring.show_ignored(audit)
with right, present.slide("rule"), st.container(key="rule_panel"):
    st.header(show.md(group.title))
    side = st.container(key="rule_side")
    show.draw(explaining.describe(group, shown, condition, records, audit))
    if audit is whole and (lines := effect.describe_effect(workspace, data, whole, weights, group.code)):
        show.draw(lines)
    stacks = alike(group.findings)
    start = setting.offset("at", len(stacks), listing.PLACES)
    drawn = listing.drawn(stacks)
    part = drawn or stacks[start : start + listing.PLACES]
    with st.container(horizontal=True, vertical_alignment="center", key="places_head"):
        count = sum(map(len, part))
        st.subheader(listing.heading(group, before(stacks, start), count, audit, len(stacks) * bool(drawn)))
        if len(part) > 1:
            at = t("findings.at_place", all=len(part))
            words_of_steps = (t("findings.previous_place"), t("findings.next_place"), at, t("findings.steps"))
            show.draw(steps.steps("place", *words_of_steps))
    if part:
        quoted = Quoted(workspace, data, choice.answer)
        show.draw(places.list_places(part, quoted))
        places.places(part, group, quoted, side, lambda: explaining.offer(group))
    else:
        explaining.offer(group)
    listing.turn(start, len(stacks), bool(drawn))
    if audit is whole:
        known = tuple(one for one in audit.findings if one.code == group.code)
        ignoring.offer(group, [same[0] for same in part], known, workspace)
