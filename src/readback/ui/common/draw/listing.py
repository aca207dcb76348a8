"""The findings page's parts: the filter, and which places of a rule are in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import streamlit as st
from markupsafe import Markup

from readback.checks.comparisons import Weighed, planned, weighed
from readback.checks.groups import (
    WEIGHT,
    Group,
    also,
    area,
    groups,
    listed,
    looked_at,
    names,
    narrowed,
    some,
)
from readback.checks.groups import severities as severities_of
from readback.checks.sample import SEED, hit
from readback.checks.summary import Audit
from readback.html import exact
from readback.types import Finding, Location, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import sample_words
from readback.words import t

PLACES = 10  # on the screen at once, those that say the same of several records as one
MANY = 1_000  # places that say different things; of more a few are drawn first
NO_ROW = "–"  # is in the address for what is in no row of the conditions: files, models, judges, a mode without a text
FILTERS = ("severity", "area", "arm", "ignored")  # what a link to another rule keeps


def filtered(
    groups_found: Sequence[Group],
    audit: Audit,
    severity: str = "",
    about: str = "",
    condition: str = "",
    words: str = "",
) -> tuple[Group, ...]:
    """Return the groups that hold a finding of that severity, area and condition, with those words in it."""
    if not (severity or about or condition or words):
        return tuple(groups_found)
    name, rows = names(audit), {row.name for row in audit.conditions}
    wanted = [group for group in groups_found if not about or area(group.code) == about]

    def fits(severe: str, at: Location) -> bool:
        if severity not in ("", severe):
            return False
        return not condition or (name(at) not in rows if condition == NO_ROW else name(at) == condition)

    if audit.every is None:
        filtered_groups = [_filter_group(group, name, fits, severity, condition, words) for group in wanted]
    else:
        if words:
            every = audit.every.searched(words)
        else:
            every = audit.every.kinds
        kinds = [kind for kind in every if fits(kind.severity, kind.place)]
        filtered_groups = [narrowed(group, kinds, name, words) for group in wanted]
    return tuple(group for group in filtered_groups if group.count)


def areas(groups_found: Sequence[Group]) -> tuple[str, ...]:
    """Return the areas that have findings."""
    return tuple(dict.fromkeys(area(group.code) for group in groups_found))


def conditions(groups_found: Sequence[Group], audit: Audit) -> tuple[str, ...]:
    """Return the conditions that have findings, those of the table in its order; then what is not about one."""
    there = dict.fromkeys(name for group in groups_found for name in group.conditions)
    rows = [row.name for row in audit.conditions if row.name in there]
    return (*rows, *sorted(set(there) - set(rows)), NO_ROW)


def condition_label(condition: str) -> str:
    """Return a condition as the filter offers it."""
    if condition == NO_ROW:
        return t("findings.no_row")
    return exact.spelling(condition)


def weigh(audit: Audit, workspace: Workspace) -> tuple[Weighed, ...]:
    """Return what every rule means for the planned comparisons, in the order in which Overview says what to look at
    first.
    """
    return weighed(audit, groups(audit), planned(workspace))


def ordered(audit: Audit, weights: Sequence[Weighed]) -> tuple[Group, ...]:
    """Every group with all its findings, in the order of the weights."""
    order = [weight.group.code for weight in weights]
    return tuple(sorted(listed(audit), key=lambda group: order.index(group.code)))


def prose(text: str) -> Markup:
    """Return a paragraph of a rule's page: what is in backticks is code."""
    parts = text.split("`")
    return show.join([show.h("<code>{}</code>" if n % 2 else "{}", part) for n, part in enumerate(parts)])


def severities(groups_found: Sequence[Group]) -> tuple[str, ...]:
    """Return the severities to choose from: all, then those that occur."""
    there = {severity for group in groups_found for severity in (group.severity, *severities_of(group.findings))}
    return ("", *(severity for severity in WEIGHT if severity in there))


def say_severity(severity: str) -> str:
    """Return a severity as the filter offers it."""
    return t(f"frame.{severity}")


