"""`conditions:` the conditions of the experiment. What they name is checked when everything is read."""

from __future__ import annotations

from readback.readers.paths import show
from readback.readers.yaml_node import Node
from readback.types import Condition
from readback.workspace.draft import Draft

KEY = "conditions"
NAMES = ("mode", "model", "adapter", "task", "judge")
KNOWN = ("name", *NAMES, "answers", "aliases", "factors", "settings")


def read(node: Node, draft: Draft) -> None:
    taken = {name for c in draft.conditions for name in (c.name, *c.aliases)}
    for item in node.listed():
        condition = _condition(item, draft)
        if condition is None:
            continue
        if condition.name in taken:
            item.report("dat-duplicate-name", condition.name, kind="condition", name=condition.name)
            continue
        taken.update((condition.name, *condition.aliases))
        draft.conditions.append(condition)


def _condition(item: Node, draft: Draft) -> Condition | None:
    parts = item.mapping(*KNOWN)
    said = {key: parts[key].text() for key in NAMES if key in parts}
    name = parts["name"].text() if "name" in parts else " · ".join(text for text in said.values() if text)
    if not name:
        item.wrong("a condition with a name")
        return None
    return Condition(
        name=name,
        **said,
        answers=_answers(parts.get("answers"), draft),
        aliases=parts["aliases"].texts() if "aliases" in parts else (),
        settings={k: v for key in ("settings", "factors") if key in parts for k, v in parts[key].values().items()},
        place=item.place,
    )


def _answers(node: Node | None, draft: Draft) -> str | None:
    named = node.text() if node else None
    path = draft.file_at(named, node.place) if node and named else None
    if path:
        draft.say(path, "answers")
    return show(draft.root, path) if path else None
