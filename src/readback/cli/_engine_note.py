"""What commands say where the text of a Modelfile's TEMPLATE may not be what Ollama sends."""

from __future__ import annotations

import sys

from readback.cli import _lines
from readback.cli._sentence import fill
from readback.prompts.model_input import is_template_uncertain
from readback.types import Workspace


def print_note(opened: Workspace) -> None:
    """Print to standard error of which models it cannot be told which template Ollama sends; nothing where it can."""
    unknown = [name for name, model in opened.models.items() if is_template_uncertain(opened, model)]
    if unknown:
        print(
            _lines.safe(
                fill(
                    (
                        "readback: which template Ollama sends for {models} cannot be told; this is the text of "
                        "TEMPLATE (see readback rule oll-engine-unknown)"
                    ),
                    models=", ".join(unknown),
                )
            ),
            file=sys.stderr,
        )
