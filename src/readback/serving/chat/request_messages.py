"""The messages of a request as transformers hands them to a chat template.

Source: `_normalize_chat_messages` and `_alias_reasoning_fields` of huggingface/transformers 5.24 (Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

REASONING = ("reasoning_content", "thinking", "reasoning")  # the names of what a model thought, the usual one first
EMPTY = "the conversation has no message, and transformers and vLLM refuse it"


def for_template(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages without the keys that are null, and with what a model thought under the names that are read."""
    return [_with_aliases({key: one for key, one in message.items() if one is not None}) for message in messages]


def _with_aliases(message: dict[str, Any]) -> dict[str, Any]:
    """The message with `reasoning_content` and `thinking` where it has one of REASONING, in transformers' order."""
    thought = next((message[name] for name in REASONING if name in message), None)
    if thought is None:
        return message
    return {"thinking": thought, **message, "reasoning_content": thought}
