"""Which chat format a choice's messages are sent in, and what it makes of them."""

from __future__ import annotations

from readback.dialects import row_fields
from readback.serving import wire_formats
from readback.types import Assembly, Condition, Message, Record, Segment, Wire, Workspace


def sent(opened: Workspace, record: Record, assembly: Assembly, arm: Condition | None, training: bool) -> Wire | None:
    """The wire text under the model's chat format, else that of the configuration the mode comes from.

    None where neither names one. An Albert configuration without `prompt_format` has one: none, the bare text. The
    later Albert program does not read `prompt_format` and sends the list of messages.
    """
    if assembly.choice.judge or not assembly.messages:
        return None
    model = opened.models.get(arm.model) if arm and arm.model else None
    mode = assembly.choice.mode or (arm.mode if arm else None)
    prompt = opened.prompts.get(mode) if mode else None
    config = next((one for one in opened.configs if prompt and one.prompts.get(prompt.mode) == prompt), None)
    albert = config is not None and config.dialect == "albert"
    dialect: wire_formats.Dialect = "current" if opened.options.get("albert_dialect") == "current" else "classic"
    configured = config.chat_format if config and not (albert and dialect == "current") else None
    named = (model.chat_format if model else None) or configured
    if named is None and not albert:
        return None
    messages = _with_answer(assembly.messages, record) if training else assembly.messages
    return wire_formats.wire(messages, named, training=training, dialect=dialect)


def _with_answer(messages: tuple[Message, ...], record: Record) -> tuple[Message, ...]:
    """The messages with the answer to be learnt: the history's, else the record's reference."""
    answer = row_fields.reference(record.fields)
    if messages[-1].role == "assistant" or answer is None:
        return messages
    said = Segment(answer.value, "variable", answer.name, row_fields.at(record, answer.name))
    return (*messages, Message("assistant", (said,)))
