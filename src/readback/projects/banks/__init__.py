"""Templates of banks: Jinja with `{% chat role="…" %}` blocks, and the messages that `Prompt.chat_messages` returns.

The rules are those of banks 2.5.1, whose blocks are `chat_blocks`. A content is always a list of parts. A name without
a value prints nothing; a member of one is an error of the row. `render_row` runs in the bounded child.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.projects.chat_blocks import ChatBlock, find_template_fault, render_chat_blocks
from readback.projects.child_answers import make_row_work
from readback.projects.jinja_text import JinjaFault
from readback.projects.model import ProjectMode, PromptFile, RenderedMessages
from readback.projects.owned_text import OwnedText, join_owned
from readback.projects.prompt_text import read_prompt_text
from readback.projects.value_notes import EMPTY, note_missing
from readback.readers.files.paths import format_relative
from readback.types import Location

TOOL = "banks"
CHAT = re.compile(rb"\{%[-+]?\s*chat\s+role\s*=")


def recognise(head: bytes) -> bool:
    """Tell whether the beginning of a file has a chat block."""
    return CHAT.search(head) is not None


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return a template file as a mode."""
    place = Location(file=format_relative(root, path), line=1)
    text, refused = read_prompt_text(path)
    refused = refused or find_template_fault(text)
    settings = {"tool": TOOL, "template": text, "refused": refused}
    return PromptFile(ProjectMode(name, text, settings, place), refused)


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return the messages of banks for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=str(settings["refused"]))
    missing: list[str] = []
    try:
        blocks = render_chat_blocks(str(settings["template"]), fields, missing)
    except JinjaFault as fault:
        return RenderedMessages(None, error=str(fault))
    messages = tuple({"role": each.role, "content": [part.value for part in each.parts]} for each in blocks)
    segments = tuple(join_texts(each).list_segments() for each in blocks)
    return RenderedMessages(messages, segments=segments, notes=note_missing(missing, EMPTY))


render_row = make_row_work(render_messages)  # in the child


def join_texts(block: ChatBlock) -> OwnedText:
    """Return the texts of a message, joined by a line feed as everywhere where a content has parts."""
    return join_owned([part.text for part in block.parts if part.text is not None], "\n")
