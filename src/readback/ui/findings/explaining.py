"""What a rule says of itself beside its findings, and in which conditions these are."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from readback.checks.groups import WEIGHT, Group, paragraphs
from readback.checks.summary import Audit
from readback.ui.common import show
from readback.ui.common.draw import listing, places
from readback.ui.findings import spread
from readback.words import t

ARMS = 6  # conditions that are named above the places; the others are folded


def name_filters() -> str:
    """Return the name of the other filters: which of them are on, so that none is overlooked."""
    severity, area = (st.query_params.get(key, "") for key in ("severity", "area"))
    on = ", ".join(filter(None, (listing.say_severity(severity) if severity in WEIGHT else "", area)))
    if on:
        return t("findings.more_filters_on", what=on)
    return t("findings.more_filters")


def describe(group: Group, rule_groups: Sequence[Group], arm: str, records: int, audit: Audit) -> Markup:
    """Return how often a rule has findings, its code, and the conditions they are in, each a link to its own.

    `rule_groups` are the groups without the filter by condition.
    """
    whole = next(other for other in rule_groups if other.code == group.code)
    extent = show.h(
        '<p class="rb-small">{} {} · <code>{}</code></p>',
        show.severity(group.severity),
        listing.extent(audit, group, records),
        group.code,
    )
    parts = spread.count_parts(whole, audit)
    if len(parts) < 2 or (not arm and places.are_listed(whole.count)):  # these are named below with their conditions
        return extent
    named = spread.rank_named(parts, arm, ARMS)
    links = [_link(show.h("{}", t("findings.everywhere")), group.code, "", arm)]
    links += [_link(spread.name_arm(name, parts[name], group.severity), group.code, name, arm) for name in named]
    others = [
        _link(spread.name_arm(name, parts[name], group.severity), group.code, name, arm)
        for name in parts
        if name not in named
    ]
    fold = '<details class="rb-small"><summary>{}</summary>{}</details>'
    if others:
        more = show.h(fold, t("findings.other_arms", n=len(others)), show.join(others, " "))
    else:
        more = Markup("")
    label = t("findings.in_conditions")
    return show.h('{}<nav class="rb-arms" aria-label="{}">{}{}</nav>', extent, label, show.join(links, " "), more)


def offer(group: Group) -> None:
    """Draw a button behind which the rule's page says what it finds, why that matters and how to fix it."""
    texts = dict(zip(("what", "why", "fix"), paragraphs(group.code), strict=False))
    if not texts:
        return
    with st.popover(t("findings.why_button"), key="explained"):
        for key, text in texts.items():
            show.draw(
                show.h('<p class="rb-prose"><strong>{}.</strong> {}</p>', t(f"findings.{key}"), listing.prose(text))
            )


def _link(words: Markup, code: str, to: str, arm: str) -> Markup:
    """Return the way to the places of a rule in one condition, or in all where `to` is ""; it keeps the filters."""
    filters = {key: st.query_params.get(key) for key in listing.FILTERS}
    link = show.link("findings", words, **{**filters, "code": code, "arm": to or None})
    if to:
        link = link.replace("<a ", show.h('<a title="{}" ', spread.describe_arm(to)), 1)
    if to == arm:
        return show.current(link)
    return link
