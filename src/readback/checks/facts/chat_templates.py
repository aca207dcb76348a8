"""Find the chat template that made a text, and which messages of a conversation are in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from readback.checks.facts.conditions import find_model
from readback.serving.chat.formats import load_format
from readback.types import ChatTemplate, Message, Model, ModelInput, RuleContext, Segment, SelfTest

CHAT = "chat template"  # the kind of a text that a chat template made
UNESCAPED = re.compile(r"[^\n\"'<>&\\]+")  # characters that no escaping changes

PARTS = re.compile(r"\{%-?\s*for\s+\w+\s+in\s+\w+(?:\.content\b|\[['\"]content['\"]\])")  # for part in m.content

# Tokens that chat models of several families take for the borders of a turn, whatever a tokenizer's files state.
CHAT_TOKEN = re.compile(
    r"<\|(?:im_start|im_end|im_sep|start_header_id|end_header_id|eot_id|eom_id|begin_of_text|end_of_text|endoftext"
    r"|startoftext|start_of_role|end_of_role|start_of_turn|end_of_turn|end_of_turn_token|system|user|assistant|end"
    r"|START_OF_TURN_TOKEN|END_OF_TURN_TOKEN|SYSTEM_TOKEN|USER_TOKEN|CHATBOT_TOKEN|prompt|prompter|answer|bom|eom"
    r"|start|message|channel|return|call|constrain|python_tag)\|>"
    r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<｜(?:User|Assistant|begin▁of▁sentence|end▁of▁sentence)｜>"
)

NO_BRANCH = "it does not name this role"
OTHERS_OF_ROLE = "it writes other {role} messages, and not this one"
NOT_REACHED = "none of its branches writes this message"
QUOTED_CHARACTERS = 60  # characters of a message that a sentence quotes
ROLES = ("system", "user", "assistant", "tool")  # roles that templates write without naming them


# Which template made a text


class TemplateUse(NamedTuple):
    """A model with the chat template that serves it; `self_test` if a chat template made its texts."""

    model: Model
    template: ChatTemplate
    self_test: SelfTest | None


def list_template_uses(case: RuleContext) -> Iterator[TemplateUse]:
    """Yield each chat template of the workspace's models once, whatever the number of models it serves."""
    keys: set[tuple[str, str | None, bool]] = set()
    for model in case.workspace.models.values():
        self_test = case.self_tests.get(model.name)
        template = _find_template_of(model, self_test.first if self_test else None)
        if template is None:
            continue
        key = (template.name, template.config, template.adds_bos)
        if key not in keys:
            keys.add(key)
            yield TemplateUse(model, template, self_test if self_test and self_test.first.kind == CHAT else None)


def find_template(case: RuleContext) -> ChatTemplate | None:
    """Return the chat template that made the case's text; None if something else made it."""
    if case.model_input is None or case.model_input.kind != CHAT:
        return None
    model = find_model(case)
    if model:
        template = _find_template_of(model, case.model_input)
    else:
        template = None
    return template or load_format(case.model_input.format)


def _find_template_of(model: Model, model_input: ModelInput | None) -> ChatTemplate | None:
    """Return the chat template that serves a model; for Ollama that of the weights, if it made the text."""
    if model.modelfile is None:
        return model.chat_template or load_format(model.chat_format or "")
    if model_input is None or model_input.kind != CHAT or model.weights is None:
        return None
    return model.weights.template


@lru_cache(64)
def build_token_pattern(special: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that finds chat tokens, and the special tokens of a tokenizer."""
    by_length = sorted(special, key=len, reverse=True)
    own = "|".join(re.escape(token) for token in by_length if token.strip())
    if own:
        return re.compile(f"{CHAT_TOKEN.pattern}|{own}")
    return CHAT_TOKEN


# Where messages are in a text


def find_message(model_input: ModelInput, message: Message, start: int = 0) -> tuple[int, int] | None:
    """Return the span of a message's text, without the blanks at its ends, from `start` on; None if it is absent."""
    content = message.text.strip()
    if content:
        position = model_input.text.find(content, start)
    else:
        position = -1
    if position >= 0:
        return (position, position + len(content))
    return None


def has_trace(model_input: ModelInput, message: Message, messages: Iterable[Message]) -> bool:
    """Return whether anything of a message is in the text, perhaps cut, changed or escaped."""
    if find_message(model_input, message):
        return True
    foreign = {_get_source(segment) for other in messages if other is not message for segment in other.segments}
    own = {_get_source(segment) for segment in message.segments if segment.text.strip()} - foreign
    if any(_get_source(segment) in own for segment in model_input.segments):
        return True
    longest = max((stretch.strip() for stretch in UNESCAPED.findall(message.text)), key=len, default="")
    return longest in model_input.text


def reads_only_parts(text: ModelInput, messages: Sequence[Message], template: str | None) -> bool:
    """Return whether a template loops over the parts of messages and so writes nothing of messages that are texts."""
    if not PARTS.search(template or ""):
        return False
    return not any(has_trace(text, message, messages) for message in messages if message.text.strip())


def _get_source(segment: Segment) -> tuple[object, ...]:
    return segment.origin, segment.name, segment.place


# Messages that are not in a text


class DroppedMessage(NamedTuple):
    """A message that is not in the text: its index among all of them, and the reason in words."""

    number: int
    message: Message
    reason: str


def find_dropped_messages(
    text: ModelInput, messages: Sequence[Message], template: str | None
) -> Iterator[DroppedMessage]:
    """Yield the messages with text of which nothing is in the text that was made of all of them.

    A stretch of a message is enough, even trimmed, escaped, joined with another message or folded into one. `template`
    is the source of what made the text, None if it is not known.
    """
    written = {number for number, message in enumerate(messages) if _is_written(text, message, messages)}
    for number, message in enumerate(messages):
        if message.text.strip() and number not in written:
            same_role = any(messages[other].role == message.role for other in written)
            yield DroppedMessage(number, message, _explain(message.role, same_role, template))


def describe_dropped(dropped: DroppedMessage, messages: Sequence[Message], name: str) -> dict[str, Any]:
    """Return the values of a finding: which message of how many the template `name` leaves out, with its beginning."""
    content = " ".join(dropped.message.text.split())
    if len(content) > QUOTED_CHARACTERS:
        content = f"{content[: QUOTED_CHARACTERS - 1]}…"
    return {
        "name": name,
        "number": dropped.number + 1,
        "count": len(messages),
        "role": dropped.message.role,
        "reason": dropped.reason,
        "text": repr(content),
        "records": "",
        "of": "",
    }


def _is_written(text: ModelInput, message: Message, messages: Sequence[Message]) -> bool:
    """Return whether a message is in a text. If another has the same words, the source of a stretch decides."""
    content = message.text.strip()
    if not content:
        return False
    others = [other for other in messages if other is not message]
    foreign = {_get_source(segment) for other in others for segment in other.segments}
    own = {_get_source(segment) for segment in message.segments if segment.text.strip()} - foreign
    traced = {_get_source(segment) for segment in text.segments}
    if own & traced:
        return True
    repeated = [other for other in others if content in other.text]
    if own and any({_get_source(segment) for segment in other.segments} & traced for other in repeated):
        return False  # what is there is surely the other message
    return has_trace(text, message, messages)


def _explain(role: str, same_role: bool, template: str | None) -> str:
    if same_role:
        return OTHERS_OF_ROLE.format(role=role)
    if template is not None and role not in ROLES and role not in template:
        return NO_BRANCH
    return NOT_REACHED