def drawn(stacks: Sequence[Sequence[Finding]]) -> tuple[Sequence[Finding], ...]:
    """Return a few places of very many, by a fixed seed, until the address asks for a part; few places whole."""
    if len(stacks) <= MANY or "at" in st.query_params:
        return ()
    return some(stacks, Random(SEED).sample(range(len(stacks)), PLACES))  # noqa: S311 - to look at, not a secret


def heading(group: Group, before: int, count: int, audit: Audit, drawn: int = 0) -> str:
    """Which of the places follow `before` others, and how many there are; or of how many different ones they were
    `drawn`.
    """
    sample = audit.sample
    if sample and group.records and group.code not in sample.full:
        section = "sample"
    else:
        section = "findings"
    if drawn:
        return t("findings.drawn", n=PLACES, all=drawn, seed=SEED)
    if not count:
        return t("findings.not_kept", n=group.count)
    if group.count == count:
        return t(f"{section}.places", n=group.count)
    return t(f"{section}.page", start=before + 1, stop=before + count, all=group.count)


def turn(start: int, count: int, drawn: bool = False) -> None:
    """Buttons to the places before and after; from places that were drawn to all of them, and back."""
    if count <= PLACES:
        return
    first = "0" if count > MANY else None
    with st.container(horizontal=True):
        if drawn:
            st.button(t("findings.in_order"), key="in_order", on_click=address.put, kwargs={"at": first})
            return
        for label, at in (("earlier", start - PLACES), ("later", start + PLACES)):
            to = str(at) if at > 0 else first
            st.button(
                t(f"findings.{label}"), key=label, disabled=not 0 <= at < count, on_click=address.put, kwargs={"at": to}
            )
        if first:
            st.button(t("findings.draw"), key="draw", on_click=address.put, kwargs={"at": None})


def none(audit: Audit) -> str:
    """Why there is no finding to show."""
    if audit.stopped:
        return t("findings.none_stopped")
    if audit.faults:
        return t("findings.none_faults")
    if any(n for _, n in audit.ignored):
        return t("findings.none_ignored")
    if audit.sample:
        return t("sample.none", **sample_words.bound(audit.sample))
    return t("findings.none")


def _filter_group(
    group: Group,
    name: Callable[[Location], str],
    fits: Callable[[str, Location], bool],
    severity: str,
    condition: str,
    words: str,
) -> Group:
    if not group.findings:  # none was kept: only the rule's own severity is known
        whole = severity in ("", group.severity) and not condition and not words
        if whole:
            return group
        return replace(group, count=0)
    findings = [
        finding
        for finding in group.findings
        if fits(finding.severity, finding.place)
        and (not words or words.casefold() in _describe_finding(finding, group.title))
    ]
    if len(findings) == len(group.findings):
        return group
    at = {(finding.place.index, finding.place.record) for finding in findings} - {(None, None)}
    conditions = tuple(dict.fromkeys(filter(None, (name(finding.place) for finding in findings))))
    return replace(group, findings=tuple(findings), count=len(findings), records=len(at), conditions=conditions)


def _describe_finding(finding: Finding, title: str) -> str:
    return f"{title} {finding.code} {finding.message} {finding.fix} {show.where(finding.place)}".casefold()


def extent(audit: Audit, group: Group, records: int) -> str:
    """In how many records a rule has a finding, of how many, and which lighter ones are among them."""
    sample = audit.sample
    if sample:
        total = hit(sample, group.code, group.records)[1]
    else:
        total = looked_at(audit, group.code, records)
    return " · ".join(part for part in (_of_records(audit, group, total), also(group)) if part)


def _of_records(audit: Audit, group: Group, records: int) -> str:
    """In how many records a rule has a finding, of how many, and in how many places where these are more."""
    if not records:
        return t("findings.no_dataset")
    if audit.sample and any(finding.place.index is not None for finding in group.findings):
        return sample_words.records(audit, group) or t("sample.once")
    if not group.records:
        return t("findings.no_record")
    some = t("findings.of_records", some=group.records, n=records)
    if group.count > group.records:  # else the places below are as many, or one stands for several records
        return t("findings.places_in", places=t("findings.places", n=group.count), records=some)
    return some
