"""`plan:` an experiment plan whose runs become conditions."""

from __future__ import annotations

from readback.draft import Draft
from readback.intake import take
from readback.yaml_node import Node

KEY = "plan"


def read(node: Node, draft: Draft) -> None:
    for item in node.items():
        named = item.text()
        if named and (path := draft.file_at(named, item.place)):
            take(path, draft, item.place)
