"""Messages as bytes: what a download or a copy holds. No marks, no wrapping, nothing stripped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from readback import adapters
from readback.types import Message

ADDRESS = "http://HOST:PORT"  # a placeholder: an address is never typed into a page


def exact(text: str) -> bytes:
    """Return the text in UTF-8; a lone surrogate keeps its three bytes, as in a fingerprint."""
    return text.encode("utf-8", "surrogatepass")


def messages(messages_to_send: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as APIs take them, with their tool calls, images and names."""
    return [message.value for message in messages_to_send]


def as_json(messages_to_send: Sequence[Message]) -> str:
    """Return the messages as a JSON list; everything beyond ASCII is an escape, so that no transport can change it.

    A message with an adapter's text in Readback's own words says `"wording": "readback"`.
    """
    ours = [
        {"wording": adapters.OURS} if adapters.list_own_wordings((message,)) else {} for message in messages_to_send
    ]
    return json.dumps([value | more for value, more in zip(messages(messages_to_send), ours, strict=True)], indent=2)


def wording(ours: Sequence[str]) -> str | None:
    """Return the part of a file's name that states that a text is in Readback's own wording."""
    if ours:
        return f"wording-{adapters.OURS}"
    return None


def body(messages_to_send: Sequence[Message], kind: str, model: str, settings: Mapping[str, Any] | None = None) -> str:
    """Return a request body for `kind` ollama or openai, with the model's name or a placeholder."""
    request = {
        "model": model or "MODEL",
        "messages": messages(messages_to_send),
        **({"stream": False} if kind == "ollama" else {}),
    }
    return json.dumps({**request, **(settings or {})}, indent=2)


def curl(messages_to_send: Sequence[Message], kind: str, model: str) -> str:
    """Return a command line that sends the body, with an address to fill in."""
    if kind == "ollama":
        path = "/api/chat"
    else:
        path = "/v1/chat/completions"
    text = body(messages_to_send, kind, model).replace(
        "'", "\\u0027"
    )  # a quote inside a shell's quotes, spelled as JSON
    return f"curl {ADDRESS}{path} -H 'Content-Type: application/json' -d '{text}'"


def name(*parts: str | None) -> str:
    """Return a file name made from ids: letters, digits, dot and dash, and not longer than a disk takes."""
    return re.sub(r"[^\w.-]+", "_", "-".join(part for part in parts if part))[:120] or "text"
