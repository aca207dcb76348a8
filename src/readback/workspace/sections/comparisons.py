"""`comparisons:` the pairs of conditions the study means to compare, and what it expects of them."""

from __future__ import annotations

import math
from typing import Any

from readback.readers.yaml_node import Node
from readback.workspace.draft import Draft
from readback.workspace.references import unknown

KEY = "comparisons"
TEXTS = ("a", "b", "criterion", "judge", "expected", "question", "name", "warning", "group")
LISTS = ("criteria", "not_comparable", "varies")
VARIED = ("mode", "task", "model", "adapter", "system")  # what `varies` may name
KNOWN = (*TEXTS, "margin", *LISTS)


def read(node: Node, draft: Draft) -> None:
    names = [name for condition in draft.conditions for name in (condition.name, *condition.aliases)]
    for item in node.listed():
        parts = item.mapping(*KNOWN)
        found = {key: value for key, part in parts.items() if (value := _value(key, part)) is not None}
        if not ("a" in found and "b" in found):
            item.wrong("a comparison with a and b, two conditions")
            continue
        for side in ("a", "b"):
            if names and found[side] not in names:
                node.diagnostics.append(unknown("condition", found[side], names, item.place))
        draft.comparisons.append(found)


def _value(key: str, part: Node) -> Any:
    if key == "margin":
        return _margin(part)
    if key == "varies":
        return [one for each in part.listed() if (one := _varied(each)) is not None]
    return list(part.texts()) if key in LISTS else part.text()


def _margin(part: Node) -> float | None:
    """A difference too small to matter. None is smaller than 0, and of 0 none can be shown."""
    margin = part.number()
    if margin is not None and not 0 < margin < math.inf:
        part.wrong("a number above 0")
        return None
    return margin


def _varied(part: Node) -> str | None:
    """What the two conditions are meant to differ in."""
    name = part.text()
    if name is not None and name not in VARIED:
        part.wrong("one of " + ", ".join(VARIED))
        return None
    return name
