"""The places of one rule's findings: each with its stretch in its context, the way to its message, and to notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from readback.bookmarks.entry import Entry, Excerpt
from readback.checks.groups import Group, get_consequence, paragraphs, title
from readback.checks.quoted import READ, Quoted, sent_of
from readback.types import Finding
from readback.ui.common import show
from readback.ui.common.draw import listing, reviewing
from readback.ui.common.draw.head import present
from readback.ui.common.draw.text import bookmarks, quote
from readback.words import sentence, t

FOLD = '<details class="rb-small"><summary>{}</summary><p>{}</p></details>'
NAME = 100  # characters of a condition's name in a sentence; the head of its column has the whole
LINKS = 500  # records that a place lists; the downloads have all
LISTED = 12  # places that are all named above the first; of more the records are folded below each text


def places(
    stacks: Sequence[Sequence[Finding]],
    group: Group,
    context: Quoted,
    side_of_first: DeltaGenerator,
    draw_below: Callable[[], None] = lambda: None,
) -> None:
    """Draw some of the places, one below the other, the first with its messages; each has its buttons beside it, and
    its fix where the one above has another. Those that are the same of several records are shown once, for the first
    record, with a link to each of the others where no list above has them. What stands beside the first is drawn in
    `side_of_first`, which begins beside the title; `draw_below` draws what stands once below its fix.
    """
    above, item = "", _find_item(group)
    is_listed = are_listed(sum(map(len, stacks)))
    for number, same in enumerate(stacks):
        finding = same[0]
        part = context.excerpt(finding)
        if number == 0:
            parts = context.in_place(finding)
        elif part:
            parts = (part,)
        else:
            parts = ()
        with st.container(key=f"place_{number}"):
            if number:
                text, side = st.columns([5, 2], gap="small")
            else:
                text, side = st.container(), side_of_first
            with text:
                show.draw(_place(same, number + 1, group, context, parts, is_listed))
            with side:
                advice = finding.fix or ("" if number else find_advice(group))
                if advice and advice != above:
                    show.draw(_fix(advice, context, "" if number or present.on() else get_consequence(group.code)))
                above = advice
                bookmarks.offer(f"place_{number}", entry(finding, context, part), plain=number > 0, item=item)
                if number == 0:
                    draw_below()


def list_places(stacks: Sequence[Sequence[Finding]], context: Quoted) -> Markup:
    """Return the places in view by name, those of a condition in a line, each a link to its message; nothing of one
    place, or of very many. Places that are in no message are named by file and line.
    """
    findings = [finding for same in stacks for finding in same]
    if not are_listed(len(findings)):
        return Markup("")
    lines: dict[str, list[Markup]] = {}
    for finding in findings:
        lines.setdefault(_name_sent(finding), []).append(_name_place(finding, context))
    rows = [
        show.h("<li>{}{}</li>", show.h("<bdi>{}</bdi>: ", name) if name else "", show.join(links, ", "))
        for name, links in lines.items()
    ]
    label = t("findings.list_of_places")
    return show.h('<ul class="rb-place-list" aria-label="{}">{}</ul>', label, show.join(rows))


def are_listed(count: int) -> bool:
    """Return whether so many places are named above the first."""
    return 1 < count <= LISTED


def _name_place(finding: Finding, context: Quoted) -> Markup:
    """Return a place in a few words: its record as a link to the message, or its file and line."""
    at = finding.place
    if not show.has_message(at):
        spot = replace(at, condition=None, mode=None, adapter=None, task=None, judge=None, role=None)
        return show.h("{}", sentence.shorten_paths(show.where(spot), context.workspace.root) or "–")
    page, target, _ = _way(finding, context.own_id(at))
    return show.link(page, _name_record(finding), **target)


def _name_record(finding: Finding) -> str:
    at = finding.place
    if at.record is not None:
        return at.record
    return t("findings.numbered", n=at.index)


def _name_sent(finding: Finding) -> str:
    """Return the name of what is sent at a place: a condition, else mode, task and adapter; "" for none."""
    at = finding.place
    name = at.condition or " · ".join(part for part in (at.mode, at.task, at.adapter) if part)
    if len(name) <= NAME:
        return name
    return f"{name[:NAME]} …"


def _find_item(group: Group) -> str:
    """Return the key under which Review has the item about a rule; "" where it has none: of hints, of what is ignored,
    and of what somebody dropped.
    """
    key = f"finding:{group.code}"
    dropped = any(step.do == "drop" and step.item == key for step in reviewing.state().agenda)
    if group.severity == "info" or dropped or st.query_params.get("ignored") == "1":
        return ""
    return key


def find_advice(group: Group) -> str:
    """Return how the rule's page says to fix it; "" where it does not."""
    return "".join(paragraphs(group.code)[2:3])


