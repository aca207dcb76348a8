"""Readback: see the exact messages each model gets, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from readback.notebook import Study
    from readback.prompt_formats import (
        validate_modelfile_system_message,
        validate_prompt_format_consistency,
        validate_rag_prompt_no_system_text,
    )
    from readback.types import Assembly, Finding, Record, Score, Workspace

__all__ = [
    "Assembly",
    "Finding",
    "Record",
    "Score",
    "Study",
    "Workspace",
    "open",
    "validate_modelfile_system_message",
    "validate_prompt_format_consistency",
    "validate_rag_prompt_no_system_text",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import a name of `__all__` when it is first used, so that the command line starts at once."""
    if name not in __all__:
        raise AttributeError(f"module 'readback' has no attribute '{name}'")
    if name == "Study":
        return import_module("readback.notebook").Study
    if name.startswith("validate_"):
        home = "readback.prompt_formats"
    else:
        home = "readback.types"
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def open(  # noqa: A001 - readback.open(path)
    path: Path | str,
    *,
    fields: Mapping[str, str] | None = None,
    plan: str | None = None,
    prompts: str | None = None,
    dataset: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    tool: str | None = None,
) -> Study:
    """Open a workspace in a notebook or a script: `readback.open("study").assemble("open book", "12")`.

    `path` is a folder or a file; `fields` maps template variables to record fields; `plan`, `prompts` and `dataset`
    name the file to use, relative to the folder, where there are several; `encoding` is that of the dataset where it is
    not UTF-8, `table` the sheet or table of a workbook or a database, `tool` the tool that reads the prompt files
    (`--as-tool`). Raises ValueError with the reason when
    nothing at all could be read.
    """
    from readback.notebook import open_workspace

    return open_workspace(
        path,
        fields=fields,
        plan=plan,
        prompts=prompts,
        dataset=dataset,
        encoding=encoding,
        table=table,
        tool=tool,
    )
