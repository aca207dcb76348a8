"""The places of one rule's findings: each with the offending span in its context, and the way to its message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from readback.assembly import assemble
from readback.audit.groups import Group
from readback.records.dataset import Dataset
from readback.records.field_path import look
from readback.types import Choice, Finding, Message, Place, Record, Workspace
from readback.ui import exact, show
from readback.ui.words import t

AROUND = 90  # characters before and after a span
SPAN = 400  # characters of a span that are shown, half at each end


class Context:
    """The texts that findings are about, each made once for a page."""

    def __init__(self, shop: Workspace, data: Dataset) -> None:
        self.shop, self.data = shop, data
        self.made: dict[tuple[int, Choice], tuple[Message, ...]] = {}

    def text(self, one: Finding) -> str | None:
        """The message or field that a finding's span lies in; None where it has none, or where the file has changed."""
        at = one.place
        if at.start is None or at.end is None or at.index is None or at.index >= len(self.data):
            return None
        record = self.data.record(at.index)
        texts = (
            [m.text for m in self._messages(at.index, record, sent_of(at)) if m.role == at.role]
            if at.role
            else [look(record.fields, at.field or "")]
        )
        return next((text for text in texts if isinstance(text, str) and len(text) >= at.end), None)

    def _messages(self, index: int, record: Record, sent: Choice) -> tuple[Message, ...]:
        if (index, sent) not in self.made:
            self.made[index, sent] = assemble.assemble(self.shop, record, sent).messages
        return self.made[index, sent]

    def own_id(self, at: Place) -> str | None:
        """The record's id, unless another record has it too."""
        return at.record if at.record is not None and self.data.find(at.record) == at.index else None


def sent_of(at: Place) -> Choice:
    """What is sent where a finding stands."""
    if at.condition:
        return Choice(condition=at.condition, judge=at.judge)
    return Choice(mode=at.mode, adapter=at.adapter, task=at.task, judge=at.judge)


def same_fix(group: Group) -> str:
    """The advice that holds for all its places, or nothing where each has its own."""
    said = {one.fix for one in group.findings}
    return said.pop() if len(said) == 1 else ""


def places(shown: Sequence[Finding], group: Group, context: Context) -> Markup:
    """Some of the places, one below the other."""
    fix = same_fix(group)
    rows = [_place(one, group, context, "" if fix else one.fix) for one in shown]
    return show.h('<ol class="rb-places">{}</ol>', show.join(rows))


def _place(one: Finding, group: Group, context: Context, fix: str) -> Markup:
    at, text = one.place, context.text(one)
    door = _door(one, context.own_id(at))
    spot = replace(at, record=None, condition=None, mode=None, adapter=None, task=None, judge=None) if door else at
    graver = show.severity(one.severity) if one.severity != group.severity else ""
    return show.h(
        '<li id="f-{}"><p>{} <span class="rb-say">{}</span></p>{}{}<p class="rb-where">{} {}</p></li>',
        one.key,
        graver,
        one.message,
        show.h('<p class="rb-fix">{}</p>', fix) if fix else "",
        _excerpt(one, text) if text is not None else "",
        door,
        show.where(spot),
    )


def _door(one: Finding, own: str | None) -> Markup:
    """The link to the record's message, with the finding marked; nothing where the finding is about files."""
    at = one.place
    if at.record is None and at.index is None:
        return Markup("")
    sent = sent_of(at)
    record = at.record if at.record is not None else str(at.index)
    arm = at.condition or " · ".join(part for part in (at.mode, at.task, at.adapter) if part)
    said = t("findings.in_arm", record=record, arm=arm) if arm else t("findings.in_record", record=record)
    judge = t("findings.of_judge", judge=at.judge) if at.judge else ""
    if own is None and at.record is None and arm:  # the one empty record of a workspace without data
        said = arm
    known = any((sent.condition, sent.mode, sent.task, sent.judge))
    target = {key: getattr(sent, key) for key in ("condition", "mode", "adapter", "task", "judge")} if known else {}
    index = None if own is not None or at.index is None else str(at.index)
    return show.link("messages", f"{said}{judge}", record=own, index=index, finding=one.key, **target)


def _excerpt(one: Finding, text: str) -> Markup:
    start, end = one.place.start or 0, one.place.end or 0
    before, span, after = text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND]
    inner: list[Markup] = [_text(span)]
    if len(span) > SPAN:
        left = t("findings.left_out", n=len(span) - SPAN)
        inner = [
            _text(span[: SPAN // 2]),
            show.h(' <span class="rb-small">{}</span> ', left),
            _text(span[-SPAN // 2 :]),
        ]
    return show.h(
        '<div class="rb-excerpt" role="group" aria-label="{}">{}{}<mark class="rb-find rb-{}">{}</mark>{}{}</div>',
        t("findings.excerpt"),
        "…" if start > AROUND else "",
        _text(before),
        one.severity,
        show.join(inner),
        _text(after),
        "…" if end + AROUND < len(text) else "",
    )


def _text(value: str) -> Markup:
    return Markup(exact.text(value))  # noqa: S704 (escaped there)