def entry(finding: Finding, context: Quoted, part: Excerpt | None) -> Entry:
    """Return a finding to take along."""
    page, target, _ = _way(finding, context.own_id(finding.place))
    if context.masked(finding.place):
        masked = t("messages.masked")
    else:
        masked = ""
    ours = context.worded(finding)
    if ours:
        worded = t("messages.wording", names=", ".join(ours))
    else:
        worded = ""
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
    same: Sequence[Finding], number: int, group: Group, context: Quoted, parts: Sequence[Excerpt], is_listed: bool
) -> Markup:
    finding = same[0]
    root = context.workspace.root
    whole = sentence.shorten_paths(sentence.finish(finding.message), root)
    brief = sentence.cut_brief(whole)
    if brief != whole:
        more = show.h(FOLD, t("findings.whole_message"), whole)
    else:
        more = Markup("")
    graver = show.severity(finding.severity) if finding.severity != group.severity else ""
    return show.h(
        '<div class="rb-places" id="f-{}" data-rb-change="{}" tabindex="-1">'
        '<p>{} <span class="rb-say">{}</span></p>{}{}{}{}{}</div>',
        finding.key,
        number,
        graver,
        brief,
        more,
        show.because(finding),
        _where(same, context),
        show.join([_message(part, finding, len(parts) > 1) for part in parts]),
        Markup("") if is_listed else _others(same[1:], context),
    )


def _message(part: Excerpt, finding: Finding, named: bool) -> Markup:
    """Return a text with the stretch in it; its name is above it where there are several."""
    words = t("findings.characters", name=sentence.capitalise(part.label), n=max(part.whole, len(part.text)))
    if named:
        name = show.h('<p class="rb-small rb-part-name">{}</p>', words)
    else:
        name = Markup("")
    return show.h("{}{}", name, quote.quote(part, finding.severity))


def _where(same: Sequence[Finding], context: Quoted) -> Markup:
    """Return where a place is, and the way to it; of several that are the same where the first is."""
    finding, at = same[0], same[0].place
    page, target, way = _way(finding, context.own_id(at))
    label = t("findings.open_in_prompts")
    spoken = show.h('{}<span class="rb-aloud">: {}</span>', label, way)
    if way:
        link = show.link(page, spoken, **target)
    else:
        link = Markup("")
    if way:
        spot = replace(at, record=None, condition=None, mode=None, adapter=None, task=None, judge=None)
    else:
        spot = at
    where = ", ".join(part for part in (way, show.where(spot)) if part)
    if len(same) > 1:
        example = t("findings.same", n=len(same))
    else:
        example = ""
    words = sentence.capitalise(example + sentence.shorten_paths(where, context.workspace.root))
    return show.h('<p class="rb-where">{} {}</p>', words, link)


def _fix(fix: str, context: Quoted, why: str) -> Markup:
    """Return how to fix what was found, as it stands beside its place, and where it is said here why it matters."""
    advice = sentence.shorten_paths(sentence.finish(fix), context.workspace.root)
    brief = sentence.cut_brief(advice)
    if brief != advice:
        more = show.h(FOLD, t("findings.whole_fix"), advice)
    else:
        more = Markup("")
    if why:
        reason = show.h("<strong>{}</strong><p>{}</p>", t("findings.why"), listing.prose(why))
    else:
        reason = Markup("")
    card = '<div class="rb-fix-card"><strong>{}</strong><p>{}</p>{}{}</div>'
    return show.h(card, t("findings.fix"), listing.prose(brief), more, reason)


def _others(same: Sequence[Finding], context: Quoted) -> Markup:
    """Draw the same finding of other records, folded: a link to each; the first so many where there are very many."""
    if not same:
        return Markup("")
    links = []
    for finding in same[:LINKS]:
        page, target, _ = _way(finding, context.own_id(finding.place))
        links.append(show.link(page, _name_record(finding), **target))
    if len(same) > LINKS:
        more = t("findings.others_more", n=len(same) - LINKS)
    else:
        more = ""
    fold = '<details class="rb-others"><summary>{}</summary><p>{} {}</p></details>'
    return show.h(fold, t("findings.others", n=len(same)), show.join(links, ", "), more)


def _way(finding: Finding, own: str | None) -> tuple[str, dict[str, str | None], str]:
    """Where a finding is seen: a page, its parameters, and the link's words ("" where it is about files only)."""
    at = finding.place
    if not show.has_message(at):
        return "findings", {"code": finding.code}, ""
    sent = sent_of(at)
    if at.record is not None:
        record = at.record
    else:
        record = str(at.index)
    condition = _name_sent(finding)
    if condition:
        sentence = t("findings.in_condition", record=record, condition=condition)
    else:
        sentence = t("findings.in_record", record=record)
    if at.judge:
        judge = t("findings.of_judge", judge=at.judge)
    else:
        judge = ""
    if own is None and at.record is None and condition:  # the one empty record of a workspace without data
        sentence = condition
    has_selection = any((sent.condition, sent.mode, sent.task, sent.judge))
    if has_selection:
        target = {key: getattr(sent, key) for key in ("condition", "mode", "adapter", "task", "judge")}
    else:
        target = {}
    if own is not None or at.index is None:
        index = None
    else:
        index = str(at.index)
    if at.role == READ:
        view = {"layer": "wire"}
    else:
        view = {}
    return "prompts", {"record": own, "index": index, "finding": finding.key, **target, **view}, f"{sentence}{judge}"
