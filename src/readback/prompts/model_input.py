"""Build the one text that a model reads: by the server that a selection's messages go through.

Under Ollama, either TEMPLATE of the Modelfile or the chat template of the weights makes the text. Trainers (TRL,
Axolotl and others) hand the column `tools` of a row to the chat template, as a list or as JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from readback.prompts.request_settings import resolve_program
from readback.records.fields import row_fields
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
    """Return the template options that a training row states; none where its column holds no list of tools."""
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


def decide_engine(workspace: Workspace, model: Model) -> Engine | None:
    """Decide which template Ollama takes for a model; None where no Modelfile serves it."""
    if model.modelfile is None:
        return None
    return ollama_engine.decide(model.modelfile, workspace.ollama, model.weights, model.base is not None)


def is_template_uncertain(workspace: Workspace, model: Model) -> bool:
    """Tell whether a model's text is that of TEMPLATE while it cannot be known whether Ollama sends it."""
    engine = decide_engine(workspace, model)
    return engine is not None and engine.sends == "unknown" and engine.why != "no template"


def build_for_ollama(workspace: Workspace, model: Model, messages: Sequence[Message]) -> ModelInput | None:
    """Build the text that Ollama makes of messages for a model, with the rule by which it takes its template.

    Where that cannot be known it is TEMPLATE's text. Returns None where no Modelfile serves the model.
    """
    engine = decide_engine(workspace, model)
    if engine is None or model.modelfile is None:
        return None
    template = _find_weights_template(model)
    if engine.sends == "renderer":
        return _make_renderer_input(model.modelfile, engine)
    if engine.sends == CHAT and template:
        model_input = _fill_weights_template(workspace, model, model.modelfile, template, messages)
    else:
        model_input = _fill_modelfile_template(workspace, model, model.modelfile, messages)
    return replace(model_input, engine=engine)


def build_alternative(workspace: Workspace, model: Model, messages: Sequence[Message]) -> ModelInput | None:
    """Build the text by the template that Ollama does not take, or may take instead; None where there is only one."""
    engine, template = decide_engine(workspace, model), _find_weights_template(model)
    if engine is None or model.modelfile is None or template is None or engine.renderer:
        return None
    if engine.sends != CHAT:
        return _fill_weights_template(workspace, model, model.modelfile, template, messages)
    if model.modelfile.template is None:
        return None
    return _fill_modelfile_template(workspace, model, model.modelfile, messages)


def _find_weights_template(model: Model) -> ChatTemplate | None:
    if model.weights:
        template = model.weights.template
    else:
        template = None
    if template and template.text is not None:
        return template
    return None


def _fill_modelfile_template(
    workspace: Workspace, model: Model, modelfile: Modelfile, messages: Sequence[Message]
) -> ModelInput:
    """Build the text of TEMPLATE.

    `think` is what a request says of thinking; `enable_thinking` is its name elsewhere. Where neither is stated and
    TEMPLATE writes thoughts, the server asks for them.
    """
    options = dict(model.serving_options)
    if THINK not in options and ENABLE_THINKING in options:
        options[THINK] = options[ENABLE_THINKING]
    if THINK not in options and ollama_engine.asks_to_think(modelfile, workspace.ollama):
        options[THINK] = True
    values = {name: options[name] for name in ("tools", THINK) if name in options}
    return ollama.build_model_input(modelfile, messages, today=resolve_today(workspace), values=values)


def _fill_weights_template(
    workspace: Workspace, model: Model, modelfile: Modelfile, template: ChatTemplate, messages: Sequence[Message]
) -> ModelInput:
    """Build the chat template's text of SYSTEM, the MESSAGE turns and the messages, without the token that begins a
    text.

    The server's llama.cpp takes that token off and puts it there when it cuts the text into tokens.
    """
    begins_with_system = bool(messages) and messages[0].role.lower() == "system"
    opening = tuple(
        Message(role, segments) for role, segments in ollama.list_opening_turns(modelfile, begins_with_system)
    )
    options = dict(model.serving_options)
    if THINK in options:
        options.setdefault(ENABLE_THINKING, bool(options[THINK]))
    model_input = chat.build_model_input(
        template, (*opening, *messages), today=resolve_today(workspace), values=options
    )
    bos, text = template.bos_token or "", model_input.text
    if bos and text.startswith(bos):
        model_input = replace(
            model_input, segments=named_formats.cut_segments(model_input.segments, len(bos), len(text))
        )
    stops = tuple(args for name, args, _ in modelfile.commands if name == "stop")
    return replace(model_input, stops=tuple(dict.fromkeys((*stops, *model_input.stops))))


