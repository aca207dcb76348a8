"""`serving:` the server that runs the models: Ollama's version, and whether OLLAMA_GO_TEMPLATE is set there."""

from __future__ import annotations

from typing import Literal

from readback.readers.yaml_node import Node
from readback.serving.ollama import engine
from readback.types import OllamaServer
from readback.workspace.draft import Draft

KEY = "serving"
UNSET: Literal["unset"] = "unset"
Setting = Literal["true", "false", "unset"]


def read(node: Node, draft: Draft) -> None:
    parts = node.mapping("ollama")
    if "ollama" not in parts:
        return
    ollama = parts["ollama"].mapping("version", "go_template")
    version = _version(ollama["version"]) if "version" in ollama else None
    setting = _setting(ollama["go_template"]) if "go_template" in ollama else None
    if version is not None or setting is not None:
        draft.ollama = OllamaServer(version, setting, parts["ollama"].place)


def _version(node: Node) -> str | None:
    """The version as a text: YAML would make 0.3 of 0.30."""
    if isinstance(node.value, str) and engine.parse_version(OllamaServer(node.value)) is not None:
        return node.value
    node.wrong("a version such as '0.31.1', in quotes, as `ollama --version` prints it")
    return None


def _setting(node: Node) -> Setting | None:
    """The value of OLLAMA_GO_TEMPLATE in the server's environment; 1 and 0 count as there."""
    if isinstance(node.value, bool | int) and node.value in (0, 1):
        return "true" if node.value else "false"
    if node.value == UNSET:
        return UNSET
    node.wrong("true, false or unset: how OLLAMA_GO_TEMPLATE is set where the server runs")
    return None
