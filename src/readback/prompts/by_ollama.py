"""What the model reads under Ollama: by which template its text is made, and what the other one would make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.ollama import engine as ollama_engine
from readback.serving.ollama import model_input as ollama
from readback.types import ChatTemplate, Diagnostic, Engine, Message, Model, Modelfile, ModelInput, Workspace

CHAT = "chat template"
THINK, ENABLE_THINKING = "think", "enable_thinking"


def engine_of(opened: Workspace, model: Model) -> Engine | None:
    """Which template Ollama takes for a model; None where no Modelfile serves it."""
    if model.modelfile is None:
        return None
    return ollama_engine.decide(model.modelfile, opened.ollama, model.weights, model.base is not None)


def is_doubtful(opened: Workspace, model: Model) -> bool:
    """Whether a model's text is that of TEMPLATE and it cannot be told whether Ollama sends it."""
    engine = engine_of(opened, model)
    return engine is not None and engine.sends == "unknown" and engine.why != "no template"


def text_by_ollama(opened: Workspace, model: Model, messages: Sequence[Message]) -> ModelInput | None:
    """The text that Ollama makes of messages for a model, with the rule by which it takes its template.

    Where that cannot be told it is TEMPLATE's text. None where no Modelfile serves the model.
    """
    engine = engine_of(opened, model)
    if engine is None or model.modelfile is None:
        return None
    template = _chat_template(model)
    if engine.sends == "renderer":
        return _without_text(model.modelfile, engine)
    if engine.sends == CHAT and template:
        sent = _by_chat_template(opened, model, model.modelfile, template, messages)
    else:
        sent = _by_template(opened, model, model.modelfile, messages)
    return replace(sent, engine=engine)


def other_text(opened: Workspace, model: Model, messages: Sequence[Message]) -> ModelInput | None:
    """The text by the template that Ollama does not take, or may take instead; None where there is only one."""
    engine, template = engine_of(opened, model), _chat_template(model)
    if engine is None or model.modelfile is None or template is None or engine.renderer:
        return None
    if engine.sends != CHAT:
        return _by_chat_template(opened, model, model.modelfile, template, messages)
    if model.modelfile.template is None:
        return None
    return _by_template(opened, model, model.modelfile, messages)


def _chat_template(model: Model) -> ChatTemplate | None:
    template = model.weights.template if model.weights else None
    return template if template and template.text is not None else None


def _by_template(opened: Workspace, model: Model, modelfile: Modelfile, messages: Sequence[Message]) -> ModelInput:
    """The text of TEMPLATE. `think` is what a request says of thinking; `enable_thinking` is its name elsewhere.

    Where neither is stated and TEMPLATE writes thoughts, the server asks for them.
    """
    options = dict(model.serving_options)
    if THINK not in options and ENABLE_THINKING in options:
        options[THINK] = options[ENABLE_THINKING]
    if THINK not in options and ollama_engine.asks_to_think(modelfile, opened.ollama):
        options[THINK] = True
    values = {name: options[name] for name in ("tools", THINK) if name in options}
    return ollama.build_model_input(modelfile, messages, today=today(opened), values=values)


def _by_chat_template(
    opened: Workspace, model: Model, modelfile: Modelfile, template: ChatTemplate, messages: Sequence[Message]
) -> ModelInput:
    """The chat template's text of SYSTEM, the MESSAGE turns and the messages, without the token of the beginning.

    The server's llama.cpp takes that token off and puts it there when it cuts the text into tokens.
    """
    begins = bool(messages) and messages[0].role.lower() == "system"
    opening = tuple(Message(role, segments) for role, segments in ollama.list_opening_turns(modelfile, begins))
    options = dict(model.serving_options)
    if THINK in options:
        options.setdefault(ENABLE_THINKING, bool(options[THINK]))
    sent = chat.build_model_input(template, (*opening, *messages), today=today(opened), values=options)
    bos, text = template.bos_token or "", sent.text
    if bos and text.startswith(bos):
        sent = replace(sent, segments=named_formats.cut_segments(sent.segments, len(bos), len(text)))
    stops = tuple(args for name, args, _ in modelfile.commands if name == "stop")
    return replace(sent, stops=tuple(dict.fromkeys((*stops, *sent.stops))))


def _without_text(modelfile: Modelfile, engine: Engine) -> ModelInput:
    """No text, since the server's own code makes it."""
    sent = ollama.build_model_input(modelfile, ())
    if any(diagnostic.code == "oll-renderer" for diagnostic in sent.diagnostics):
        return replace(sent, engine=engine)
    reason = Diagnostic("oll-renderer", {"name": engine.renderer}, modelfile.place, engine.renderer)
    return replace(sent, segments=(), diagnostics=(reason,), engine=engine)


def today(opened: Workspace) -> str:
    """The date that templates print: the workspace's, else the day it is."""
    return opened.today or date.today().isoformat()
