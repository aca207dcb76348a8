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
from readback.ui.common.draw.text import bookmarks
from readback.words import t
from readback.workspace import workspace_file

CHOICES = 60  # conditions and places to choose from


def looked_at(audit: Audit) -> Audit:
    """Return the audit as the address asks for it: its findings, or what is ignored of it, in the same shape."""
    if not listing_ignored(audit):
        return audit
    ignored_findings, sample = audit.ignored_findings, audit.sample
    if sample:
        numbers = set(drawn(sample.total, sample.drawn, sample.seed))
    else:
        numbers = set()
    at = {(finding.code, finding.place.index) for finding in ignored_findings if finding.place.index is not None}
    # what is told once of all records is at the first, which need not be in a sample
    records = Counter(code for code, n in at if sample is None or code in sample.full or n in numbers)
    counts = Counter(finding.code for finding in ignored_findings)
    severities = Counter[str](finding.severity for finding in ignored_findings)
    return replace(
        audit,
        findings=ignored_findings,
        counts=dict(sorted(counts.items())),
        records_by_code=records,
        severities=severities,
        truncated=sum(n for _, n in audit.ignored) > len(ignored_findings),
        every=None,
    )


def listing_ignored(audit: Audit) -> bool:
    """Whether the findings that are ignored are listed instead of the others."""
    return st.query_params.get("ignored") == "1" and bool(audit.ignored_findings)


def show_ignored(audit: Audit) -> None:
    """Draw what is ignored: how often, where, why, by whom and since when; and what ignores nothing."""
    if not audit.ignored:
        return
    part = audit.stopped or audit.sample is not None
    rows = [show.h("<li>{}</li>", _row(ignored, n, part)) for ignored, n in audit.ignored]
    total = t("findings.ignored", n=sum(n for _, n in audit.ignored))
    show.draw(show.h('<div class="rb-small"><p>{}:</p><ul>{}</ul></div>', total, show.join(rows)))
    if audit.ignored_findings:
        here = listing_ignored(audit)
        change = {"ignored": None if here else "1", "code": None, "at": None, "severity": None, "arm": None}
        label = t("findings.list_found" if here else "findings.list_ignored")
        st.button(label, key="list_ignored", on_click=address.put, kwargs=change)


def offer(group: Group, findings_in_view: Sequence[Finding], every: Sequence[Finding], workspace: Workspace) -> None:
    """Draw the lines that ignore a rule, a condition of it, or one of the places shown; the reason is typed and stays
    here.

    `every` are the rule's findings that are known, which says how many the lines would cover.
    """
    with st.expander(t("findings.ignore"), key="ignore_open"):
        show.draw(show.h("<p>{}</p>", t("findings.ignore_said")))
        where = _where(group, findings_in_view)
        columns = st.columns(2, gap="small")
        why = columns[0].text_input(t("findings.ignore_why"), key="ignore_why", placeholder=t("findings.ignore_hint"))
        by = columns[1].text_input(t("findings.ignore_by"), key="ignore_by", placeholder=t("findings.ignore_name"))
        ignored = Ignored(
            group.code,
            why.strip() or t("findings.ignore_no_why"),
            by.strip() or t("findings.ignore_name"),
            time.strftime("%Y-%m-%d"),
            where,
        )
        text = ignoring.lines(ignored, first=not workspace.ignore)
        # by hand: `st.code` brings the grammars of 300 languages, which take a browser longer than the rest of the page
        show.draw(show.h('<div class="rb-excerpt">{}</div>', Markup(exact.text(text))))  # noqa: S704 (escaped there)
        bookmarks.copy("ignore", text, "ignore.txt", t("findings.ignore_copy"))
        findings = group.findings
        if isinstance(findings, Listed):
            covered = t("findings.ignore_all", n=findings.at(where))
        else:
            covered = t("findings.ignore_covers", n=ignoring.covered(ignored, every))
        show.draw(show.h('<p class="rb-small">{} {}</p>', covered, _paste(workspace)))


def _where(group: Group, findings_in_view: Sequence[Finding]) -> Mapping[str, str]:
    """Draw a choice of where: everywhere, a condition or file, one of the places shown."""
    conditions = [
        (t("findings.ignore_in", where=_describe_place(where)), where)
        for where in ignoring.conditions(firsts(group.findings))
    ]
    spots = [
        (t("findings.ignore_at", where=_describe_place(where)), where)
        for where in map(_spot, findings_in_view)
        if where
    ]
    places: dict[str, Mapping[str, str]] = {t("findings.ignore_everywhere"): {}, **dict(conditions), **dict(spots)}
    offered = list(places)[:CHOICES]
    place = st.selectbox(t("findings.ignore_where"), offered, key="ignore_where", format_func=exact.spelling)
    return places.get(place, {})


def _spot(finding: Finding) -> Mapping[str, str]:
    return ignoring.place(finding.place)


def _describe_place(where: Mapping[str, str]) -> str:
    return show.where(replace(NOWHERE, **dict[str, Any](where)))


def _paste(workspace: Workspace) -> object:
    """Where the lines belong. Without a workspace file one is written first, else nothing but `ignore:` is known."""
    if workspace.file != workspace_file.NAME:
        return show.h("{} {}", t("findings.ignore_no_file"), show.link("open", t("findings.ignore_save")))
    return t("findings.ignore_below" if workspace.ignore else "findings.ignore_file")


def _row(ignored: Ignored, n: int, part: bool) -> str:
    where = _describe_place(ignored.where)
    values = {"why": ignored.why or t("findings.unwritten"), "by": ignored.by or "–", "date": ignored.date or "–"}
    sentence = t("findings.ignored_row", code=f"{ignored.code}, {where}" if where else ignored.code, n=n, **values)
    if n or part:
        return sentence
    return f"{sentence} {t('findings.ignores_nothing')}"
