"""`prompts:` configuration files of any dialect, and the built-in formats."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.sources import prompt_formats
from readback.workspace.draft import Draft
from readback.workspace.intake import take_config

KEY = "prompts"
BUILTIN = "builtin:"


def read(node: Node, draft: Draft) -> None:
    for item in node.items():
        named = item.text()
        if named is None:
            continue
        if named.startswith(BUILTIN):
            if item.one_of((prompt_formats.BUILTIN,), "a path, or"):
                draft.add_config(prompt_formats.CONFIG)
        elif path := draft.file_at(named, item.place):
            take_config(path, draft, item)
