"""`training:` files of training rows that are checked together, as patterns: a list, or a mapping from splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from readback.readers.paths import expand
from readback.readers.yaml_node import Node
from readback.records.training_row import TRAIN
from readback.workspace import training_files
from readback.workspace.draft import Draft

KEY = "training"


def read(node: Node, draft: Draft) -> None:
    for split, item in _named(node):
        pattern = item.text()
        found, diagnostics = expand(draft.root, pattern, item.place) if pattern else ((), ())
        draft.diagnostics.extend(diagnostics)
        for path in found:
            training_files.add(draft, path, split, item.place)


def _named(node: Node) -> Iterator[tuple[str, Node]]:
    """Each pattern with its split."""
    if not isinstance(node.value, Mapping):
        yield from ((TRAIN, item) for item in node.items())
        return
    for split, part in node.entries():
        yield from ((split, item) for item in part.items())
