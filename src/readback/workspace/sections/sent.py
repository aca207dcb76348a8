"""`sent:` logged requests, as patterns below the folder."""

from __future__ import annotations

from readback.readers.paths import expand, show
from readback.readers.yaml_node import Node
from readback.workspace.draft import Draft

KEY = "sent"


def read(node: Node, draft: Draft) -> None:
    for item in node.items():
        pattern = item.text()
        found, diagnostics = expand(draft.root, pattern, item.place) if pattern else ((), ())
        draft.diagnostics.extend(diagnostics)
        for path in found:
            draft.sent.append(show(draft.root, path))
            draft.say(path, "logged requests")
