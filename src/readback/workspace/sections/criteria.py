"""`criteria:` what is judged, and on which scale; one of them may be the overview's headline."""

from __future__ import annotations

from collections.abc import Mapping

from readback.readers.yaml_node import Node
from readback.scores.criteria import from_entry
from readback.workspace.draft import Draft

KEY = "criteria"
KNOWN = ("scale", "direction", "unit", "meanings", "headline", "failed", "scores")
SCALES = ("binary", "nominal")
RANGE = {"min", "max"}


def read(node: Node, draft: Draft) -> None:
    for name, part in node.entries():
        entry = part.value
        headline = False
        if isinstance(entry, Mapping) and set(entry) != RANGE:
            parts = part.mapping(*KNOWN)
            if "unit" in parts:
                parts["unit"].text()
            for _, meaning in parts["meanings"].entries() if "meanings" in parts else ():
                meaning.text()
            headline = bool(parts["headline"].flag()) if "headline" in parts else False
            entry = {key: parts[key].value for key in parts if key != "headline"}
        found = from_entry(name, entry)
        if isinstance(found, str):
            part.wrong(
                f"a scale (a list of numbers, {', '.join(SCALES)} or {{min, max}}), failed: or scores: ({found})"
            )
            continue
        draft.criteria[name] = found
        if headline:
            draft.headline = name
