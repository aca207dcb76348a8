"""`instructions:` user instructions by task, or the file that holds them; never rendered, never stripped."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.sources import instructions
from readback.workspace.draft import Draft
from readback.workspace.intake import take_config
from readback.workspace.recognise import recognise

KEY = "instructions"


def read(node: Node, draft: Draft) -> None:
    if isinstance(node.value, str):
        if path := draft.file_at(node.value, node.place):
            take_config(recognise(path, draft.root, named=True), draft, node)
        return
    found, diagnostics = instructions.from_value(node.value, node.parsed, *node.keys)
    draft.instructions |= found
    draft.instruction_places |= instructions.places_of(found, node.parsed, node.keys)
    draft.diagnostics.extend(diagnostics)
