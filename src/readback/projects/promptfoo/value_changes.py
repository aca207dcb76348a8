"""What promptfoo changes of the values of a row on their way into a prompt, as notes: see `values` for its rules."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from readback.projects.javascript_text import format_value, import_value
from readback.projects.model import RenderedMessages
from readback.projects.promptfoo.values import PLACEHOLDER, cut_line_break
from readback.projects.value_notes import Note, note_line_breaks, note_rendered, note_types

OBJECT = "[object Object]"
EXPONENT = re.compile(r"e([+-])0+")  # Python writes 1e-07, JavaScript 1e-7
NUNJUCKS = re.compile(r"\{\{.{0,80}?\}\}|\{%.{0,80}?%\}|\{#.{0,80}?#\}", re.DOTALL)


def list_notes(
    template: str, fields: Mapping[str, Any], values: Mapping[str, Any], answer: RenderedMessages
) -> tuple[Note, ...]:
    """Return a note for each value that the template names and that is sent otherwise than the row has it.

    `values` are those that the template was filled in with.
    """
    rendered, types, cut = [], [], []
    for name, value in fields.items():
        if not re.search(rf"\b{re.escape(name)}\b", template):
            continue
        if isinstance(value, str):
            before, after = cut_line_break(value), values.get(name)
            if before != value:
                cut.append(name)
            mark = PLACEHOLDER.search(before) or NUNJUCKS.search(before)
            if mark and isinstance(after, str) and after != before:
                rendered.append((name, mark[0]))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            written, sent = EXPONENT.sub(r"e\1", json.dumps(value)), format_value(import_value(value))
            if written != sent:
                types.append((name, f"the number {written}", sent))
        elif value is not None and _prints_object(name, answer):
            types.append((name, "an object" if isinstance(value, dict) else "a list", OBJECT))
    return (*note_rendered(rendered), *note_types(types), *note_line_breaks(cut))


def _prints_object(name: str, answer: RenderedMessages) -> bool:
    return any(
        OBJECT in segment.text and (segment.variable or "").partition(".")[0] == name
        for segments in answer.segments
        for segment in segments
    )
