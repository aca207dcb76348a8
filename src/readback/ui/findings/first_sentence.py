"""The first sentence of Findings: how many kinds of the gravest faults there are, and where the largest is."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from readback.checks.groups import Group, by_severity
from readback.checks.summary import Audit
from readback.types import Severity, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw.listing import FILTERS, NO_ROW
from readback.ui.findings import spread
from readback.words import t


def draw(
    rule_groups: Sequence[Group], every: Sequence[Group], records: int, audit: Audit, workspace: Workspace
) -> Markup:
    """Return the sentence on top: the kinds of the gravest severity with their places, each way a link; the kind with
    most places, or where all have as many the first one; and how many places the filter left out.

    `every` are the groups without the filter.
    """
    filters = {key: st.query_params.get(key) for key in FILTERS}
    severity, n = next(iter(by_severity(rule_groups).items()))
    kinds = [group for group in rule_groups if _count(group, severity)]
    sizes = [_count(group, severity) for group in kinds]
    largest = kinds[sizes.index(max(sizes))]
    words = t(f"findings.kinds_{severity}", n=len(kinds), places=t("findings.places", n=n))
    link = '<a class="rb-link" target="_self" href="{}">{}</a>'
    sign = '<span class="rb-severity rb-{}"><span aria-hidden="true">{}</span> {}</span>'
    signed = show.h(sign, severity, show.SIGNS[severity], words)
    counted = show.h(link, address.href("findings", **{**filters, "severity": severity}), signed)
    title = show.h(link, address.href("findings", **{**filters, "code": largest.code}), largest.title)
    key = "lead_only"
    if len(kinds) > 1:
        if len(set(sizes)) > 1:
            key = "lead_largest"
        else:
            key = "lead_first"
    is_whole = any(largest is group for group in every)
    extent = _describe_extent(largest, severity, is_whole, len(kinds) == 1, records, audit, workspace)
    if len(kinds) == 1 and extent:
        extent = f", {extent}"
    left, whole = (sum(group.count for group in groups) for groups in (rule_groups, every))
    if left != whole:
        filtered = t("findings.lead_filtered", n=whole)
    else:
        filtered = ""
    sentence = t(f"findings.{key}", kinds="{kinds}", title="{title}", extent="{extent}", filtered="{filtered}")
    return show.h(f'<p class="rb-lead">{sentence}</p>', kinds=counted, title=title, extent=extent, filtered=filtered)


def _count(group: Group, severity: Severity) -> int:
    return by_severity((group,)).get(severity, 0)


def _describe_extent(
    group: Group, severity: Severity, is_whole: bool, is_only: bool, records: int, audit: Audit, workspace: Workspace
) -> str:
    """Return where a rule has its places of the severity: in every record of some conditions, else in how many places
    of how many conditions. `is_whole`: no filter left any of its findings out; `is_only`: the sentence has its number
    of places already.
    """
    arms = {arm for arm, part in spread.count_parts(group, audit).items() if part.severity == severity} - {NO_ROW}
    if len(arms) == len(audit.conditions) > 1:
        conditions = t(f"findings.every_{'arm' if workspace.conditions else 'mode'}")
    else:
        if workspace.conditions:
            by = "conditions"
        else:
            by = "modes"
        if arms:
            conditions = t(f"overview.first_{by}", n=len(arms))
        else:
            conditions = ""
    if is_whole and audit.sample is None and spread.is_in_all_records(group, arms, audit, records):
        return t("findings.extent_full", conditions=conditions)
    if is_only:
        return t("findings.extent_in", what=conditions) if conditions else ""
    places = t("findings.places", n=_count(group, severity))
    if conditions:
        return t("findings.extent_places", places=places, conditions=conditions)
    return t("findings.extent_in", what=places)
