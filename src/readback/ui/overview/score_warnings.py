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
    of: Mapping[str, int] = field(default_factory=dict)

    def cell(self, row: Row, own: Markup) -> Markup:
        """The count of a row, and below it the way to the warnings about scores where some are about it."""
        if not (n := self.of.get(row.name, 0)):
            return own
        said = t("overview.all_of_scores" if n == self.every else "overview.of_scores", n=n, all=self.every)
        link = show.link("findings", said, severity=SEVERITY, area=AREA)
        prompts = show.h(t("overview.of_prompts", n="{n}"), n=own)
        return show.h('<span class="rb-small">{}<br>{}</span>', prompts, link)


def counted(audit: Audit, table: ScoreTable | None) -> Counted:
    """What the check has kept of them; those that the workspace ignores are not among it."""
    found = {one.key: one for one in audit.findings if one.severity == SEVERITY and area(one.code) == AREA}
    if table is None or not found:
        return Counted()
    rows = {selection_key(row.choice): row.name for row in audit.conditions}
    of: Counter[str] = Counter()
    for key, among in _among(choice.key(), table):
        if key in found:
            here = rows.get(selection_key(found[key].place))
            of.update(name for name in among if name != here)
    return Counted(len(found), of)


@st.cache_resource(max_entries=caches.KEEP, show_spinner=False)
def _among(key: caches.Key, _table: ScoreTable) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The keys of the findings about scores, each with the conditions it is about."""
    return tuple((build_finding(one).key, one.among) for one in warnings.find_warnings(_table))
