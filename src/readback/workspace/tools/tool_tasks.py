"""Tasks of lm-eval as workspaces: a task is a mode, the documents of one are the records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from readback.projects import lm_eval
from readback.projects.lm_eval import Run, Task
from readback.quantity import quantity
from readback.readers import task_rows
from readback.readers.files import checksum
from readback.readers.files.paths import format_relative
from readback.readers.logs.formats.lm_eval_results import list_runs
from readback.types import DatasetSource, Location, Prompt
from readback.workspace.draft import Draft
from readback.workspace.kinds import PROJECT
from readback.workspace.recognise import RecognisedFile

REFUSED = "dat-project-refused"
MOST = 300  # task files of one folder that are read


def take_tasks(draft: Draft, files: Sequence[RecognisedFile], chosen_name: str | None) -> None:
    """Take in the task that was chosen, else the first that was run or can be read, and those about its documents."""
    for file in files[MOST:]:
        draft.say(file.path, PROJECT, used=False, detail=f"only {MOST} tasks of a folder are read")
    files = files[:MOST]
    paths = [file.path for file in files]
    runs = [Run(**run) for run in list_runs(draft.root)]
    overview = lm_eval.open_tasks(paths, draft.root, runs, None)
    if len(overview) < len(paths):  # they were too much for the child
        draft.diagnostics += overview[0].diagnostics
        return
    names = [format_relative(draft.root, path) for path in paths]
    if chosen_name in names:
        number = names.index(chosen_name)
    else:
        number = _choose(overview, runs)
    tasks = lm_eval.open_tasks(paths, draft.root, runs, number)
    task = tasks[min(number, len(tasks) - 1)]
    draft.diagnostics += task.diagnostics
    if task.refused is not None:
        draft.report(REFUSED, Location(file=task.file), task.file, reason=task.refused)
    is_open = draft.dataset is None or draft.dataset.absent or draft.dataset.path == task.file
    if is_open and (task.rows or (task.rows == 0 and task.refused is None)):
        sources = (*task.included, *task.data, *(run.file for run in runs))
        state = _hash_states(draft, sources)
        draft.dataset = DatasetSource(task.file, id=task_rows.ID, format=task_rows.NAME, state=state)
    included = {name for each in tasks for name in each.included}
    for file, each in zip(files, tasks, strict=False):
        is_same = each is task or (each.documents is not None and each.documents == task.documents)
        if each.members:
            draft.say(file.path, PROJECT, detail=f"a group of lm-eval: {', '.join(each.members[:10])}")
        elif is_same and not (each.file in included and each is not task and each.name not in _list_run_names(runs)):
            _take_modes(draft, each)
            draft.say(file.path, PROJECT, detail=_describe(each, task))
        elif each.file in included:
            draft.say(file.path, PROJECT, detail="another task includes it")
        else:
            detail = f"its documents are not those of {task.name}; choose this one as the dataset"
            draft.say(file.path, PROJECT, used=False, detail=detail)
    draft.named.update(included)
    draft.named.update(name for each in tasks if each.documents == task.documents for name in each.data)


def _hash_states(draft: Draft, names: Sequence[str]) -> str:
    """Return a text that changes with the files that the rows of a task are made of, besides its own."""
    states: list[Any] = []
    for name in names:
        with suppress(OSError):
            states.append([name, *checksum.state(draft.root / name)])
    return hashlib.blake2b(json.dumps(states).encode(), digest_size=16).hexdigest()


def _choose(tasks: Sequence[Task], runs: Sequence[Run]) -> int:
    """Return the number of the task that is shown first: one that was run, else one that stands for itself."""
    run_names = _list_run_names(runs)
    included = {name for task in tasks for name in task.included}
    ranks = [
        (task.name not in run_names, bool(task.members), task.file in included, not task.data, number)
        for number, task in enumerate(tasks)
    ]
    return min(ranks)[-1]


def _list_run_names(runs: Sequence[Run]) -> set[str]:
    return {name for run in runs for name in run.shots}


def _take_modes(draft: Draft, task: Task) -> None:
    """Add the modes of a task."""
    for mode in task.modes:
        settings = {"tool": lm_eval.TOOL, "mode": mode.name, **mode.settings}
        draft.add_mode(mode.name, Prompt(mode.name, mode.template, syntax="text", place=mode.place, project=settings))


def _describe(task: Task, chosen: Task) -> str:
    parts = [f"lm-eval: {task.name}"]
    if task is chosen and task.rows is not None:
        parts.append(quantity(task.rows, "document"))
    files = sorted({str(mode.settings["run"]) for mode in task.modes if "run" in mode.settings})
    if files:
        parts.append(f"as {', '.join(files)} says that it was run")
    return ", ".join(parts)
