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


def places(shown: Sequence[Sequence[Finding]], group: Group, context: Quoted) -> None:
    """Some of the places, one below the other, each with its two buttons; those that say the same of several records
    are shown once, for the first record, with a link to each of the others.
    """
    fix = same_fix(group.findings)
    for number, same in enumerate(shown):
        one = same[0]
        part = context.excerpt(one)
        show.draw(_place(same, number + 1, group, context, part, "" if fix else one.fix))
        bookmarks.offer(f"place_{number}", entry(one, context, part))


def entry(one: Finding, context: Quoted, part: Excerpt | None) -> Entry:
    """A finding to take along."""
    page, target, _ = _way(one, context.own_id(one.place))
    masked = t("messages.masked") if context.masked(one.place) else ""
    ours = context.worded(one)
    worded = t("messages.wording", names=", ".join(ours)) if ours else ""
    digests = {t("list.fingerprint"): context.fingerprint(one), t("list.finding_key", code=one.code): one.key}
    return Entry(
        "finding",
        title(one.code),
        bookmarks.way(page, **target),
        (part,) if part else (),
        tuple(filter(None, (one.message, show.where(one.place), one.fix, masked, worded))),
        tuple((label, digest) for label, digest in digests.items() if digest),
        one.severity,
    )


def _place(
    same: Sequence[Finding], number: int, group: Group, context: Quoted, part: Excerpt | None, fix: str
) -> Markup:
    one, at = same[0], same[0].place
    page, target, said = _way(one, context.own_id(at))
    link = show.link(page, said, **target) if said else Markup("")
    spot = replace(at, record=None, condition=None, mode=None, adapter=None, task=None, judge=None) if said else at
    graver = show.severity(one.severity) if one.severity != group.severity else ""
    return show.h(
        '<div class="rb-places" id="f-{}" data-rb-change="{}" tabindex="-1">'
        '<p>{} <span class="rb-say">{}</span></p>{}{}{}'
        '<p class="rb-where">{}{} {}</p>{}</div>',
        one.key,
        number,
        graver,
        one.message,
        show.because(one),
        show.h('<p class="rb-fix">{}</p>', fix) if fix else "",
        quote.quote(part, one.severity) if part else "",
        t("findings.same", n=len(same)) if len(same) > 1 else "",
        link,
        show.where(spot),
        _others(same[1:], context),
    )


def _others(same: Sequence[Finding], context: Quoted) -> Markup:
    """The same finding of other records, folded: a link to each; the first so many where there are very many."""
    if not same:
        return Markup("")
    links = []
    for one in same[:LINKS]:
        page, target, _ = _way(one, context.own_id(one.place))
        name = one.place.record if one.place.record is not None else t("findings.numbered", n=one.place.index)
        links.append(show.link(page, name, **target))
    more = t("findings.others_more", n=len(same) - LINKS) if len(same) > LINKS else ""
    fold = '<details class="rb-others"><summary>{}</summary><p>{} {}</p></details>'
    return show.h(fold, t("findings.others", n=len(same)), show.join(links, ", "), more)


def _way(one: Finding, own: str | None) -> tuple[str, dict[str, str | None], str]:
    """Where a finding is seen: a page, its parameters, and the link's words ("" where it is about files only)."""
    at = one.place
    if not show.has_message(at):
        return "findings", {"code": one.code}, ""
    sent = sent_of(at)
    record = at.record if at.record is not None else str(at.index)
    condition = at.condition or " · ".join(part for part in (at.mode, at.task, at.adapter) if part)
    said = (
        t("findings.in_condition", record=record, condition=condition)
        if condition
        else t("findings.in_record", record=record)
    )
    judge = t("findings.of_judge", judge=at.judge) if at.judge else ""
    if own is None and at.record is None and condition:  # the one empty record of a workspace without data
        said = condition
    known = any((sent.condition, sent.mode, sent.task, sent.judge))
    target = {key: getattr(sent, key) for key in ("condition", "mode", "adapter", "task", "judge")} if known else {}
    index = None if own is not None or at.index is None else str(at.index)
    view = {"view": "wire"} if at.role == READ else {}
    return "messages", {"record": own, "index": index, "finding": one.key, **target, **view}, f"{said}{judge}"
