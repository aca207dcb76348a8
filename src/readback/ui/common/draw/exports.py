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
    """The text in UTF-8; a lone surrogate keeps its three bytes, as in a fingerprint."""
    return text.encode("utf-8", "surrogatepass")


def messages(made: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as APIs take them, with their tool calls, images and names."""
    return [message.value for message in made]


def as_json(made: Sequence[Message]) -> str:
    """The messages as a JSON list; everything beyond ASCII is an escape, so that no transport can change it.

    A message with an adapter's text in Readback's own words says `"wording": "readback"`.
    """
    ours = [{"wording": adapters.OURS} if adapters.list_own_wordings((message,)) else {} for message in made]
    return json.dumps([said | more for said, more in zip(messages(made), ours, strict=True)], indent=2)


def wording(ours: Sequence[str]) -> str | None:
    """What the name of a file says that has a text in Readback's own words and no other place to say so."""
    return f"wording-{adapters.OURS}" if ours else None


def body(made: Sequence[Message], kind: str, model: str, settings: Mapping[str, Any] | None = None) -> str:
    """A request body for `kind` ollama or openai; the model's name as it is or a placeholder."""
    said = {"model": model or "MODEL", "messages": messages(made), **({"stream": False} if kind == "ollama" else {})}
    return json.dumps({**said, **(settings or {})}, indent=2)


def curl(made: Sequence[Message], kind: str, model: str) -> str:
    """A command line that sends the body, with an address to fill in."""
    path = "/api/chat" if kind == "ollama" else "/v1/chat/completions"
    said = body(made, kind, model).replace("'", "\\u0027")  # a quote inside a shell's quotes, spelled as JSON
    return f"curl {ADDRESS}{path} -H 'Content-Type: application/json' -d '{said}'"


def name(*parts: str | None) -> str:
    """A file name made from ids: letters, digits, dot and dash, and not longer than a disk takes."""
    return re.sub(r"[^\w.-]+", "_", "-".join(part for part in parts if part))[:120] or "text"
