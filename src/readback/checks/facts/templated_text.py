"""What rules ask about the text a chat template made: which template it was, and where a message is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from readback.serving.chat.formats import load_format
from readback.types import ChatTemplate, Message, Model, ModelInput, RuleContext, Segment, SelfTest

CHAT = "chat template"  # the kind of such a text
TELLING = re.compile(r"[^\n\"'<>&\\]+")  # what no escaping of a text changes

PARTS = re.compile(r"\{%-?\s*for\s+\w+\s+in\s+\w+(?:\.content\b|\[['\"]content['\"]\])")  # for part in m.content

# Tokens that chat models of several families take for the borders of a turn, whatever a tokenizer's files say.
CHAT_TOKEN = re.compile(
    r"<\|(?:im_start|im_end|im_sep|start_header_id|end_header_id|eot_id|eom_id|begin_of_text|end_of_text|endoftext"
    r"|startoftext|start_of_role|end_of_role|start_of_turn|end_of_turn|end_of_turn_token|system|user|assistant|end"
    r"|START_OF_TURN_TOKEN|END_OF_TURN_TOKEN|SYSTEM_TOKEN|USER_TOKEN|CHATBOT_TOKEN|prompt|prompter|answer|bom|eom"
    r"|start|message|channel|return|call|constrain|python_tag)\|>"
    r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<｜(?:User|Assistant|begin▁of▁sentence|end▁of▁sentence)｜>"
)


class Templated(NamedTuple):
    """A model that a chat template serves; `self_test` where the template made a text of the made-up conversation."""

    model: Model
    template: ChatTemplate
    self_test: SelfTest | None


def templated(case: RuleContext) -> Iterator[Templated]:
    """Each chat template of the workspace's models, once, whatever the number of models it serves."""
    seen: set[tuple[str, str | None, bool]] = set()
    for model in case.workspace.models.values():
        self_test = case.self_tests.get(model.name)
        found = _template_of(model, self_test.first if self_test else None)
        if found and (key := (found.name, found.config, found.adds_bos)) not in seen:
            seen.add(key)
            yield Templated(model, found, self_test if self_test and self_test.first.kind == CHAT else None)


def template(case: RuleContext) -> ChatTemplate | None:
    """The chat template that made the case's text; None where it was something else."""
    if case.model_input is None or case.model_input.kind != CHAT:
        return None
    choice = case.assembly.choice if case.assembly else None
    condition = case.workspace.condition(choice.condition) if choice and choice.condition else None
    model = case.workspace.models.get(condition.model) if condition and condition.model else None
    return (_template_of(model, case.model_input) if model else None) or load_format(case.model_input.format)


def _template_of(model: Model, sent: ModelInput | None) -> ChatTemplate | None:
    """The chat template that serves a model; where Ollama does, that of the weights if it made the text."""
    if model.modelfile is None:
        return model.chat_template or load_format(model.chat_format or "")
    by_weights = sent is not None and sent.kind == CHAT and model.weights is not None
    return model.weights.template if by_weights and model.weights else None


def stands(model_input: ModelInput, message: Message, start: int = 0) -> tuple[int, int] | None:
    """Where a message's text is in what was made, from `start`: all of it but the blanks at its ends."""
    text = message.text.strip()
    at = model_input.text.find(text, start) if text else -1
    return (at, at + len(text)) if at >= 0 else None


def reached(model_input: ModelInput, message: Message, others: Iterable[Message]) -> bool:
    """Whether anything of a message is in what was made, be it cut, changed or escaped."""
    if stands(model_input, message):
        return True
    foreign = {_from(part) for other in others if other is not message for part in other.segments}
    own = {_from(part) for part in message.segments if part.text.strip()} - foreign
    if any(_from(part) in own for part in model_input.segments):
        return True
    longest = max((part.strip() for part in TELLING.findall(message.text)), key=len, default="")
    return longest in model_input.text


def reads_parts_alone(text: ModelInput, messages: Sequence[Message], template: str | None) -> bool:
    """Whether a template goes through the parts of a message and so writes nothing of messages that are texts."""
    if not PARTS.search(template or ""):
        return False
    return not any(reached(text, message, messages) for message in messages if message.text.strip())


def _from(part: Segment) -> tuple[object, ...]:
    return part.origin, part.name, part.place


@lru_cache(64)
def tokens(special: tuple[str, ...]) -> re.Pattern[str]:
    """What finds chat tokens, and those that a tokenizer says are special."""
    own = "|".join(re.escape(one) for one in sorted(special, key=len, reverse=True) if one.strip())
    return re.compile(f"{CHAT_TOKEN.pattern}|{own}") if own else CHAT_TOKEN
