"""`prompts:` configuration files of any dialect, plain template files, and the built-in formats."""

from __future__ import annotations

from pathlib import Path

from readback.readers.yaml_node import Node
from readback.sources import prompt_formats
from readback.workspace import plain_templates
from readback.workspace.draft import Draft
from readback.workspace.intake import take_config
from readback.workspace.recognise import TEMPLATE, recognise

KEY = "prompts"
BUILTIN = "builtin:"


def read(node: Node, draft: Draft) -> None:
    templates: list[Path] = []
    for item in node.items():
        named = item.text()
        if named is None:
            continue
        if named.startswith(BUILTIN):
            if item.one_of((prompt_formats.BUILTIN,), "a path, or"):
                draft.add_config(prompt_formats.CONFIG)
        elif path := draft.file_at(named, item.place):
            found = recognise(path, draft.root, named=True)
            if found.what == TEMPLATE:
                templates.append(path)
            else:
                take_config(found, draft, item)
    if templates:
        plain_templates.take_named(draft, templates)
