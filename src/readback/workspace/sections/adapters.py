"""`adapters:` the interfaces this review looks at: shipped ones by name, others by their file."""

from __future__ import annotations

from readback.adapters import load_shipped, read_adapter
from readback.readers.yaml_file import nearest
from readback.readers.yaml_node import Node
from readback.tasks import profile_of
from readback.types import Adapter
from readback.workspace.draft import Draft

KEY = "adapters"


def read(node: Node, draft: Draft) -> None:
    for item in node.items():
        named = item.text()
        adapter = _adapter(named, item, draft) if named else None
        if adapter is None:
            continue
        if adapter.name in draft.adapters:
            item.report("dat-duplicate-name", adapter.name, kind="adapter", name=adapter.name)
        else:
            draft.adapters[adapter.name] = adapter


def _adapter(named: str, item: Node, draft: Draft) -> Adapter | None:
    if "/" in named or named.lower().endswith((".yml", ".yaml")):
        path = draft.file_at(named, item.place)
        if path is None:
            return None
        adapter, diagnostics = read_adapter(path, draft.root, profile_of(draft.options))
        draft.diagnostics.extend(diagnostics)
        draft.say(path, "adapter", detail=adapter.name)
        return adapter
    known = load_shipped(profile_of(draft.options))
    if named not in known:
        close = nearest(named, known) or ""
        item.report("asm-unknown-interface", named, interface=named, nearest=close, known=sorted(known))
        return None
    return known[named]
