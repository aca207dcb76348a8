"""Which findings are about one model, whichever condition runs it."""

from __future__ import annotations

from readback.types import Finding, Model


def concerns(found: Finding, model: Model) -> bool:
    """Whether a finding of no condition is about a file that serves the model, or names the model."""
    if found.place.condition is not None:
        return False
    files = {one.place.file for one in (model.modelfile, model.chat_template) if one and one.place.file}
    return found.place.file in files or found.values.get("model") == model.name
