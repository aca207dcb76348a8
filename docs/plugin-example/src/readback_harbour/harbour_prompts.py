"""The office's own prompt files: `harbour_prompts:` with a text for each mode.

harbour_prompts:
  short: "Question: {{ question }}"
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.extending import Diagnostic, Parsed, Prompt, PromptConfig

NAME = "harbour"
KEYS = ("harbour_prompts",)


def recognise(path: Path, value: Any) -> bool:
    """Whether the content of a YAML or JSON file is such a configuration."""
    return isinstance(value, Mapping) and isinstance(value.get("harbour_prompts"), Mapping)


def read(file: str, parsed: Parsed) -> tuple[PromptConfig, tuple[Diagnostic, ...]]:
    """A mode for each text; `file` is the path in the workspace."""
    texts = parsed.value["harbour_prompts"]
    prompts = {
        mode: Prompt(mode, template, place=parsed.place("harbour_prompts", mode))
        for mode, template in texts.items()
        if isinstance(template, str)
    }
    return PromptConfig(file, NAME, prompts, place=parsed.place()), ()
