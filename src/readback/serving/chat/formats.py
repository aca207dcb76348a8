"""The named chat formats that are data files: `configs/chat_formats/<name>.jinja`, each a chat template of its own.

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
def formats() -> tuple[str, ...]:
    """Their names, in order."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.jinja")))


@cache
def named(name: str) -> ChatTemplate | None:
    """The chat template of a named format that is a data file; None for other names."""
    if name not in formats():
        return None
    text = (FOLDER / f"{name}.jinja").read_text("utf-8")
    said = _said(text)
    return ChatTemplate(name, text, said.get("bos_token"), said.get("eos_token"), tuple(said.get("special", ())))


def title(name: str) -> str:
    """What the format is, in one sentence."""
    return str(_said((FOLDER / f"{name}.jinja").read_text("utf-8"))["title"])


def _said(text: str) -> dict[str, Any]:
    head = HEAD.match(text)
    return {key: json.loads(value) for key, value in LINE.findall(head[1])} if head else {}
