"""`tasks:` the base texts of each task, Jinja over the record."""

from __future__ import annotations

from collections.abc import Mapping

from readback.readers.yaml_file import nearest
from readback.readers.yaml_node import Node
from readback.sources import inline
from readback.tasks import PROFILES, tasks_of
from readback.workspace.draft import Draft

KEY = "tasks"


def read(node: Node, draft: Draft) -> None:
    draft.tasks |= {prompt.mode: prompt for prompt in inline.tasks(node, draft.root)}
    known = dict.fromkeys(task for profile in PROFILES for task in tasks_of(profile))
    for name, part in node.entries() if isinstance(node.value, Mapping) else ():
        if name not in known and (near := nearest(name, known)):
            part.report("asm-unknown-task", name, task=name, nearest=near, known=list(known))
