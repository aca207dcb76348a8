"""What a verification configuration makes of a workspace: a condition for each task that runs, through its interface.

Where a workspace names its own conditions or modes, those are what is reviewed, and nothing is made up here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from readback.sources import verification
from readback.sources.verification import UsedModel, configurations, models_of
from readback.tasks import GENERATION, profile_of
from readback.types import Condition, Diagnostic, Model, PromptConfig, Severity
from readback.workspace import references
from readback.workspace.draft import Draft


def add_conditions(draft: Draft) -> None:
    """Add the conditions, or say which texts are missing for them."""
    configs = configurations(draft.configs)
    if not configs or draft.conditions or draft.prompts:
        return
    runs = [task for task, runs, _ in verification.running_here(configs, profile_of(draft.options)) if runs]
    lacking = [task for task in runs if task not in draft.tasks]
    if len(lacking) < len(runs):  # the rest is shown: what no model is asked for is not missed beside it
        lacking = [task for task in lacking if _is_asked_for(task, configs)]
    if lacking:
        _report_missing_texts(draft, configs, lacking, len(runs))
    for config in configs:
        draft.conditions.extend(_conditions(draft, config))


def _is_asked_for(task: str, configs: tuple[PromptConfig, ...]) -> bool:
    """Whether a configuration has a model for a task: an answering one for generation, another for the rest."""
    kinds = {model.kind == "answering" for config in configs for model in models_of(config.settings)}
    return (task == GENERATION) in kinds


def _report_missing_texts(draft: Draft, configs: tuple[PromptConfig, ...], lacking: list[str], running: int) -> None:
    """Report the tasks that run without a text: adapter text over an empty base is no prompt that anybody sends.

    Where none has a text, nothing is shown at all, and an interface may be wrong unnoticed.
    """
    for config in configs:
        values = {"file": config.name, "tasks": lacking, "lacking": len(lacking), "count": running}
        some = len(lacking) < running  # the others are shown
        severity: Severity | None = "info" if some else None
        draft.diagnostics.append(Diagnostic("asm-no-task-text", values, config.place, config.name, severity))
        if some:
            continue
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
