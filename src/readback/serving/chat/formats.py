"""Load the named chat formats `configs/chat_formats/<name>.jinja`, each of which is a chat template.

A file begins with a comment of lines `key: JSON value`: `title`, `bos_token`, `eos_token`, `special`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from readback import project_files
from readback.types import ChatTemplate

FOLDER = project_files.CONFIGS / "chat_formats"
HEAD = re.compile(r"\A\{#-\n(.*?)-#\}\n", re.DOTALL)
LINE = re.compile(r"(\w+): (.*)")


@cache
def list_formats() -> tuple[str, ...]:
    """Return the names of the formats, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.jinja")))


@cache
def load_format(name: str) -> ChatTemplate | None:
    """Return the chat template of a named format; None for other names."""
    if name not in list_formats():
        return None
    text = (FOLDER / f"{name}.jinja").read_text("utf-8")
    head = _read_head(text)
    return ChatTemplate(name, text, head.get("bos_token"), head.get("eos_token"), tuple(head.get("special", ())))


def get_title(name: str) -> str:
    """Return the sentence that describes a format."""
    return str(_read_head((FOLDER / f"{name}.jinja").read_text("utf-8"))["title"])


def _read_head(text: str) -> dict[str, Any]:
    """Return the values of the comment at the beginning of a file."""
    head = HEAD.match(text)
    if head is None:
        return {}
    return {key: json.loads(value) for key, value in LINE.findall(head[1])}
