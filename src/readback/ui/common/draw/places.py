"""The places of one rule's findings: each with its stretch in its context, the way to its message, and to notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from readback.bookmarks.entry import Entry, Excerpt
from readback.checks.groups import Group, same_fix, title
from readback.checks.quoted import READ, Quoted, sent_of
from readback.types import Finding
from readback.ui.common import show
from readback.ui.common.draw import bookmarks, quote
from readback.words import t

LINKS = 500  # records that a place lists; the downloads have all


def places(stacks: Sequence[Sequence[Finding]], group: Group, context: Quoted) -> None:
    """Draw some of the places, one below the other, each with its two buttons; those that are the same of several
    records are shown once, for the first record, with a link to each of the others.
    """
    fix = same_fix(group.findings)
    for number, same in enumerate(stacks):
        finding = same[0]
        part = context.excerpt(finding)
        show.draw(_place(same, number + 1, group, context, part, "" if fix else finding.fix))
        bookmarks.offer(f"place_{number}", entry(finding, context, part))


def entry(finding: Finding, context: Quoted, part: Excerpt | None) -> Entry:
    """Return a finding to take along."""
    page, target, _ = _way(finding, context.own_id(finding.place))
    masked = t("messages.masked") if context.masked(finding.place) else ""
    ours = context.worded(finding)
    worded = t("messages.wording", names=", ".join(ours)) if ours else ""
    digests = {
        t("list.fingerprint"): context.fingerprint(finding),
        t("list.finding_key", code=finding.code): finding.key,
    }
    return Entry(
        "finding",
        title(finding.code),
        bookmarks.way(page, **target),
        (part,) if part else (),
        tuple(filter(None, (finding.message, show.where(finding.place), finding.fix, masked, worded))),
        tuple((label, digest) for label, digest in digests.items() if digest),
        finding.severity,
    )


def _place(
    same: Sequence[Finding], number: int, group: Group, context: Quoted, part: Excerpt | None, fix: str
) -> Markup:
    finding, at = same[0], same[0].place
    page, target, way = _way(finding, context.own_id(at))
    link = show.link(page, way, **target) if way else Markup("")
    spot = replace(at, record=None, condition=None, mode=None, adapter=None, task=None, judge=None) if way else at
    graver = show.severity(finding.severity) if finding.severity != group.severity else ""
    return show.h(
        '<div class="rb-places" id="f-{}" data-rb-change="{}" tabindex="-1">'
        '<p>{} <span class="rb-say">{}</span></p>{}{}{}'
        '<p class="rb-where">{}{} {}</p>{}</div>',
        finding.key,
        number,
        graver,
        finding.message,
        show.because(finding),
        show.h('<p class="rb-fix">{}</p>', fix) if fix else "",
        quote.quote(part, finding.severity) if part else "",
        t("findings.same", n=len(same)) if len(same) > 1 else "",
        link,
        show.where(spot),
        _others(same[1:], context),
    )


def _others(same: Sequence[Finding], context: Quoted) -> Markup:
    """Draw the same finding of other records, folded: a link to each; the first so many where there are very many."""
    if not same:
        return Markup("")
    links = []
    for finding in same[:LINKS]:
        page, target, _ = _way(finding, context.own_id(finding.place))
        name = (
            finding.place.record if finding.place.record is not None else t("findings.numbered", n=finding.place.index)
        )
        links.append(show.link(page, name, **target))
    more = t("findings.others_more", n=len(same) - LINKS) if len(same) > LINKS else ""
    fold = '<details class="rb-others"><summary>{}</summary><p>{} {}</p></details>'
    return show.h(fold, t("findings.others", n=len(same)), show.join(links, ", "), more)


def _way(finding: Finding, own: str | None) -> tuple[str, dict[str, str | None], str]:
    """Where a finding is seen: a page, its parameters, and the link's words ("" where it is about files only)."""
    at = finding.place
    if not show.has_message(at):
        return "findings", {"code": finding.code}, ""
    sent = sent_of(at)
    record = at.record if at.record is not None else str(at.index)
    condition = at.condition or " · ".join(part for part in (at.mode, at.task, at.adapter) if part)
    sentence = (
        t("findings.in_condition", record=record, condition=condition)
        if condition
        else t("findings.in_record", record=record)
    )
    judge = t("findings.of_judge", judge=at.judge) if at.judge else ""
    if own is None and at.record is None and condition:  # the one empty record of a workspace without data
        sentence = condition
    has_selection = any((sent.condition, sent.mode, sent.task, sent.judge))
    target = (
        {key: getattr(sent, key) for key in ("condition", "mode", "adapter", "task", "judge")} if has_selection else {}
    )
    index = None if own is not None or at.index is None else str(at.index)
    view = {"layer": "wire"} if at.role == READ else {}
    return "prompts", {"record": own, "index": index, "finding": finding.key, **target, **view}, f"{sentence}{judge}"
