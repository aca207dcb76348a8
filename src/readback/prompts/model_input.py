"""What a training row says of its template besides its messages: the tools that the model could call.

Trainers (TRL, Axolotl and others) hand the column `tools` of a row to the chat template, as a list or as JSON text.


What the model reads under Ollama: by which template its text is made, and what the other one would make.

What the model reads: which server a choice's messages go through, and what it makes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from readback.prompts.request_settings import resolve_program
from readback.records import row_fields
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.history import is_earlier_turn
from readback.serving.ollama import engine as ollama_engine
from readback.serving.ollama import model_input as ollama
from readback.types import (
    Assembly,
    ChatTemplate,
    Condition,
    Diagnostic,
    Engine,
    Message,
    Model,
    Modelfile,
    ModelInput,
    Record,
    Segment,
    Values,
    Workspace,
)

TOOLS = "tools"


def read_row_options(fields: Values) -> dict[str, Any]:
    """The options that a row states; none where its column holds no list of tools."""
    tools = fields.get(TOOLS)
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError):
            return {}
    if isinstance(tools, list) and tools and all(isinstance(tool, Mapping) for tool in tools):
        return {TOOLS: tools}
    return {}


CHAT = "chat template"
THINK, ENABLE_THINKING = "think", "enable_thinking"


def decide_engine(opened: Workspace, model: Model) -> Engine | None:
    """Which template Ollama takes for a model; None where no Modelfile serves it."""
    if model.modelfile is None:
        return None
    return ollama_engine.decide(model.modelfile, opened.ollama, model.weights, model.base is not None)


def is_template_uncertain(opened: Workspace, model: Model) -> bool:
    """Whether a model's text is that of TEMPLATE and it cannot be told whether Ollama sends it."""
    engine = decide_engine(opened, model)
    return engine is not None and engine.sends == "unknown" and engine.why != "no template"


def build_for_ollama(opened: Workspace, model: Model, messages: Sequence[Message]) -> ModelInput | None:
    """The text that Ollama makes of messages for a model, with the rule by which it takes its template.

    Where that cannot be told it is TEMPLATE's text. None where no Modelfile serves the model.
    """
    engine = decide_engine(opened, model)
    if engine is None or model.modelfile is None:
        return None
    template = _find_weights_template(model)
    if engine.sends == "renderer":
        return _make_renderer_input(model.modelfile, engine)
    if engine.sends == CHAT and template:
        sent = _fill_weights_template(opened, model, model.modelfile, template, messages)
    else:
        sent = _fill_modelfile_template(opened, model, model.modelfile, messages)
    return replace(sent, engine=engine)


def build_alternative(opened: Workspace, model: Model, messages: Sequence[Message]) -> ModelInput | None:
    """The text by the template that Ollama does not take, or may take instead; None where there is only one."""
    engine, template = decide_engine(opened, model), _find_weights_template(model)
    if engine is None or model.modelfile is None or template is None or engine.renderer:
        return None
    if engine.sends != CHAT:
        return _fill_weights_template(opened, model, model.modelfile, template, messages)
    if model.modelfile.template is None:
        return None
    return _fill_modelfile_template(opened, model, model.modelfile, messages)


def _find_weights_template(model: Model) -> ChatTemplate | None:
    template = model.weights.template if model.weights else None
    return template if template and template.text is not None else None


def _fill_modelfile_template(
    opened: Workspace, model: Model, modelfile: Modelfile, messages: Sequence[Message]
) -> ModelInput:
    """The text of TEMPLATE. `think` is what a request says of thinking; `enable_thinking` is its name elsewhere.

    Where neither is stated and TEMPLATE writes thoughts, the server asks for them.
    """
    options = dict(model.serving_options)
    if THINK not in options and ENABLE_THINKING in options:
        options[THINK] = options[ENABLE_THINKING]
    if THINK not in options and ollama_engine.asks_to_think(modelfile, opened.ollama):
        options[THINK] = True
    values = {name: options[name] for name in ("tools", THINK) if name in options}
    return ollama.build_model_input(modelfile, messages, today=resolve_today(opened), values=values)


