"""Which system texts the workspace states for one model, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from readback.types import Model, Prompt, SystemText, Workspace


def for_model(workspace: Workspace, model: Model) -> tuple[SystemText, ...]:
    """Every place that states this model's system text, training first; a place counts once.

    That is its training, its Modelfile, what the prompt formats prescribe for its type (where they are in use), what
    any other file says under its name, and the system text of each mode it is run in.
    """
    found = dict.fromkeys(text for text in _stated(workspace, model) if text.text)
    once = {(text.text, text.place, text.source): text for text in reversed(tuple(found))}
    return tuple(sorted(once.values(), key=lambda text: ORDER.index(text.source)))


ORDER = ("training", "typed", "modelfile", "configuration", "format")


def _stated(workspace: Workspace, model: Model) -> Iterator[SystemText]:
    if model.training:
        yield replace(model.training, name=model.name)
    if model.modelfile and model.modelfile.system is not None:
        yield SystemText(model.modelfile.system, "modelfile", model.modelfile.system_place, model.name)
    for text in workspace.system_texts:
        if text.name == model.name or (text.source == "format" and text.name == model.type):
            yield replace(text, name=model.name)
    for condition in workspace.conditions:
        prompt = workspace.prompts.get(condition.mode or "") if condition.model == model.name else None
        if prompt and prompt.system and is_constant(prompt):
            yield SystemText(prompt.system, "configuration", prompt.system_place, model.name)


def is_constant(prompt: Prompt) -> bool:
    """Whether a prompt's system text is the same for every record."""
    return prompt.system is not None and (prompt.system_syntax == "text" or not {"{{", "{%"} & _pairs(prompt.system))


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)} if "{" in text else set()


def where(stated: SystemText) -> str:
    """The place of a system text for a sentence: what kind, then file and line."""
    at = stated.place
    if at.file is None:
        return stated.source
    return f"{stated.source} {at.file}:{at.line}" if at.line else f"{stated.source} {at.file}"
