"""`acronyms:` long forms that Albert modes put behind an acronym of the query, as the program does with its list."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.workspace.draft import Draft

KEY = "acronyms"


def read(node: Node, draft: Draft) -> None:
    draft.acronyms |= {name: text for name, part in node.entries() if (text := part.text())}