def _fill_weights_template(
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
    sent = chat.build_model_input(template, (*opening, *messages), today=resolve_today(opened), values=options)
    bos, text = template.bos_token or "", sent.text
    if bos and text.startswith(bos):
        sent = replace(sent, segments=named_formats.cut_segments(sent.segments, len(bos), len(text)))
    stops = tuple(args for name, args, _ in modelfile.commands if name == "stop")
    return replace(sent, stops=tuple(dict.fromkeys((*stops, *sent.stops))))


def _make_renderer_input(modelfile: Modelfile, engine: Engine) -> ModelInput:
    """No text, since the server's own code makes it."""
    sent = ollama.build_model_input(modelfile, ())
    if any(diagnostic.code == "oll-renderer" for diagnostic in sent.diagnostics):
        return replace(sent, engine=engine)
    reason = Diagnostic("oll-renderer", {"name": engine.renderer}, modelfile.place, engine.renderer)
    return replace(sent, segments=(), diagnostics=(reason,), engine=engine)


def resolve_today(opened: Workspace) -> str:
    """The date that templates print: the workspace's, else the day it is."""
    return opened.today or date.today().isoformat()


def build_model_input(
    opened: Workspace, record: Record, assembly: Assembly, condition: Condition | None, training: bool
) -> ModelInput | None:
    """The one text for these messages; None where nobody says what serves them.

    The model's Modelfile decides, else its chat template, else its named format, else the `prompt_format` of the
    configuration the mode comes from. `training`: with the answer, as text to learn from; Ollama makes none.
    """
    if assembly.choice.judge or not assembly.messages:
        return None
    model = opened.models.get(condition.model) if condition and condition.model else None
    messages = _add_answer(assembly.messages, record) if training else assembly.messages
    if model and (model.modelfile or model.chat_template) and not (training and model.modelfile):
        return build_served_input(opened, model, messages, training, record)
    return _fill_named_format(opened, model, assembly, condition, messages, training, record)


def build_served_input(
    opened: Workspace, model: Model, messages: Sequence[Message], training: bool = False, record: Record | None = None
) -> ModelInput | None:
    """What the model's own server makes of messages: Ollama with its Modelfile, else its chat template or format.

    `record` is the row that they are of, whose tools count in `training`.
    """
    if model.modelfile:
        return None if training else build_for_ollama(opened, model, messages)
    template = model.chat_template or chat.load_format(model.chat_format or "")
    if template:
        return _fill_chat_template(opened, template, messages, training, model, record)
    return (
        named_formats.build_model_input(messages, model.chat_format, training=training) if model.chat_format else None
    )


def _fill_chat_template(
    opened: Workspace,
    template: ChatTemplate,
    messages: Sequence[Message],
    training: bool,
    model: Model | None,
    record: Record | None,
) -> ModelInput:
    """The text of a chat template with the options that the model states, in training with those of the row."""
    options: dict[str, Any] = {}
    if model:
        options |= model.training_options if training else model.serving_options
    if training and record:
        options |= read_row_options(record.fields)
    return chat.build_model_input(
        template, messages, today=resolve_today(opened), add_generation_prompt=not training, values=options
    )


def _fill_named_format(
    opened: Workspace,
    model: Model | None,
    assembly: Assembly,
    condition: Condition | None,
    messages: Sequence[Message],
    training: bool,
    record: Record,
) -> ModelInput | None:
    """The text under the model's named format, else that of the configuration the mode comes from.

    An Albert configuration without `prompt_format` has one: none, the bare text. The later Albert program does not
    read `prompt_format` and sends the list of messages.
    """
    mode = assembly.choice.mode or (condition.mode if condition else None)
    own = resolve_program(opened, opened.prompts.get(mode) if mode else None)
    named = (model.chat_format if model else None) or own.format
    if template := chat.load_format(named or ""):
        return _fill_chat_template(opened, template, messages, training, model, record)
    if named is None and not (own.albert and own.config):
        return None
    from_history = own.albert and own.dialect == "classic" and bool(messages) and is_earlier_turn(messages[0])
    return named_formats.build_model_input(
        messages,
        named,
        training=training,
        dialect=own.dialect,
        chatml_bug=own.chatml_bug,
        system_prompt=not from_history,
    )


def _add_answer(messages: tuple[Message, ...], record: Record) -> tuple[Message, ...]:
    """The messages with the answer to be learnt: the history's, else the record's reference."""
    answer = row_fields.read_reference(record.fields)
    if messages[-1].role == "assistant" or answer is None:
        return messages
    said = Segment(answer.value, "variable", answer.name, row_fields.locate_field(record, answer.name))
    return (*messages, Message("assistant", (said,)))
