"""`instructions:` user instructions by task, or the file that holds them; never rendered, never stripped."""

from __future__ import annotations

from readback.dialects import instructions
from readback.draft import Draft
from readback.intake import take
from readback.yaml_node import Node

KEY = "instructions"


def read(node: Node, draft: Draft) -> None:
    if isinstance(node.value, str):
        if path := draft.file_at(node.value, node.place):
            take(path, draft, node.place)
        return
    found, notes = instructions.from_value(node.value, node.parsed, *node.keys)
    draft.instructions |= found
    draft.notes.extend(notes)
