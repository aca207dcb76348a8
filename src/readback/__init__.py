"""Readback: see the exact messages each model gets, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from readback.notebook import Opened

__version__ = "0.1.0"
VALIDATIONS = (
    "validate_modelfile_system_message",
    "validate_prompt_format_consistency",
    "validate_rag_prompt_no_system_text",
)


def __getattr__(name: str) -> Any:
    """The three functions of the prompt-format document, loaded when they are asked for."""
    if name in VALIDATIONS:
        from readback import prompt_formats

        return getattr(prompt_formats, name)
    raise AttributeError(f"module 'readback' has no attribute '{name}'")


def open(  # noqa: A001 - readback.open(path)
    path: Path | str,
    *,
    fields: Mapping[str, str] | None = None,
    plan: str | None = None,
    prompts: str | None = None,
    dataset: str | None = None,
) -> Opened:
    """Open a workspace in a notebook or a script: `readback.open("study").assemble("open book", "12")`.

    `path` is a folder or a file; `fields` maps template variables to record fields; `plan`, `prompts` and `dataset`
    name the file that is meant, relative to the folder, where several could be. Raises ValueError with the reason when
    nothing at all could be read.
    """
    from readback.notebook import open_workspace

    return open_workspace(path, fields=fields, plan=plan, prompts=prompts, dataset=dataset)
