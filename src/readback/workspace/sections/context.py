"""`context:` by task, what adapters are told besides the record: values, or a file for json_schema."""

from __future__ import annotations

from typing import Any

from readback.readers.paths import show
from readback.readers.yaml_file import read_yaml
from readback.readers.yaml_node import Node
from readback.workspace.draft import Draft

KEY = "context"
FILES = (".json", ".yml", ".yaml")
FROM_FILE = "json_schema"


def read(node: Node, draft: Draft) -> None:
    for task, part in node.entries():
        draft.context[task] = {name: _value(name, item, draft) for name, item in part.entries()}


def _value(name: str, item: Node, draft: Draft) -> Any:
    if name != FROM_FILE or not isinstance(item.value, str) or not item.value.lower().endswith(FILES):
        return item.value
    path = draft.file_at(item.value, item.place)
    if path is None:
        return None
    parsed = read_yaml(path, show(draft.root, path))
    draft.diagnostics.extend(parsed.diagnostics)
    draft.say(path, "schema")
    return parsed.value
