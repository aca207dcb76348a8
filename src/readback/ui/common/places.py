"""The places of one rule's findings: each with its stretch in its context, the way to its message, and to notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from readback import adapters
from readback.bookmarks.entry import Entry, Excerpt, excerpt
from readback.checks.groups import Group, title
from readback.html import exact
from readback.prompts import assemble
from readback.records.dataset import Dataset
from readback.records.field_path import look
from readback.types import Assembly, Finding, Location, Record, Selection, Workspace
from readback.ui.common import bookmarks, choice, layers, quote, show
from readback.words import t

LINKS = 500  # records that a place lists; the downloads have all


class Context:
    """The texts that findings are about, each made once for a page."""

    def __init__(self, workspace: Workspace, data: Dataset) -> None:
        self.workspace, self.data = workspace, data
        self.made: dict[tuple[int, Selection], Assembly] = {}

    def excerpt(self, one: Finding) -> Excerpt | None:
        """The stretch a finding is about, in its message or field; None where it has none, or the file has changed."""
        at = one.place
        if at.start is None or at.end is None or at.index is None or at.index >= len(self.data):
            return None
        record = self.data.record(at.index)
        texts: list[Any] = [look(record.fields, at.field or "")]
        if at.role:
            made = self._assembly(at.index, record, sent_of(at))
            texts = [m.text for m in made.messages if m.role == at.role]
            if at.role == show.READ and (model_input := layers.model_text(made, record)):
                texts = [model_input.text]
        text = next((text for text in texts if isinstance(text, str) and len(text) >= at.end), None)
        if text is None:
            return None
        where = show.role(at.role) if at.role else t("frame.field_is", field=at.field)
        return excerpt(text, at.start, at.end, t("findings.stretch", where=where, start=at.start, end=at.end))

    def fingerprint(self, one: Finding) -> str:
        """The fingerprint of the messages a finding is about; "" where it is about none."""
        at, sent = one.place, sent_of(one.place)
        if at.index is None or at.index >= len(self.data) or sent == Selection():
            return ""
        return self._assembly(at.index, self.data.record(at.index), sent).fingerprint

    def worded(self, one: Finding) -> tuple[str, ...]:
        """The adapters in whose text a finding about a message is, where the words are Readback's own."""
        at = one.place
        if not at.role or at.index is None or at.index >= len(self.data):
            return ()
        return adapters.worded(self._assembly(at.index, self.data.record(at.index), sent_of(at)).messages)

    def _assembly(self, index: int, record: Record, sent: Selection) -> Assembly:
        if (index, sent) not in self.made:
            self.made[index, sent] = assemble.assemble(self.workspace, record, sent, choice.answer(sent, record))
        return self.made[index, sent]

    def masked(self, at: Location) -> bool:
        """Whether private fields of its record were replaced, so that nothing shown of it is exact."""
        return at.index is not None and at.index < len(self.data) and self.data.record(at.index).masked

    def own_id(self, at: Location) -> str | None:
        """The record's id, unless another record has it too or no address can hold it."""
        name = at.record
        return name if name is not None and name == exact.spelling(name) and self.data.find(name) == at.index else None


def sent_of(at: Location) -> Selection:
    """What is sent where a finding is."""
    if at.condition:
        return Selection(condition=at.condition, judge=at.judge)
    return Selection(mode=at.mode, adapter=at.adapter, task=at.task, judge=at.judge)


def same_fix(group: Group) -> str:
    """The advice that holds for all its places, or nothing where each has its own."""
    said = {one.fix for one in group.findings}
    return said.pop() if len(said) == 1 else ""


def places(shown: Sequence[Sequence[Finding]], group: Group, context: Context) -> None:
    """Some of the places, one below the other, each with its two buttons; those that say the same of several records
    are shown once, for the first record, with a link to each of the others.
    """
    fix = same_fix(group)
    for number, same in enumerate(shown):
        one = same[0]
        part = context.excerpt(one)
        show.draw(_place(same, number + 1, group, context, part, "" if fix else one.fix))
        bookmarks.offer(f"place_{number}", entry(one, context, part))


def entry(one: Finding, context: Context, part: Excerpt | None) -> Entry:
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
    same: Sequence[Finding], number: int, group: Group, context: Context, part: Excerpt | None, fix: str
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


def _others(same: Sequence[Finding], context: Context) -> Markup:
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
    view = {"view": "wire"} if at.role == show.READ else {}
    return "messages", {"record": own, "index": index, "finding": one.key, **target, **view}, f"{said}{judge}"
