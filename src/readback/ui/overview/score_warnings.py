"""Warnings about scores, counted for each condition that they are about: many are about several at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st
from markupsafe import Markup

from readback.checks.groups import area
from readback.checks.rules import build_finding
from readback.checks.summary import Audit, Row, selection_key
from readback.scores import warnings
from readback.scores.table import ScoreTable
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.words import t

SEVERITY = "warning"
AREA = area("scr-")


@dataclass(frozen=True, slots=True)
class Counted:
    """How many warnings about scores there are, and how many of them, by condition, are not in its row already."""

    every: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def cell(self, row: Row, own: Markup) -> Markup:
        """Return the count of a row, and below it the way to the warnings about scores where some are about it."""
        if not (n := self.counts.get(row.name, 0)):
            return own
        words = t("overview.all_of_scores" if n == self.every else "overview.of_scores", n=n, all=self.every)
        link = show.link("findings", words, severity=SEVERITY, area=AREA)
        prompts = show.h(t("overview.of_prompts", n="{n}"), n=own)
        return show.h('<span class="rb-small">{}<br>{}</span>', prompts, link)


def counted(audit: Audit, table: ScoreTable | None) -> Counted:
    """Return what the check found of them; those that the workspace ignores are not counted."""
    findings = {
        finding.key: finding
        for finding in audit.findings
        if finding.severity == SEVERITY and area(finding.code) == AREA
    }
    if table is None or not findings:
        return Counted()
    rows = {selection_key(row.choice): row.name for row in audit.conditions}
    counts: Counter[str] = Counter()
    for key, among in _among(choice.key(), table):
        if key in findings:
            here = rows.get(selection_key(findings[key].place))
            counts.update(name for name in among if name != here)
    return Counted(len(findings), counts)


@st.cache_resource(max_entries=caches.KEEP, show_spinner=False)
def _among(key: caches.Key, _table: ScoreTable) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the keys of the findings about scores, each with the conditions it is about."""
    return tuple((build_finding(warning).key, warning.among) for warning in warnings.find_warnings(_table))
