"""What the model reads: which server a choice's messages go through, and what it makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from readback.prompts.by_ollama import text_by_ollama
from readback.prompts.by_ollama import today as today
from readback.prompts.program import program
from readback.prompts.row_options import options_of_row
from readback.records import row_fields
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.history import is_earlier_turn
from readback.types import Assembly, ChatTemplate, Condition, Message, Model, ModelInput, Record, Segment, Workspace


def sent(
    opened: Workspace, record: Record, assembly: Assembly, condition: Condition | None, training: bool
) -> ModelInput | None:
    """The one text for these messages; None where nobody says what serves them.

    The model's Modelfile decides, else its chat template, else its named format, else the `prompt_format` of the
    configuration the mode comes from. `training`: with the answer, as text to learn from; Ollama makes none.
    """
    if assembly.choice.judge or not assembly.messages:
        return None
    model = opened.models.get(condition.model) if condition and condition.model else None
    messages = _with_answer(assembly.messages, record) if training else assembly.messages
    if model and (model.modelfile or model.chat_template) and not (training and model.modelfile):
        return served(opened, model, messages, training, record)
    return _formatted(opened, model, assembly, condition, messages, training, record)


def served(
    opened: Workspace, model: Model, messages: Sequence[Message], training: bool = False, record: Record | None = None
) -> ModelInput | None:
    """What the model's own server makes of messages: Ollama with its Modelfile, else its chat template or format.

    `record` is the row that they are of, whose tools count in `training`.
    """
    if model.modelfile:
        return None if training else text_by_ollama(opened, model, messages)
    template = model.chat_template or chat.load_format(model.chat_format or "")
    if template:
        return _by_template(opened, template, messages, training, model, record)
    return (
        named_formats.build_model_input(messages, model.chat_format, training=training) if model.chat_format else None
    )


def _by_template(
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
        options |= options_of_row(record.fields)
    return chat.build_model_input(
        template, messages, today=today(opened), add_generation_prompt=not training, values=options
    )


def _formatted(
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
    own = program(opened, opened.prompts.get(mode) if mode else None)
    named = (model.chat_format if model else None) or own.format
    if template := chat.load_format(named or ""):
        return _by_template(opened, template, messages, training, model, record)
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


def _with_answer(messages: tuple[Message, ...], record: Record) -> tuple[Message, ...]:
    """The messages with the answer to be learnt: the history's, else the record's reference."""
    answer = row_fields.read_reference(record.fields)
    if messages[-1].role == "assistant" or answer is None:
        return messages
    said = Segment(answer.value, "variable", answer.name, row_fields.locate_field(record, answer.name))
    return (*messages, Message("assistant", (said,)))
