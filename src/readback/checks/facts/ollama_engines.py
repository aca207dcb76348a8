"""What rules ask about the engine of a model that Ollama serves: the rule that decides, and both texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readback.types import Engine, Location, Model, ModelInput, RuleContext


@dataclass(frozen=True, slots=True)
class EngineOfModel:
    """A model with the rule that decides what is sent for it, and the made-up conversation by both templates."""

    model: Model
    engine: Engine
    place: Location
    first: ModelInput
    later: ModelInput
    others: tuple[ModelInput, ModelInput] | None


def list_engines(case: RuleContext) -> Iterator[EngineOfModel]:
    """Each Modelfile of the workspace's models once, whatever the number of models it serves."""
    seen: set[str | None] = set()
    for model in case.workspace.models.values():
        made_up = case.self_tests.get(model.name)
        if model.modelfile is None or made_up is None or made_up.first.engine is None:
            continue
        file = model.modelfile.place.file
        if file not in seen:
            seen.add(file)
            place = model.modelfile.template_place
            yield EngineOfModel(model, made_up.first.engine, place, made_up.first, made_up.later, made_up.others)


def has_different_texts(served: EngineOfModel) -> bool:
    """Whether the two templates make different texts of the made-up conversation, or one of them makes none."""
    if served.others is None:
        return False
    pairs = zip((served.first, served.later), served.others, strict=True)
    return any(text.text != other.text for text, other in pairs)
