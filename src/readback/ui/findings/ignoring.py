"""What the workspace file ignores, told in full; and the lines to paste into it for more. A page never writes there."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks import ignoring
from readback.checks.findings_on_disk import Listed
from readback.checks.groups import Group, firsts
from readback.checks.sample import drawn
from readback.checks.summary import Audit
from readback.html import exact
from readback.types import NOWHERE, Finding, Ignored, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import bookmarks
from readback.words import t
from readback.workspace import workspace_file

CHOICES = 60  # conditions and places to choose from


def looked_at(audit: Audit) -> Audit:
    """The audit as the address asks for it: what it found, or what is ignored of it, in the same shape."""
    if not listing_ignored(audit):
        return audit
    found, sample = audit.ignored_findings, audit.sample
    numbers = set(drawn(sample.of, sample.drawn, sample.seed)) if sample else set()
    at = {(one.code, one.place.index) for one in found if one.place.index is not None}
    # what is told once of all records is at the first, which need not be in a sample
    records = Counter(code for code, n in at if sample is None or code in sample.full or n in numbers)
    counts = Counter(one.code for one in found)
    severities = Counter[str](one.severity for one in found)
    return replace(
        audit, findings=found, counts=dict(sorted(counts.items())), records_by_code=records, severities=severities,
        truncated=sum(n for _, n in audit.ignored) > len(found), every=None,
    )  # fmt: skip


def listing_ignored(audit: Audit) -> bool:
    """Whether the findings that are ignored are listed instead of the others."""
    return st.query_params.get("ignored") == "1" and bool(audit.ignored_findings)


def told(audit: Audit) -> None:
    """What is ignored: how often, where, why, who says so and since when; what ignores nothing; and a way to see it."""
    if not audit.ignored:
        return
    part = audit.stopped or audit.sample is not None
    rows = [show.h("<li>{}</li>", _row(one, n, part)) for one, n in audit.ignored]
    total = t("findings.ignored", n=sum(n for _, n in audit.ignored))
    show.draw(show.h('<div class="rb-small"><p>{}:</p><ul>{}</ul></div>', total, show.join(rows)))
    if audit.ignored_findings:
        here = listing_ignored(audit)
        change = {"ignored": None if here else "1", "code": None, "at": None, "severity": None, "arm": None}
        label = t("findings.list_found" if here else "findings.list_ignored")
        st.button(label, key="list_ignored", on_click=address.put, kwargs=change)


def offer(group: Group, shown: Sequence[Finding], every: Sequence[Finding], workspace: Workspace) -> None:
    """The lines that ignore a rule, a condition of it, or one of the places shown; the reason is typed and stays here.

    `every` are the rule's findings that are known, which says how many the lines would cover.
    """
    with st.expander(t("findings.ignore"), key="ignore_open"):
        show.draw(show.h("<p>{}</p>", t("findings.ignore_said")))
        where = _where(group, shown)
        columns = st.columns(2, gap="small")
        why = columns[0].text_input(t("findings.ignore_why"), key="ignore_why", placeholder=t("findings.ignore_hint"))
        by = columns[1].text_input(t("findings.ignore_by"), key="ignore_by", placeholder=t("findings.ignore_name"))
        one = Ignored(
            group.code,
            why.strip() or t("findings.ignore_no_why"),
            by.strip() or t("findings.ignore_name"),
            time.strftime("%Y-%m-%d"),
            where,
        )
        text = ignoring.lines(one, first=not workspace.ignore)
        # by hand: `st.code` brings the grammars of 300 languages, which take a browser longer than the rest of the page
        show.draw(show.h('<div class="rb-excerpt">{}</div>', Markup(exact.text(text))))  # noqa: S704 (escaped there)
        bookmarks.copy("ignore", text, "ignore.txt", t("findings.ignore_copy"))
        found = group.findings
        if isinstance(found, Listed):
            covered = t("findings.ignore_all", n=found.at(where))
        else:
            covered = t("findings.ignore_covers", n=ignoring.covered(one, every))
        show.draw(show.h('<p class="rb-small">{} {}</p>', covered, _paste(workspace)))


def _where(group: Group, shown: Sequence[Finding]) -> Mapping[str, str]:
    """A choice of where: everywhere, a condition or file, one of the places shown."""
    conditions = [
        (t("findings.ignore_in", where=_said(where)), where) for where in ignoring.conditions(firsts(group.findings))
    ]
    spots = [(t("findings.ignore_at", where=_said(where)), where) for where in map(_spot, shown) if where]
    known: dict[str, Mapping[str, str]] = {t("findings.ignore_everywhere"): {}, **dict(conditions), **dict(spots)}
    offered = list(known)[:CHOICES]
    said = st.selectbox(t("findings.ignore_where"), offered, key="ignore_where", format_func=exact.spelling)
    return known.get(said, {})


def _spot(one: Finding) -> Mapping[str, str]:
    return ignoring.place(one.place)


def _said(where: Mapping[str, str]) -> str:
    return show.where(replace(NOWHERE, **dict[str, Any](where)))


def _paste(workspace: Workspace) -> object:
    """Where the lines belong. Without a workspace file one is written first, else nothing but `ignore:` is known."""
    if workspace.file != workspace_file.NAME:
        return show.h("{} {}", t("findings.ignore_no_file"), show.link("open", t("findings.ignore_save")))
    return t("findings.ignore_below" if workspace.ignore else "findings.ignore_file")


def _row(one: Ignored, n: int, part: bool) -> str:
    where = _said(one.where)
    known = {"why": one.why or t("findings.unwritten"), "by": one.by or "–", "date": one.date or "–"}
    said = t("findings.ignored_row", code=f"{one.code}, {where}" if where else one.code, n=n, **known)
    return said if n or part else f"{said} {t('findings.ignores_nothing')}"
