"""Warn where the text of a Modelfile's TEMPLATE may not be what Ollama sends."""

from __future__ import annotations

from readback.cli.common.lines import print_note
from readback.cli.common.terminal import fill
from readback.prompts.model_input import is_template_uncertain
from readback.types import Workspace


def print_engine_note(workspace: Workspace) -> None:
    """Print to standard error for which models it is unknown which template Ollama sends; nothing if there is none."""
    unknown = [name for name, model in workspace.models.items() if is_template_uncertain(workspace, model)]
    if unknown:
        print_note(
            fill(
                (
                    "which template Ollama sends for {models} cannot be told; this is the text of "
                    "TEMPLATE (see readback rule oll-engine-unknown)"
                ),
                models=", ".join(unknown),
            )
        )
