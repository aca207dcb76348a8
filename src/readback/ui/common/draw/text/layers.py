"""The four ways to look at a record: what is sent, what the model reads, what it was trained on, what was stored."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from readback.checks.run.chunk import check_format
from readback.prompts import model_input
from readback.records.fields import row_fields
from readback.types import Answer, Assembly, Finding, ModelInput, Record, RuleContext, Segment, Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t

VIEWS = ("messages", "wire", "training", "stored")


def model_text(assembly: Assembly, record: Record | None = None) -> ModelInput | None:
    """Return what the server makes of the messages (of the record in view), where it is known."""
    workspace = choice.workspace()
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    return model_input.build_model_input(workspace, record or choice.record(), assembly, condition, False)


def losses(sent: ModelInput | None, assembly: Assembly, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return what the chat format drops from the messages and the audit did not report: a system text, a history.

    What a model's own server does, the audit says.
    """
    return tuple(check_format(RuleContext(choice.workspace(), choice.record(), assembly), sent, findings))


def stored(record: Record, answer: Answer | None) -> tuple[Segment, ...]:
    """Return the prompt that is in the record, else the one that a saved response kept; empty where neither is."""
    field = row_fields.read_stored_prompt(record.fields)
    if field is not None:
        return (Segment(field.value, "variable", field.name, row_fields.locate_field(record, field.name)),)
    if answer is not None and answer.sent is not None:
        return (Segment(answer.sent, "variable", "prompt_text", answer.place),)
    return ()


def find_view(**there: bool) -> str:
    """Return the view that the address asks for, where it is there; else the messages."""
    view = st.query_params.get("layer", "messages")
    if there.get(view):
        return view
    return "messages"


def draw_switch(view: str, errors: int = 0, key: Markup | str = "", **there: bool) -> None:
    """Draw the switch; a view that is not there stays, greyed, and says what it needs.

    `errors`: of the server that makes what the model reads, since no other view shows them. `key` says what the marks
    in the texts below mean.
    """
    there = {"messages": True, **there}
    links = show.join(
        [_link(name, there.get(name, False), name == view, errors if name == "wire" else 0) for name in VIEWS]
    )
    tabs = (
        '<div class="rb-switch-line"><nav aria-label="{}">'
        '<div class="rb-switch" role="tablist" aria-label="{}">{}</div></nav>{}</div>'
    )
    show.draw(show.h(tabs, t("messages.views"), t("messages.views"), links, key))


def _link(name: str, there: bool, here: bool, errors: int) -> Markup:
    title = t(f"messages.view_{name}")
    if not there:
        why = t(f"messages.needs_{name}")
        aloud = show.h('<span class="rb-aloud"> ({})</span>', why)
        return show.h('<span class="rb-off" role="tab" aria-disabled="true" title="{}">{}{}</span>', why, title, aloud)
    settings = {key: st.query_params.get(key) for key in ("whitespace", "look", "tokens", "citations")}
    href = address.href("prompts", layer=None if name == "messages" else name, **settings)
    wrong = show.h(" {}", show.severity("error", errors)) if errors else ""
    return show.h(
        '<a class="rb-link" target="_self" role="tab" href="{}"{}>{}{}</a>', href, show.tab(here), title, wrong
    )


def same(first: Assembly, other: Assembly, role: str) -> bool | None:
    """Whether a role's text is equal in both; None where one of them has no such message."""
    texts = [next((m.text for m in assembly.messages if m.role == role), None) for assembly in (first, other)]
    if None in texts:
        return None
    return texts[0] == texts[1]


def names_a_model(workspace: Workspace, assembly: Assembly) -> str:
    """Return the model's name for a request body, as the configuration has it; empty where it has none."""
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    if condition and condition.model:
        model = workspace.models.get(condition.model)
    else:
        model = None
    if model:
        return str(model.settings.get("model") or model.name)
    return ""
