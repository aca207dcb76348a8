"""List what a workspace states once for all records: the system texts of a model, the tasks of each instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from readback.sources.instruction_keys import key_for
from readback.sources.verification import Running, list_workspace_runs
from readback.tasks import profile_of, tasks_of
from readback.types import Model, Prompt, SystemText, Workspace

ORDER = ("training", "typed", "modelfile", "configuration", "format")  # kinds of places, training first


def list_system_texts(workspace: Workspace, model: Model) -> tuple[SystemText, ...]:
    """Return the system texts that the workspace states for a model, training first, each place once.

    They are those of its training, its Modelfile, the prompt formats for its type (if they are in use), any other file
    that names the model, and each mode that it is run in.
    """
    by_place: dict[tuple[object, ...], SystemText] = {}
    for system in reversed(dict.fromkeys(system for system in _find_system_texts(workspace, model) if system.text)):
        by_place[system.text, system.place, system.source] = system
    return tuple(sorted(by_place.values(), key=lambda system: ORDER.index(system.source)))


def _find_system_texts(workspace: Workspace, model: Model) -> Iterator[SystemText]:
    if model.training:
        yield replace(model.training, name=model.name)
    if model.modelfile and model.modelfile.system is not None:
        yield SystemText(model.modelfile.system, "modelfile", model.modelfile.system_place, model.name)
    for system in workspace.system_texts:
        if system.name == model.name or (system.source == "format" and system.name == model.type):
            yield replace(system, name=model.name)
    for condition in workspace.conditions:
        if condition.model == model.name:
            prompt = workspace.prompts.get(condition.mode or "")
        else:
            prompt = None
        if prompt and prompt.system and is_constant(prompt):
            yield SystemText(prompt.system, "configuration", prompt.system_place, model.name)


def is_constant(prompt: Prompt) -> bool:
    """Return whether a prompt's system text is the same for every record."""
    if prompt.system is None:
        return False
    return prompt.system_syntax == "text" or not ("{{" in prompt.system or "{%" in prompt.system)


def describe_place(system: SystemText) -> str:
    """Return the place of a system text for a sentence: its kind, then file and line."""
    place = system.place
    if place.file is None:
        return system.source
    if place.line:
        return f"{system.source} {place.file}:{place.line}"
    return f"{system.source} {place.file}"


def find_tasks_by_instruction(workspace: Workspace) -> dict[str, tuple[Running, ...]]:
    """Return for each instruction the tasks it is for; nothing if no configuration states which tasks run."""
    profile = profile_of(workspace.options)
    running = {task.task: task for task in list_workspace_runs(workspace.configs, profile)}
    if not running:
        return {}
    keys = {task: key_for(task, workspace.instructions) for task in tasks_of(profile)}
    return {
        key: tuple(running[task] for task, task_key in keys.items() if task_key == key)
        for key, text in workspace.instructions.items()
        if text
    }
