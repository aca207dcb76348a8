"""`modes:` prompts written in the workspace file, or in files beside it."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.sources import inline
from readback.types import Prompt, PromptConfig
from readback.workspace.draft import Draft

KEY = "modes"


def read(node: Node, draft: Draft) -> None:
    prompts: dict[str, Prompt] = {}
    for prompt in inline.modes(node, draft.root):
        draft.add_mode(prompt.mode, prompt)
        prompts[prompt.mode] = prompt
    draft.configs.append(PromptConfig(node.parsed.file, inline.NAME, prompts, place=node.place))
