"""Conditions of a verification configuration, and names in conditions that nothing defines.

Where a workspace names its own conditions or modes, those are reviewed, and a configuration adds none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from readback.adapters import load_shipped
from readback.readers.yaml.yaml_file import find_nearest
from readback.sources import verification
from readback.sources.prompt_formats import report_unknown_mode
from readback.sources.verification import UsedModel, list_configurations, list_models
from readback.tasks import GENERATION, profile_of
from readback.types import Condition, Diagnostic, Location, Model, PromptConfig, Severity
from readback.workspace.draft import Draft

NONE = "–"


def add_conditions(draft: Draft) -> None:
    """Add a condition for each task that runs, through its interface, or report which texts are missing for them."""
    configs = list_configurations(draft.configs)
    if not configs or draft.conditions or draft.prompts:
        return
    runs = [task for task, runs, _ in verification.list_workspace_runs(configs, profile_of(draft.options)) if runs]
    lacking = [task for task in runs if task not in draft.tasks]
    if len(lacking) < len(runs):  # the others are shown: a task that no model is asked for is not missed beside them
        lacking = [task for task in lacking if _is_requested(task, configs)]
    if lacking:
        _report_missing_texts(draft, configs, lacking, len(runs))
    for config in configs:
        draft.conditions.extend(_list_conditions(draft, config))


def _is_requested(task: str, configs: tuple[PromptConfig, ...]) -> bool:
    """Return whether a configuration has a model for a task: an answering one for generation, another for the rest."""
    kinds = {model.kind == "answering" for config in configs for model in list_models(config.settings)}
    return (task == GENERATION) in kinds


def _report_missing_texts(draft: Draft, configs: tuple[PromptConfig, ...], lacking: list[str], running: int) -> None:
    """Report the tasks that run without a text: adapter text over an empty base is no prompt that anybody sends.

    Where none has a text, nothing is shown at all, and an interface may be wrong unnoticed.
    """
    is_partial = len(lacking) < running
    severity: Severity | None = "info" if is_partial else None
    for config in configs:
        values = {"file": config.name, "tasks": lacking, "lacking": len(lacking), "count": running}
        draft.diagnostics.append(Diagnostic("asm-no-task-text", values, config.place, config.name, severity))
        if is_partial:
            continue
        for interface in dict.fromkeys(model.interface for model in list_models(config.settings)):
            draft.diagnostics.extend(find_unknown_adapter(interface, draft, config.place))


def _list_conditions(draft: Draft, config: PromptConfig) -> Iterator[Condition]:
    calls = _list_calls(draft, config)
    counts = Counter(f"{task} · {model.interface}" for task, model in calls)
    names = {condition.name for condition in draft.conditions}
    for task, model in calls:
        name = f"{task} · {model.interface}"
        if counts[name] > 1 or name in names:
            name = f"{name} · {model.name}"
        if name in names:
            continue  # the same model once more makes the same calls
        names.add(name)
        if task == GENERATION:
            answering = _add_model(draft, model, config)
        else:
            answering = None
        settings = {"model": model.name}
        if model.settings.get("model_name"):
            settings["model_name"] = model.settings["model_name"]
        yield Condition(
            name, task=task, adapter=model.interface, model=answering, settings=settings, place=config.place
        )


def _list_calls(draft: Draft, config: PromptConfig) -> list[tuple[str, UsedModel]]:
    """Return each task that runs and has a text with each model that it asks."""
    models = list_models(config.settings)
    calls: list[tuple[str, UsedModel]] = []
    for task, runs, _ in verification.list_runs(config.settings, profile_of(draft.options)):
        if runs and task in draft.tasks:
            is_generation = task == GENERATION
            calls.extend((task, model) for model in models if (model.kind == "answering") == is_generation)
    return calls


def _add_model(draft: Draft, model: UsedModel, config: PromptConfig) -> str:
    """Add the model under test, whose system prompt is sent. A model that the workspace describes stays as it is.

    A judge's model is not added: its own system prompt is never sent, and its tasks have different texts by design.
    """
    if model.name not in draft.models:
        draft.models[model.name] = Model(model.name, settings=dict(model.settings), place=config.place)
    return model.name


def report_unknown_names(draft: Draft) -> None:
    """Report each name that nothing defines. Where none of a kind is defined, its names are only labels."""
    for condition in draft.conditions:
        draft.diagnostics.extend(_find_unknown_names(condition, draft))


def _find_unknown_names(condition: Condition, draft: Draft) -> Iterator[Diagnostic]:
    place = condition.place
    if condition.mode is not None and condition.mode not in draft.prompts:
        yield report_unknown_mode(condition.mode, draft.prompts, place)
    for kind, name, defined in (
        ("model", condition.model, draft.models),
        ("judge", condition.judge, {**draft.judges, **draft.people}),
        ("task", condition.task, draft.tasks if condition.mode is None else ()),
    ):
        if name is not None and defined and name not in defined:
            yield describe_unknown_name(kind, name, defined, place)
    if condition.adapter is not None:
        yield from find_unknown_adapter(condition.adapter, draft, place)


def find_unknown_adapter(name: str, draft: Draft, place: Location) -> Iterator[Diagnostic]:
    """Yield a diagnostic where the name is neither a shipped adapter's nor that of one which the workspace lists."""
    adapters = {**load_shipped(), **draft.adapters}
    if name not in adapters:
        close = find_nearest(name, adapters) or NONE
        values = {"interface": name, "nearest": close, "known": ", ".join(sorted(adapters))}
        yield Diagnostic("asm-unknown-interface", values, place, name)


def describe_unknown_name(kind: str, name: str, defined: Collection[str], place: Location) -> Diagnostic:
    """Return the diagnostic of a name that is not known among those of its kind."""
    values = {
        "kind": kind,
        "name": name,
        "nearest": find_nearest(name, defined) or NONE,
        "known": ", ".join(sorted(defined)),
    }
    return Diagnostic("dat-unknown-name", values, place, name)
