"""Which Albert program sends a prompt, in which chat format, and with which sampling values."""

from __future__ import annotations

import json
from collections.abc import Iterator

from readback.prompts import request_settings
from readback.types import Selection, Workspace
from readback.ui.common import show
from readback.ui.common.state import choice, options
from readback.words import t

OTHER = {"classic": "current", "current": "classic"}


def draw() -> None:
    """Draw the line on Prompts, with the way to what the other program sends; nothing where no Albert mode is sent."""
    workspace, sent = choice.workspace(), choice.sent()
    own = request_settings.find_program(workspace, sent)
    if own is None:
        _draw_settings(workspace, sent)
        return
    other = f"albert_dialect={OTHER[own.dialect]}"
    link = show.link("prompts", t("messages.program_other"), view="difference", differs="option", b_option=other)
    line = " · ".join((in_short(workspace, sent), *_further(workspace, own)))
    show.draw(show.h('<p class="rb-small rb-program">{} · {}<br>{}</p>', line, link, _sampling(workspace, sent)))


def in_short(workspace: Workspace, sent: Selection) -> str:
    """Return the program and its format, in a few words; empty where no Albert mode is sent."""
    own = request_settings.find_program(workspace, sent)
    if own is None:
        return ""
    return ", ".join(part for part in (t(f"messages.program_{own.dialect}"), _format(workspace, sent, own)) if part)


def _format(workspace: Workspace, sent: Selection, own: request_settings.Program) -> str:
    """Return the chat format in force; nothing where a Modelfile or a chat template decides."""
    if sent.condition:
        condition = workspace.condition(sent.condition)
    else:
        condition = None
    if condition and condition.model:
        model = workspace.models.get(condition.model)
    else:
        model = None
    if model and (model.modelfile or model.chat_template):
        return ""
    named = (model.chat_format if model else None) or own.format
    if named:
        return t("messages.program_format", name=named)
    return t(f"messages.program_no_format_{own.dialect}")


def _further(workspace: Workspace, own: request_settings.Program) -> Iterator[str]:
    """Yield the option of the later program's ChatML, where it counts."""
    if own.dialect == "current" and "chatml_bug" in options.called_for(workspace):
        yield options.say("chatml_bug", own.chatml_bug)


def _sampling(workspace: Workspace, sent: Selection) -> str:
    """Draw the sampling values with the line that sets each, and the names that nothing sets."""
    stated = request_settings.find_sampling(workspace, sent)
    if not stated:
        return t("messages.program_no_sampling")
    stated_values = ", ".join(_stated(name, setting) for name, setting in stated.items())
    rest = ", ".join(name for name in request_settings.SAMPLING if name not in stated)
    values = t("messages.program_sampling", values=stated_values)
    if rest:
        return f"{values} · {t('messages.program_not_set', names=rest)}"
    return values


def _draw_settings(workspace: Workspace, sent: Selection) -> None:
    """Draw the settings of a request to a model or a judge, each with the line that states it; nothing without any."""
    settings = request_settings.find_settings(workspace, sent)
    if settings:
        values = ", ".join(_stated(name, setting) for name, setting in settings.items())
        show.draw(show.h('<p class="rb-small rb-program">{}</p>', t("messages.settings", values=values)))


def _stated(name: str, setting: request_settings.Setting) -> str:
    where = t(
        f"messages.program_set_{setting.level}", file=setting.place.file or "", line=str(setting.place.line or "")
    )
    return f"{name} {json.dumps(setting.value, ensure_ascii=False)} ({where})"
