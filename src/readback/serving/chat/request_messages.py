"""Prepare the messages of a request as transformers passes them to a chat template.

Source: `_normalize_chat_messages` and `_alias_reasoning_fields` of huggingface/transformers 5.24 (Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

REASONING = ("reasoning_content", "thinking", "reasoning")  # the keys for a model's reasoning, the usual one first
EMPTY = "the conversation has no message, and transformers and vLLM refuse it"


def prepare_messages(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages without null values, and with the model's reasoning under the keys that templates read."""
    prepared = []
    for message in messages:
        filled = {key: value for key, value in message.items() if value is not None}
        prepared.append(_add_aliases(filled))
    return prepared


def _add_aliases(message: dict[str, Any]) -> dict[str, Any]:
    """Add `reasoning_content` and `thinking` where a message has one of REASONING, in transformers' order."""
    reasoning = next((message[name] for name in REASONING if name in message), None)
    if reasoning is None:
        return message
    return {"thinking": reasoning, **message, "reasoning_content": reasoning}
