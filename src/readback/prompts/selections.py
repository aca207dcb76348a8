"""What can be sent in a workspace, and whose texts a choice stands for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from readback import adapters
from readback.readers.yaml_file import nearest
from readback.sources.prompt_formats import unknown_mode
from readback.sources.verification import running_here
from readback.tasks import GENERATION, profile_of
from readback.types import NOWHERE, Diagnostic, Model, Prompt, Selection, Workspace


class SelectedTexts(NamedTuple):
    """A choice worked out: whose texts, for which task, through which adapter, for which model."""

    prompt: Prompt
    is_task: bool
    task: str
    adapter: str | None
    model: Model | None


def choices(workspace: Workspace) -> tuple[Selection, ...]:
    """What an audit and a picker go through.

    The conditions; without any, every mode alone and with each adapter; every task that no condition names, likewise,
    unless the workspace has a configuration under which it does not run; then each condition's judge for its answers.
    A judge of no condition stands alone, unless requests were logged: what an export asks it is then held against them,
    which is about the answers of each condition that has any.
    """
    sent = [c for c in workspace.conditions if c.mode or c.task]
    judged = [c for c in workspace.conditions if c.judge in workspace.judges]
    named = {c.judge for c in judged}
    through = (None, *workspace.adapters)
    modes = () if sent else tuple(workspace.prompts)
    idle = {one.task for one in running_here(workspace.configs, profile_of(workspace.options)) if not one.runs}
    tasks = [task for task in workspace.tasks if task not in idle and all(c.mode or c.task != task for c in sent)]
    return (
        *(Selection(condition=c.name) for c in sent),
        *(Selection(mode=mode, adapter=adapter) for mode in modes for adapter in through),
        *(Selection(task=task, adapter=adapter) for task in tasks for adapter in through),
        *(Selection(condition=c.name, judge=c.judge) for c in judged),
        *chain.from_iterable(_of_judge(workspace, name) for name in workspace.judges if name not in named),
    )


def _of_judge(workspace: Workspace, name: str) -> Iterable[Selection]:
    """Return what a judge that no condition names is asked."""
    answered = [one.name for one in workspace.conditions if one.answers] if workspace.sent else []
    return [Selection(condition=condition, judge=name) for condition in answered] or [Selection(judge=name)]


def selected_texts(workspace: Workspace, choice: Selection) -> SelectedTexts | Diagnostic:
    """Whose texts a choice (not a judge's) sends, or why there are none. What it says goes before its condition's."""
    condition = workspace.condition(choice.condition) if choice.condition else None
    if choice.condition and condition is None:
        return unknown("condition", choice.condition, [c.name for c in workspace.conditions])
    mode = choice.mode or (condition.mode if condition else None)
    task = choice.task or (condition.task if condition else None)
    adapter = choice.adapter or (condition.adapter if condition else None)
    model = workspace.models.get(condition.model) if condition and condition.model else None
    if mode:
        prompt = workspace.prompts.get(mode)
        if prompt is None:
            return unknown_mode(mode, workspace.prompts, NOWHERE)
        return SelectedTexts(prompt, False, task or GENERATION, adapter, model)
    if task:
        if task not in workspace.tasks:
            return unknown("task", task, workspace.tasks)
        return SelectedTexts(workspace.tasks[task], True, task, adapter, model)
    name = condition.name if condition else ""
    return Diagnostic("asm-no-user-text", {"name": name}, condition.place if condition else NOWHERE, name)


def unknown(kind: str, name: str, known: Iterable[str]) -> Diagnostic:
    """The diagnostic for a name that the workspace does not have."""
    names = sorted(known)
    values = {"kind": kind, "name": name, "nearest": nearest(name, names) or "", "known": ", ".join(names)}
    return Diagnostic("dat-unknown-name", values, flagged=name)


def unknown_interface(name: str, workspace: Workspace) -> Diagnostic:
    """The diagnostic for an adapter that is neither the workspace's nor a shipped one."""
    known = sorted({**adapters.load_shipped(), **workspace.adapters})
    values = {"interface": name, "nearest": nearest(name, known) or "", "known": ", ".join(known)}
    return Diagnostic("asm-unknown-interface", values, flagged=name)
