"""What of a condition a comparison may vary: only where one thing differs can a difference in scores be laid to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from readback.types import Assembly, Condition, Prompt, Workspace

FACTORS = ("mode", "task", "model", "adapter", "system")


def factors(opened: Workspace, condition: Condition, first: Assembly) -> Mapping[str, str]:
    """Return the condition's value of each factor that it has: names, and sha256 of a mode's texts and system message.

    Two modes that send the same are one. `system` is the message that a server adds to a model of which no file says
    that it was trained with it; what a mode states is part of the mode, and what a model was trained with of the model.
    """
    prompt = opened.prompts.get(condition.mode or "")
    values = {
        "mode": _sha(repr(_sent(prompt))) if prompt else condition.mode,
        "task": condition.task,
        "model": condition.model,
        "adapter": condition.adapter,
        "system": _served(opened, condition, prompt, first),
    }
    return {name: value for name, value in values.items() if value is not None}


def differing(a: Mapping[str, str], b: Mapping[str, str]) -> Iterator[str]:
    """Yield the factors in which two conditions differ; a system message only where both have a separate one."""
    for name in FACTORS:
        if a.get(name) != b.get(name) and (name != "system" or (name in a and name in b)):
            yield name


def intended(opened: Workspace) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return what the plan varies (`varies:` of a comparison), by the names of the two conditions."""
    varied: dict[tuple[str, str], tuple[str, ...]] = {}
    for comparison in opened.comparisons:
        varies = comparison.get("varies")
        if isinstance(varies, list | tuple):  # a plan of another program may have a key of that name
            a, b = (_name(opened, str(comparison.get(side))) for side in ("a", "b"))
            varied[a, b] = (*varied.get((a, b), ()), *map(str, varies))
    return varied


def _name(opened: Workspace, name: str) -> str:
    condition = opened.condition(name)
    if condition:
        return condition.name
    return name


def _sent(prompt: Prompt) -> tuple[object, ...]:
    """Return the parts of a mode that make its texts; a builder is identified by its name."""
    if prompt.syntax == "builder":
        built = prompt.mode
    else:
        built = None
    defaults = sorted((str(name), repr(value)) for name, value in prompt.defaults.items())
    return built, prompt.template, prompt.system, prompt.syntax, prompt.system_syntax, defaults


def _served(opened: Workspace, condition: Condition, prompt: Prompt | None, first: Assembly) -> str | None:
    model = opened.models.get(condition.model or "")
    if model is None or model.training or model.training_messages or (prompt and prompt.system is not None):
        return None
    system = next((message.text for message in first.messages if message.role == "system"), "")
    if first.messages:
        return _sha(system)
    return None


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
