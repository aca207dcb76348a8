"""`tasks:` the base texts of each task, Jinja over the record."""

from __future__ import annotations

from readback.dialects import inline
from readback.files.yaml_node import Node
from readback.workspace.draft import Draft

KEY = "tasks"


def read(node: Node, draft: Draft) -> None:
    draft.tasks |= {prompt.mode: prompt for prompt in inline.tasks(node, draft.root)}
