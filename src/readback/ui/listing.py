"""The findings page's parts: the rules with their bars, the filter, and each place in its context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from readback import assemble
from readback.audit.groups import Group, area, groups, of_severity
from readback.audit.summary import Audit
from readback.dataset import Dataset
from readback.types import Choice, Finding, Message, Severity, Workspace
from readback.ui import exact, show
from readback.ui.words import t

PLACES = 10  # on the screen at once
AROUND = 90  # characters before and after a span


def filtered(audit: Audit, severity: str = "", about: str = "", arm: str = "", words: str = "") -> tuple[Group, ...]:
    """The groups that hold a finding of that severity, area and condition, with those words in it."""
    return tuple(kept for group in groups(audit) if (kept := _kept(group, severity, about, arm, words)).findings)


def areas(audit: Audit) -> tuple[str, ...]:
    """The areas that have findings."""
    return tuple(dict.fromkeys(area(group.code) for group in groups(audit)))


def arms(audit: Audit) -> tuple[str, ...]:
    """The conditions that have findings."""
    return tuple(dict.fromkeys(name for group in groups(audit) for name in group.conditions))


def rules(found: Sequence[Group], chosen: str, records: int) -> Markup:
    """Every rule as a link with its bar."""
    return show.h(
        "<nav aria-label='{}'>{}</nav>",
        t("findings.rules", n=len(found)),
        show.join([_rule(g, chosen, records) for g in found]),
    )


def place(one: Finding, messages: Sequence[Message]) -> Markup:
    """One place: the finding, and the span it is about between a few words of context."""
    return show.h("{}{}", show.finding(one), _excerpt(one, messages))


def messages(shop: Workspace, data: Dataset, one: Finding) -> tuple[Message, ...]:
    """The messages a finding is about; none where it is about a file, or a span of a field."""
    at = one.place
    if at.role is None or at.start is None or at.index is None or at.index >= len(data):
        return ()
    return assemble.assemble(shop, data.record(at.index), sent_of(one)).messages


def sent_of(one: Finding) -> Choice:
    """What is sent where the finding stands."""
    at = one.place
    if at.condition:
        return Choice(condition=at.condition, judge=at.judge)
    return Choice(mode=at.mode, adapter=at.adapter, task=at.task, judge=at.judge)


def _kept(group: Group, severity: str, about: str, arm: str, words: str) -> Group:
    if about and area(group.code) != about:
        return replace(group, findings=())
    weight: Severity | None = severity if severity in ("error", "warning", "info") else None  # type: ignore[assignment]
    found = [one for one in of_severity(group.findings, weight) if not arm or one.place.condition == arm]
    if words:
        found = [
            one for one in found if words.casefold() in f"{one.message} {one.fix} {one.code} {group.title}".casefold()
        ]
    if len(found) == len(group.findings):
        return group
    records = {one.place.record for one in found if one.place.record is not None}
    conditions = tuple(dict.fromkeys(one.place.condition for one in found if one.place.condition))
    return replace(group, findings=tuple(found), count=len(found), records=len(records), conditions=conditions)


def _rule(group: Group, chosen: str, records: int) -> Markup:
    share = group.records / records if records else 0
    bar = show.h('<span class="rb-share" aria-hidden="true"><span style="width:{}%"></span></span>', round(100 * share))
    said = t("findings.of_records", n=group.records, all=records) if group.records else t("findings.no_record")
    return show.h(
        '<div class="rb-rule" aria-current="{}">{} {}{}<span class="rb-small">{} · {} · <code>{}</code></span></div>',
        "true" if group.code == chosen else "false",
        show.severity(group.severity),
        show.link("findings", group.title, code=group.code),
        bar if group.records else "",
        said,
        t("findings.places", n=group.count),
        group.code,
    )


def _excerpt(one: Finding, messages: Sequence[Message]) -> Markup:
    at = one.place
    if at.role is None or at.start is None or at.end is None:
        return Markup("")
    message = next((m for m in messages if m.role == at.role and len(m.text) >= (at.end or 0)), None)
    if message is None:
        return Markup("")
    start, stop = max(0, at.start - AROUND), min(len(message.text), at.end + AROUND)
    before, span, after = message.text[start : at.start], message.text[at.start : at.end], message.text[at.end : stop]
    return show.h(
        '<div class="rb-excerpt" role="group" aria-label="{}">{}{}<mark class="rb-find rb-{}">{}</mark>{}{}</div>',
        t("findings.excerpt"),
        "…" if start else "",
        _text(before),
        one.severity,
        _text(span),
        _text(after),
        "…" if stop < len(message.text) else "",
    )


def _text(value: str) -> Markup:
    return Markup(exact.text(value))  # noqa: S704 (escaped there)