def _make_renderer_input(modelfile: Modelfile, engine: Engine) -> ModelInput:
    """Return no text, since the server's own code makes it."""
    model_input = ollama.build_model_input(modelfile, ())
    if any(diagnostic.code == "oll-renderer" for diagnostic in model_input.diagnostics):
        return replace(model_input, engine=engine)
    reason = Diagnostic("oll-renderer", {"name": engine.renderer}, modelfile.place, engine.renderer)
    return replace(model_input, segments=(), diagnostics=(reason,), engine=engine)


def resolve_today(workspace: Workspace) -> str:
    """Return the date that templates print: the workspace's, else the day it is."""
    return workspace.today or date.today().isoformat()


def build_model_input(
    workspace: Workspace, record: Record, assembly: Assembly, condition: Condition | None, training: bool
) -> ModelInput | None:
    """Build the one text for these messages; None where no file says what serves them.

    The model's Modelfile decides, else its chat template, else its named format, else the `prompt_format` of the
    configuration the mode comes from. `training`: with the answer, as text to learn from; Ollama makes none.
    """
    if assembly.choice.judge or not assembly.messages:
        return None
    if condition and condition.model:
        model = workspace.models.get(condition.model)
    else:
        model = None
    if training:
        messages = _add_answer(assembly.messages, record)
    else:
        messages = assembly.messages
    if model and (model.modelfile or model.chat_template) and not (training and model.modelfile):
        return build_served_input(workspace, model, messages, training, record)
    return _fill_named_format(workspace, model, assembly, condition, messages, training, record)


def build_served_input(
    workspace: Workspace,
    model: Model,
    messages: Sequence[Message],
    training: bool = False,
    record: Record | None = None,
) -> ModelInput | None:
    """Build what the model's own server makes of messages: Ollama with its Modelfile, else its chat template or format.

    `record` is the row that they are of, whose tools count in `training`.
    """
    if model.modelfile:
        if training:
            return None
        return build_for_ollama(workspace, model, messages)
    template = model.chat_template or chat.load_format(model.chat_format or "")
    if template:
        return _fill_chat_template(workspace, template, messages, training, model, record)
    if model.chat_format:
        return named_formats.build_model_input(messages, model.chat_format, training=training)
    return None


def _fill_chat_template(
    workspace: Workspace,
    template: ChatTemplate,
    messages: Sequence[Message],
    training: bool,
    model: Model | None,
    record: Record | None,
) -> ModelInput:
    """Build the text of a chat template with the options of the model, in training with those of the row."""
    options: dict[str, Any] = {}
    if model:
        options |= model.training_options if training else model.serving_options
    if training and record:
        options |= read_row_options(record.fields)
    return chat.build_model_input(
        template, messages, today=resolve_today(workspace), add_generation_prompt=not training, values=options
    )


def _fill_named_format(
    workspace: Workspace,
    model: Model | None,
    assembly: Assembly,
    condition: Condition | None,
    messages: Sequence[Message],
    training: bool,
    record: Record,
) -> ModelInput | None:
    """Build the text under the model's named format, else that of the configuration the mode comes from.

    An Albert configuration without `prompt_format` has one: none, the bare text. The later Albert program does not read
    `prompt_format` and sends the list of messages.
    """
    mode = assembly.choice.mode or (condition.mode if condition else None)
    program = resolve_program(workspace, workspace.prompts.get(mode) if mode else None)
    format_name = (model.chat_format if model else None) or program.format
    if template := chat.load_format(format_name or ""):
        return _fill_chat_template(workspace, template, messages, training, model, record)
    if format_name is None and not (program.albert and program.config):
        return None
    from_history = program.albert and program.dialect == "classic" and bool(messages) and is_earlier_turn(messages[0])
    return named_formats.build_model_input(
        messages,
        format_name,
        training=training,
        dialect=program.dialect,
        chatml_bug=program.chatml_bug,
        system_prompt=not from_history,
    )


def _add_answer(messages: tuple[Message, ...], record: Record) -> tuple[Message, ...]:
    """Return the messages with the answer to be learnt: the history's, else the record's reference."""
    answer = row_fields.read_reference(record.fields)
    if messages[-1].role == "assistant" or answer is None:
        return messages
    segment = Segment(answer.value, "variable", answer.name, row_fields.locate_field(record, answer.name))
    return (*messages, Message("assistant", (segment,)))
