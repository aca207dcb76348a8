"""`dataset:` which file holds the records, and how its fields are read."""

from __future__ import annotations

from collections.abc import Mapping

from readback import plugins
from readback.readers.encodings import ENCODINGS
from readback.readers.paths import absent, show
from readback.readers.yaml_node import Node
from readback.types import DatasetSource
from readback.workspace.draft import Draft

KEY = "dataset"
KNOWN = ("path", "id", "fields", "private", "format", "encoding", "json")


def read(node: Node, draft: Draft) -> None:
    """A path, or a mapping with a path. A file that is not there is a diagnostic, and there are no records."""
    parts = node.mapping(*KNOWN) if isinstance(node.value, Mapping) else {"path": node}
    if "path" not in parts:
        return node.wrong("a mapping with path") if isinstance(node.value, Mapping) and parts else None
    named = draft.chosen.get(KEY) or parts["path"].text()
    if not named:
        return None
    path = draft.file_at(named, parts["path"].place)
    draft.dataset = DatasetSource(
        path=show(draft.root, path) if path else absent(named),
        id=parts["id"].text() if "id" in parts else None,
        fields=_fields(parts["fields"]) if "fields" in parts else {},
        private=parts["private"].texts() if "private" in parts else (),
        format=parts["format"].one_of(tuple(plugins.load_modules("formats"))) if "format" in parts else None,
        encoding=parts["encoding"].one_of(tuple(ENCODINGS)) if "encoding" in parts else None,
        json=parts["json"].texts() if "json" in parts else None,
        place=parts["path"].place,
        absent=path is None,
    )
    if path:
        draft.say(draft.dataset.path, "dataset")
    return None


def _fields(node: Node) -> dict[str, str]:
    return {name: text for name, part in node.entries() if (text := part.text()) is not None}
