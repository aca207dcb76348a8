"""Which tasks run in a workspace, for rules about what is never sent."""

from __future__ import annotations

from readback.sources.instruction_keys import key_for
from readback.sources.verification import Running, running_here
from readback.tasks import profile_of, tasks_of
from readback.types import Workspace


def tasks_by_key(workspace: Workspace) -> dict[str, tuple[Running, ...]]:
    """For each instruction that is given, the tasks it speaks for; nothing where no configuration says what runs."""
    said = {one.task: one for one in running_here(workspace.configs, profile_of(workspace.options))}
    if not said:
        return {}
    keys = {task: key_for(task, workspace.instructions) for task in tasks_of(profile_of(workspace.options))}
    return {
        key: tuple(said[task] for task, one in keys.items() if one == key)
        for key, text in workspace.instructions.items()
        if text
    }
