"""Read a judge rubric in YAML: one user message with `{{QUESTION}}` placeholders, criteria and weights.

Source: the judge YAML of ignaciolinari/beyond-the-cutoff (MIT); old rubrics use the bare words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.readers.yaml.yaml_file import Node, Parsed, mask_secrets
from readback.types import Diagnostic, Judge

KEYS = ("name", "version", "description", "prompt", "criteria", "format", "references", "notes", "inference")
CRITERION = ("id", "label", "weight", "description")
SHOWN = {
    "name": "title",
    "version": "version",
    "description": "description",
    "format": "format",
    "references": "references",
    "notes": "notes",
}
PLACEHOLDERS = ("QUESTION", "ASSISTANT_RESPONSE", "CONTEXTS", "EXPECTED_RESPONSE")
BRACED = re.compile(r"\{{\{{({})\}}\}}".format("|".join(PLACEHOLDERS)))
BARE = re.compile(r"\b({})\b".format("|".join(PLACEHOLDERS)))


def recognise(value: Any) -> bool:
    """Tell whether a value has a prompt, and criteria, a reply format or placeholders; rows of data have none."""
    if not isinstance(value, Mapping) or "prompt" not in value:
        return False
    if isinstance(value.get("criteria"), list) or isinstance(value.get("format"), Mapping):
        return True
    prompt = value["prompt"]
    return isinstance(prompt, str) and (bool(BRACED.search(prompt)) or len(set(BARE.findall(prompt))) > 1)


def read(path: Path, parsed: Parsed) -> tuple[Judge, tuple[Diagnostic, ...]]:
    """Return the judge in a rubric, called by the file's stem. An empty prompt is accepted, as upstream, and noted."""
    top = Node(parsed.value, parsed)
    parts = top.mapping(*KEYS)
    if "prompt" in parts:
        prompt = parts["prompt"].text()
    else:
        prompt = None
    if not (prompt or "").strip():
        top.report("jdg-empty-prompt", path.stem, judge=path.stem)
    criteria = _read_criteria(parts.get("criteria"))
    settings: dict[str, Any] = {SHOWN[key]: node.value for key, node in parts.items() if key in SHOWN}
    if "inference" in parts:
        settings["inference"], masked = mask_secrets(parts["inference"].value)
        top.diagnostics.extend(
            Diagnostic("dat-secret-masked", {"key": key}, parts["inference"].place, key) for key in masked
        )
    judge = Judge(
        name=path.stem,
        user=prompt or "",
        syntax="placeholder",
        bare="{{" not in (prompt or ""),
        criteria=tuple(criteria),
        settings={
            **settings,
            "weights": {name: part["weight"] for name, part in criteria.items() if "weight" in part},
            "meanings": {name: str(part["description"]) for name, part in criteria.items() if part.get("description")},
            "rubric": True,
        },
        place=parts["prompt"].place if "prompt" in parts else top.place,
    )
    return judge, tuple(top.diagnostics)


def _read_criteria(node: Node | None) -> dict[str, dict[str, Any]]:
    """Return the criteria by id, each with its weight and description."""
    criteria: dict[str, dict[str, Any]] = {}
    for item in node.listed() if node else ():
        part = item.mapping(*CRITERION)
        name = part["id"].text() if "id" in part else None
        if name is None:
            if isinstance(item.value, Mapping):
                item.wrong("a criterion with an id")
            continue
        if "label" in part:
            part["label"].text()
        if "weight" in part:
            weight = part["weight"].number()
        else:
            weight = None
        criteria[name] = {"weight": weight} if weight is not None else {}
        if "description" in part and (description := part["description"].text()):
            criteria[name]["description"] = description
    return criteria
