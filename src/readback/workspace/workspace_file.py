"""Read readback.yml: every key in its own section, wrong keys and types as located diagnostics, the good rest loads."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import date

from readback.folder import by
from readback.readers.yaml_file import Parsed
from readback.readers.yaml_node import Node
from readback.types import NOWHERE
from readback.workspace.candidates import KINDS
from readback.workspace.draft import Draft
from readback.workspace.intake import take
from readback.workspace.recognise import WORKSPACE

NAME = "readback.yml"
TEXTS = ("name", "language", "headline", "today")
# Prompts first, since modes may replace them and a model's type matters only to some of them.
ORDER = (
    "dataset", "options", "prompts", "modes", "tasks", "context", "adapters", "instructions", "serving", "models",
    "plan", "conditions", "judges", "scores", "sent", "training", "criteria", "acronyms", "comparisons",
    "leaks", "ignore",
)  # fmt: skip


def read(draft: Draft, parsed: Parsed) -> None:
    """Fill the draft from a parsed workspace file."""
    sections = by("readback.workspace.sections", "KEY")
    if draft.offered:
        draft.chosen = {}  # the file leaves no choice
    if set(ORDER) != set(sections):
        raise ValueError(f"sections and their order differ: {sorted(set(ORDER) ^ set(sections))}")
    draft.diagnostics.extend(parsed.diagnostics)
    draft.say(parsed.file, WORKSPACE)
    top = Node(parsed.value, parsed, draft.diagnostics)
    if not isinstance(parsed.value, Mapping):
        if parsed.value is not None:
            top.wrong("a mapping with keys such as name, dataset and prompts")
        return
    parts = top.mapping(*TEXTS, *ORDER)
    said = {key: text for key in TEXTS if key in parts and (text := parts[key].text()) is not None}
    draft.name, draft.language = said.get("name", draft.name), said.get("language", draft.language)
    for key in ORDER:
        if key in parts and (key == "dataset" or key not in draft.chosen):
            sections[key].read(parts[key], draft)
        elif key in KINDS and (named := draft.chosen.get(key)) and (path := draft.file_at(named, NOWHERE)):
            take(path, draft)
    draft.headline = said.get("headline", draft.headline)
    if "today" in said:
        draft.today = _day(parts["today"], said["today"])


def _day(node: Node, said: str) -> str | None:
    """A day that templates print as today's, or a diagnostic."""
    with contextlib.suppress(ValueError):
        return date.fromisoformat(said).isoformat()
    node.wrong("a day, as 2026-01-31")
    return None
