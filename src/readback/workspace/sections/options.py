"""`options:` named behaviours of the source systems; the first value of each is the default."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.sources.options import OPTIONS
from readback.workspace.draft import Draft

KEY = "options"
SPELT = {True: "on", False: "off"}  # YAML reads the words on and off as true and false


def read(node: Node, draft: Draft) -> None:
    for name, part in node.mapping(*OPTIONS).items():
        value = SPELT.get(part.value, part.value) if isinstance(part.value, bool) else part.value
        if isinstance(value, str) and value in OPTIONS[name]:
            if name not in draft.given:
                draft.options[name] = value
        else:
            part.one_of(OPTIONS[name])
