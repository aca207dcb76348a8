"""`ignore:` findings that are known and accepted; they are counted and listed apart."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.types import Ignored
from readback.workspace.draft import Draft

KEY = "ignore"
TEXTS = ("code", "why", "by", "date")
WHERE = ("file", "mode", "adapter", "task", "condition", "judge", "record", "role", "field")


def read(node: Node, draft: Draft) -> None:
    for item in node.listed():
        parts = item.mapping(*TEXTS, "where")
        said = {key: text for key in TEXTS if key in parts and (text := parts[key].text()) is not None}
        if "code" not in said:
            item.wrong("a code to ignore")
            continue
        where = parts["where"].mapping(*WHERE) if "where" in parts else {}
        places = {key: text for key, part in where.items() if (text := part.text()) is not None}
        draft.ignore.append(Ignored(**said, where=places))
