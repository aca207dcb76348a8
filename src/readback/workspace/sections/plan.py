"""`plan:` an experiment plan whose runs become conditions."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.workspace.draft import Draft
from readback.workspace.intake import take_config
from readback.workspace.recognise import recognise

KEY = "plan"


def read(node: Node, draft: Draft) -> None:
    for item in node.items():
        named = item.text()
        if named and (path := draft.file_at(named, item.place)):
            take_config(recognise(path, draft.root, named=True), draft, item)
