"""Merge a Modelfile with that of the model in its FROM, as `ollama create` does."""

from __future__ import annotations

from dataclasses import replace

from readback.types import Modelfile

INHERITED = ("renderer", "parser")
NOT_PARAMETERS = ("model", "adapter", "draft", "license", "template", "system", "message", "requires", *INHERITED)


def merge_base(modelfile: Modelfile, base: Modelfile) -> Modelfile:
    """Return the Modelfile with the lines of its base model that it does not set itself.

    Source: `server/create.go` of ollama/ollama. The lines of the base model have the line number 0.
    """
    names = {name for name, _, _ in modelfile.commands}
    inherited = tuple((name, args, 0) for name, args, _ in base.commands if name not in names and _is_inherited(name))
    merged = replace(modelfile, commands=(*modelfile.commands, *inherited))
    if merged.system is None:
        merged = replace(merged, system=base.system, system_place=base.system_place)
    if merged.template is None:
        merged = replace(merged, template=base.template, template_place=base.template_place)
    return merged


def _is_inherited(name: str) -> bool:
    """Return whether a model inherits a line of its base model; `merge_base` itself passes on the texts."""
    return name in (*INHERITED, "message") or name not in NOT_PARAMETERS
