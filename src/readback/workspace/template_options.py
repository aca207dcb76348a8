"""`template_options:` what a model's chat template is given besides the messages: tools, documents, switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.readers.json_text import Decoder, NotJson
from readback.readers.paths import show
from readback.readers.text_file import read_text
from readback.readers.yaml_node import Node
from readback.types import Diagnostic, Location, Model
from readback.workspace.draft import Draft

KEY = "template_options"
LISTS = ("tools", "documents")  # a list of mappings, or the path of a JSON file that holds one
RESERVED = ("messages", "add_generation_prompt")  # which the server gives
LARGEST = 4 << 20  # bytes of a file of tools or documents


def read_options(node: Node | None, draft: Draft) -> dict[str, Any]:
    """The options that a mapping states, without those that are wrong, each of which is a diagnostic."""
    options: dict[str, Any] = {}
    for name, value in node.entries() if node else ():
        if name in RESERVED:
            value.wrong("another name: what the server gives the template cannot be set")
        elif name in LISTS and value.value is not None:
            rows = _rows(value, draft)
            options |= {} if rows is None else {name: rows}
        else:
            options[name] = value.value
    return options


def _rows(node: Node, draft: Draft) -> list[Any] | None:
    """A list of mappings that is written there or in the file that is named."""
    rows = _of_file(node, draft) if isinstance(node.value, str) else node.value
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        node.wrong("a list of mappings, or the path of a JSON file that holds one")
        return None
    return rows


def _of_file(node: Node, draft: Draft) -> Any:
    """The value of the JSON file that is named; None, with a diagnostic, where it cannot be read."""
    path = draft.file_at(str(node.value), node.place)
    if path is None:
        return None
    file = show(draft.root, path)
    draft.say(file, "template options", detail=node.where)
    text, diagnostics = read_text(path, file, LARGEST)
    draft.diagnostics.extend(diagnostics)
    if text is None:
        return None
    try:
        return Decoder().whole(text)
    except NotJson as fault:
        place = Location(file=file, line=text.count("\n", 0, fault.at) + 1)
        values = {"where": node.where, "value": file, "expected": f"JSON ({fault.reason})"}
        draft.diagnostics.append(Diagnostic("dat-wrong-value", values, place, file))
        return None


def entries(model: Model) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A model's options as readback.yml has them: those of the model, and what serving and training have besides."""
    serving, training = dict(model.serving_options), dict(model.training_options)
    shared = serving if serving == training else {}
    if shared:
        return shared, {}, {}
    return {}, serving, training
