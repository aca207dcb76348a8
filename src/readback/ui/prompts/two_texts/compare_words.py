"""A and B in words: what each sends, and of the rest what they do not share."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from readback.compare.side import ShownSide, Side
from readback.html import exact
from readback.types import Selection
from readback.ui.common import show
from readback.ui.common.state import choice, options
from readback.ui.prompts.two_texts.compare_sides import side
from readback.words import t


def labels() -> tuple[str, str]:
    """Return the names of A and B: all of what is sent, and of the rest what they do not share."""
    a, b = side("a"), side("b")
    return _label(a, b), _label(b, a)


def _label(own_side: Side, other: Side) -> str:
    parts = [sent(own_side.choice)]
    if (own_side.record, own_side.index) != (other.record, other.index) and own_side.workspace == other.workspace:
        parts.append(t("compare.of_record", record=_record(own_side)))
    if own_side.layer != other.layer:
        parts.append(t(f"compare.layer_{own_side.layer}"))
    if own_side.options != other.options:
        option_values = own_side.options or tuple(
            (name, options.now(choice.workspace(), name)) for name, _ in other.options
        )
        parts += [options.say(name, value) for name, value in option_values]
    if own_side.rev != other.rev:
        parts.append(t("compare.at_rev", rev=own_side.rev[:10]) if own_side.rev else t("compare.as_it_is"))
    if own_side.workspace != other.workspace:
        if own_side.workspace:
            name = Path(own_side.workspace).name
        else:
            name = choice.workspace_id()
        parts.append(t("compare.in_workspace", name=name))
    return ", ".join(parts)


def coded(sentence: str) -> Markup:
    """Format a sentence with the stretches between backquotes as code."""
    parts = sentence.split("`")
    return show.join([show.h("<code>{}</code>", part) if at % 2 else part for at, part in enumerate(parts)])


def form(shown_side: ShownSide) -> str:
    """Describe the form of a training text; "" for other sides."""
    if shown_side.trained:
        template = shown_side.trained.template
    else:
        template = None
    if not shown_side.form:
        return ""
    if shown_side.form == "messages" or template is None:
        return t(
            "compare.form_unknown" if shown_side.trained and shown_side.trained.missing else "compare.form_messages"
        )
    return t(f"compare.form_{shown_side.form}", name=template.name) + t(f"compare.basis_{template.basis}")


def sent(selection: Selection) -> str:
    """Describe a selection."""
    parts = [
        selection.condition if selection.condition and not selection.judge else "",
        t("messages.sent_judge", name=selection.judge) if selection.judge else "",
        t("compare.answer_of", name=selection.condition) if selection.judge and selection.condition else "",
        t("messages.sent_mode", name=selection.mode) if selection.mode else "",
        t("messages.sent_task", name=selection.task) if selection.task else "",
        t("compare.through", name=selection.adapter) if selection.adapter else "",
    ]
    return ", ".join(part for part in parts if part) or t("compare.nothing_chosen")


def _record(own_side: Side) -> str:
    if own_side.record is not None:
        return exact.spelling(own_side.record)
    at = own_side.index or 0
    ids = choice.dataset().ids(at, at + 1)
    if ids:
        return exact.spelling(ids[0])
    return str(at + 1)
