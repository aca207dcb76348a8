"""A and B in words: what each sends, and of the rest what they do not share."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from readback.compare.side import ShownSide, Side
from readback.html import exact
from readback.types import Selection
from readback.ui.common import show
from readback.ui.common.state import choice, options
from readback.ui.compare.compare_sides import side
from readback.words import t


def labels() -> tuple[str, str]:
    """What tells A from B, in words: all of what is sent, and of the rest what they do not share."""
    a, b = side("a"), side("b")
    return _label(a, b), _label(b, a)


def _label(one: Side, other: Side) -> str:
    parts = [sent(one.choice)]
    if (one.record, one.index) != (other.record, other.index) and one.workspace == other.workspace:
        parts.append(t("compare.of_record", record=_record(one)))
    if one.layer != other.layer:
        parts.append(t(f"compare.layer_{one.layer}"))
    if one.options != other.options:
        shown = one.options or tuple((name, options.now(choice.workspace(), name)) for name, _ in other.options)
        parts += [options.say(name, value) for name, value in shown]
    if one.rev != other.rev:
        parts.append(t("compare.at_rev", rev=one.rev[:10]) if one.rev else t("compare.as_it_is"))
    if one.workspace != other.workspace:
        name = Path(one.workspace).name if one.workspace else choice.workspace_id()
        parts.append(t("compare.in_workspace", name=name))
    return ", ".join(parts)


def coded(sentence: str) -> Markup:
    """A sentence whose stretches between backquotes are set as code."""
    parts = sentence.split("`")
    return show.join([show.h("<code>{}</code>", part) if at % 2 else part for at, part in enumerate(parts)])


def form(shown: ShownSide) -> str:
    """What is shown of what was trained on; nothing for other sides."""
    found = shown.trained.template if shown.trained else None
    if not shown.form:
        return ""
    if shown.form == "messages" or found is None:
        return t("compare.form_unknown" if shown.trained and shown.trained.missing else "compare.form_messages")
    return t(f"compare.form_{shown.form}", name=found.name) + t(f"compare.basis_{found.basis}")


def sent(one: Selection) -> str:
    """A choice in words."""
    parts = [
        one.condition if one.condition and not one.judge else "",
        t("messages.sent_judge", name=one.judge) if one.judge else "",
        t("compare.answer_of", name=one.condition) if one.judge and one.condition else "",
        t("messages.sent_mode", name=one.mode) if one.mode else "",
        t("messages.sent_task", name=one.task) if one.task else "",
        t("compare.through", name=one.adapter) if one.adapter else "",
    ]
    return ", ".join(part for part in parts if part) or t("compare.nothing_chosen")


def _record(one: Side) -> str:
    if one.record is not None:
        return exact.spelling(one.record)
    at = one.index or 0
    ids = choice.dataset().ids(at, at + 1)
    return exact.spelling(ids[0]) if ids else str(at + 1)
