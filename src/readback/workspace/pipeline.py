"""What a verification configuration makes of a workspace: a condition for each task that runs, through its interface.

Where a workspace names its own conditions or modes, those are what is reviewed, and nothing is made up here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from readback.sources import verification
from readback.sources.verification import UsedModel, configurations, models_of
from readback.tasks import GENERATION, profile_of
from readback.types import Condition, Model, PromptConfig
from readback.workspace import references
from readback.workspace.draft import Draft


def add_conditions(draft: Draft) -> None:
    """Add the conditions, or say which texts are missing for them."""
    configs = configurations(draft.configs)
    if not configs or draft.conditions or draft.prompts:
        return
    runs = [task for task, runs, _ in verification.running_here(configs, profile_of(draft.options)) if runs]
    if not any(task in draft.tasks for task in runs):
        _nothing_to_show(draft, configs, runs)
    for config in configs:
        draft.conditions.extend(_conditions(draft, config))


def _nothing_to_show(draft: Draft, configs: tuple[PromptConfig, ...], runs: list[str]) -> None:
    """Adapter text over an empty base is no prompt that anybody sends, so none is shown; an interface may be wrong."""
    for config in configs:
        values = {"file": config.name, "tasks": runs, "count": len(runs)}
        draft.report("asm-no-task-text", config.place, config.name, **values)
        for interface in dict.fromkeys(model.interface for model in models_of(config.settings)):
            draft.diagnostics.extend(references.unknown_adapter(interface, draft, config.place))


def _conditions(draft: Draft, config: PromptConfig) -> Iterator[Condition]:
    running = verification.running(config.settings, profile_of(draft.options))
    models = models_of(config.settings)
    conditions = [
        (task, model)
        for task, runs, _ in running
        if runs and task in draft.tasks
        for model in models
        if (model.kind == "answering") == (task == GENERATION)
    ]
    often = Counter(f"{task} · {model.interface}" for task, model in conditions)
    taken = {condition.name for condition in draft.conditions}
    for task, model in conditions:
        name = f"{task} · {model.interface}"
        name = name if often[name] == 1 and name not in taken else f"{name} · {model.name}"
        if name in taken:
            continue  # the same model once more makes the same calls
        taken.add(name)
        answering = _answering(draft, model, config) if task == GENERATION else None
        settings = {"model": model.name} | ({"model_name": said} if (said := model.settings.get("model_name")) else {})
        yield Condition(
            name, task=task, adapter=model.interface, model=answering, settings=settings, place=config.place
        )


def _answering(draft: Draft, model: UsedModel, config: PromptConfig) -> str:
    """The model under test, whose system prompt is sent. A model that the workspace describes itself stays as it is.

    A judge's model is not made one: its own system prompt is never sent, and its tasks have different texts by design.
    """
    if model.name not in draft.models:
        draft.models[model.name] = Model(model.name, settings=dict(model.settings), place=config.place)
    return model.name
