"""The view What the model reads: the one text, what made it, and what is wrong with it marked in place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from readback.checks.model_findings import find_server_findings
from readback.html import exact
from readback.prompts import model_input
from readback.prompts.selections import find_model
from readback.review import anchors
from readback.types import Assembly, Engine, Finding, Location, Model, ModelInput, Workspace
from readback.ui.common import show
from readback.ui.common.draw.text import message, token_sizes
from readback.ui.common.draw.text.token_sizes import UNSIZED, Sized
from readback.ui.common.state import caches, choice
from readback.ui.prompts.one import contexts_strip, finding_cards
from readback.ui.prompts.one.model_input import model_input_marks
from readback.ui.review import under_notes
from readback.words import t

REFUSED = ("oll-syntax", "oll-no-from")
SWALLOWED = "oll-swallowed-lines"  # of those some


def about(assembly: Assembly, sent: ModelInput | None) -> tuple[Finding, ...]:
    """Return the findings about the server that made this text, whatever the record; none where no server did."""
    workspace = choice.workspace()
    model = find_model(workspace, assembly.choice)
    if model is None or sent is None or sent.kind == "format":
        return ()
    return caches.server_findings(
        choice.key(),
        model.name,
        lambda: tuple(finding for finding in find_server_findings(workspace, model) if isinstance(finding, Finding)),
    )


def draw(sent: ModelInput, assembly: Assembly, messages_findings: Sequence[Finding], server: Sequence[Finding]) -> None:
    """Draw the text with its marks, or why there is none."""
    workspace = choice.workspace()
    model = find_model(workspace, assembly.choice)
    if model and model.modelfile:
        stated = model.modelfile.system
    else:
        stated = None
    numbered = [(n, finding) for n, finding in enumerate(messages_findings, 1) if finding.place.role == "prompt"]
    system_text, others = model_input_marks.system_of(assembly, stated), model_input_marks.others_of(assembly.messages)
    more = model_input_marks.marks(server, len(messages_findings) + 1, sent, system_text, others)
    above, below = st.container(), st.container()
    with below:
        more = (*more, *contexts_strip.draw({"wire": sent.segments}, assembly).get("wire", ()))
    on_this = {name: getattr(assembly.choice, name) for name in anchors.CHOICE}
    more = (*more, *under_notes.marks({"record": assembly.record, "layer": "model-input", **on_this}))
    sized = token_sizes.of_model_input(sent.segments, assembly)
    with above:
        finding_cards.draw_errors(numbered)
        text(
            sent,
            [finding for _, finding in numbered],
            [n for n, _ in numbered],
            more,
            assembly.masked,
            sized,
            refused=is_refused(server),
            rule=engine_in_words(workspace, model, sent) if model else "",
        )
    if model:
        other = model_input.build_alternative(workspace, model, assembly.messages)
    else:
        other = None
    draw_other(sent, other, assembly.masked)
    if not sent.segments:
        why = [
            finding
            for finding in (*messages_findings, *server)
            if finding.code in {diagnostic.code for diagnostic in sent.diagnostics}
        ]
        show.findings([*why], to_message=False)
        show.draw(show.h("<p>{}</p>", show.link("prompts", t("messages.to_messages"), layer=None)))


def text(
    sent: ModelInput,
    text_findings: Sequence[Finding],
    numbers: Sequence[int],
    more: Sequence[exact.Mark],
    masked: bool = False,
    sized: Sized = UNSIZED,
    *,
    refused: bool = False,
    rule: str = "",
) -> None:
    """Draw what made the text, the text, and where its answer ends.

    `refused`: no model can be made of the file; `rule`: why this template made it, in a sentence.
    """
    show.draw(show.h('<p class="rb-small">{} {}</p>', source(sent), rule))
    if refused:
        show.notice(t("messages.file_refused"), "error")
    if not sent.segments:
        show.problem(t("messages.model_input_none"))
        return
    title = t("messages.model_input_title", format=sent.format)
    message.message("wire", title, sent.segments, text_findings, numbers, masked, more, sized)
    if sent.stops:
        stops = show.join([show.h("<code>{}</code>", show.exact_text(stop)) for stop in sent.stops], " ")
        show.draw(show.h('<p class="rb-small">{} {}</p>', t("messages.stops"), stops))


def errors(server: Sequence[Finding]) -> int:
    """How many of them are errors."""
    return sum(finding.severity == "error" for finding in server)


def is_refused(server: Sequence[Finding]) -> bool:
    """Whether Ollama would refuse the file that the text is made with."""
    return any(
        finding.code in REFUSED or (finding.code == SWALLOWED and finding.values.get("refused")) for finding in server
    )


def draw_other(sent: ModelInput, other: ModelInput | None, masked: bool = False) -> None:
    """Draw the text by the template that Ollama does not take, or may take instead, or that it is the same."""
    if other is None or not other.segments:
        return
    if other.text == sent.text:
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.engine_same")))
        return
    title = t("messages.engine_other_template" if other.kind == "modelfile" else "messages.engine_other_chat")
    message.message("other", title, other.segments, (), (), masked, (), UNSIZED)


def engine_in_words(workspace: Workspace, model: Model, sent: ModelInput) -> str:
    """By which rule Ollama takes its template, and what the template is given besides the messages, in sentences."""
    engine = sent.engine
    if engine is None:
        return options_in_words(model.serving_options)
    return _engine_sentence(workspace, model, engine)


def _engine_sentence(workspace: Workspace, model: Model, engine: Engine) -> str:
    options = options_in_words(model.serving_options)
    rule = t(
        f"messages.engine_{engine.why.replace(' ', '_')}",
        version=(workspace.ollama.version if workspace.ollama else "") or "",
        weights=model.weights.file if model.weights else "",
        more=" and ".join(engine.more),
        renderer=engine.renderer,
    )
    return f"{rule} {options}".rstrip()


def options_in_words(options: Mapping[str, Any]) -> str:
    """Return what a template is given besides the messages, in a sentence; empty where that is nothing."""
    listed = (
        t("messages.template_option_list", name=name, n=len(value))
        if isinstance(value, list)
        else f"{name} {json.dumps(value, ensure_ascii=False)}"
        for name, value in options.items()
    )
    named = ", ".join(listed)
    if named:
        return t("messages.template_options", options=named)
    return ""


def source(sent: ModelInput) -> str:
    """Which template made it, in words."""
    at = sent.place
    where = show.where(Location(file=at.file, line=at.line))
    if sent.kind == "modelfile":
        return t("messages.model_input_modelfile", place=where or sent.format)
    return t(
        "messages.model_input_chat" if sent.kind == "chat template" else "messages.model_input_note",
        place=where or sent.format,
    )


def findings(server: Sequence[Finding], first: int) -> None:
    """Draw the findings about the server's template, numbered on from `first` as they are marked."""
    if not server:
        return
    show.draw(show.h("<h3>{}</h3>", t("messages.server_findings")))
    rows = [show.finding(finding, number, False) for number, finding in enumerate(server, first)]
    show.draw(show.h('<div class="rb-findings">{}</div>', show.join(rows)))
