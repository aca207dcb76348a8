"""Projects of other tools as workspaces: their prompts are modes, their tests the records, their providers models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from readback.projects import promptfoo
from readback.projects.model import Project
from readback.quantity import quantity
from readback.readers import project_rows
from readback.readers.files.paths import format_relative
from readback.sources import other_tools
from readback.types import Condition, DatasetSource, Location, Prompt
from readback.workspace.draft import Draft
from readback.workspace.kinds import PROJECT
from readback.workspace.recognise import RecognisedFile
from readback.workspace.tools import tool_tasks

ENVIRONMENT_KEY = "environment"  # of what whoever opens a workspace chooses: a JSON object of texts
REFUSED = "dat-project-refused"


def take_project(draft: Draft, files: Sequence[RecognisedFile]) -> None:
    """Take in the chosen project of a folder, else the first; the others are listed."""
    names = [format_relative(draft.root, file.path) for file in files]
    if len(names) > 1:
        draft.alternatives["dataset"] = tuple(names)
    chosen = draft.chosen.get("dataset")
    name = chosen if chosen in names else names[0]
    file = files[names.index(name)]
    tasks = [each for each in files if each.detail == other_tools.LM_EVAL]
    for other in files:
        if other is not file and not (file in tasks and other in tasks):
            draft.say(other.path, PROJECT, used=False, detail=f"{name} is taken; choose this one as the dataset")
    if file in tasks:
        tool_tasks.take_tasks(draft, tasks, chosen if chosen in names else None)
        return
    project = promptfoo.open_project(file.path, draft.root, draft.environment)
    draft.diagnostics += project.diagnostics
    if project.refused is not None:
        draft.report(REFUSED, Location(file=name), name, reason=project.refused)
    _take_modes(draft, project)
    if draft.dataset is None or draft.dataset.absent or draft.dataset.path == name:
        draft.dataset = DatasetSource(
            name, id=project_rows.ID, format=project_rows.NAME, environment=draft.environment, state=project.digest
        )
    prompts, rows = quantity(len(project.modes), "prompt"), quantity(len(project.rows), "row")
    draft.say(file.path, PROJECT, detail=f"{project.tool}: {prompts}, {rows}")


def parse_environment(text: str) -> dict[str, str]:
    """Return the variables in the JSON text that `format_environment` makes."""
    variables: dict[str, str] = json.loads(text)
    return variables


def format_environment(variables: Mapping[str, str]) -> str:
    """Return variables as one text; "" where there are none."""
    if variables:
        return json.dumps(dict(variables))
    return ""


def _take_modes(draft: Draft, project: Project) -> None:
    """Add each prompt as a mode, and each prompt for each of its providers as a condition."""
    for mode in project.modes:
        render = {"tool": project.tool, **mode.settings}
        draft.prompts[mode.name] = Prompt(mode.name, mode.template, syntax="text", place=mode.place, project=render)
    for provider in project.providers:
        for mode in project.modes:
            if mode.settings.get("applies", True) and (not mode.providers or provider in mode.providers):
                name = f"{mode.name} | {provider}"
                recorded = f"{mode.settings.get('recorded', mode.name)} | {provider}"  # in the tool's own results
                aliases = () if name == recorded or mode.settings.get("recorded") else (recorded,)
                condition = Condition(name, aliases=aliases, mode=mode.name, model=provider, place=mode.place)
                draft.conditions.append(condition)
