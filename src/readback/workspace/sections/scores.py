"""`scores:` score files: patterns below the folder, or one file with how its columns are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from readback.readers.paths import expand, show
from readback.readers.yaml_node import Node
from readback.types import ScoreSource
from readback.workspace.draft import Draft

KEY = "scores"
KNOWN = ("path", "item", "condition", "judges", "criteria", "criterion", "cluster", "label", "synthetic", "all_items")


def read(node: Node, draft: Draft) -> None:
    for item in node.items():
        parts = item.mapping(*KNOWN) if isinstance(item.value, Mapping) else {"path": item}
        if "path" not in parts:
            item.wrong("a path, or a mapping with path")
            continue
        pattern = parts["path"].text()
        if not pattern:
            continue
        columns = ScoreSource(
            path="",
            item=_texts(parts.get("item")),
            condition=_texts(parts.get("condition")),
            judges=_texts(parts.get("judges")),
            criteria=_texts(parts.get("criteria")),
            criterion=parts["criterion"].text() if "criterion" in parts else None,
            cluster=parts["cluster"].text() if "cluster" in parts else None,
            label=parts["label"].text() if "label" in parts else None,
            synthetic=bool(parts["synthetic"].flag()) if "synthetic" in parts else False,
            all_items=bool(parts["all_items"].flag()) if "all_items" in parts else False,
            place=item.place,
        )
        found, diagnostics = expand(draft.root, pattern, parts["path"].place)
        draft.diagnostics.extend(diagnostics)
        for path in found:
            draft.scores.append(replace(columns, path=show(draft.root, path)))
            draft.say(path, "scores")


def _texts(node: Node | None) -> tuple[str, ...]:
    return node.texts() if node else ()
