"""Choose what an export goes through: the conditions in their order, else the modes by name, or one judge's prompts."""

from __future__ import annotations

from collections.abc import Collection

from readback.prompts.request_settings import find_run_of_judge
from readback.sources.judges.judge_names import find_judge_model
from readback.types import Condition, Selection, Workspace

KINDS = ("condition", "mode", "task", "judge")


class NothingToExport(Exception):  # noqa: N818 - an outcome to say in one sentence
    """There is no record, or nothing that is sent; the text says which."""


def choose_selections(
    workspace: Workspace, conditions: Collection[str] = (), modes: Collection[str] = (), judge: str | None = None
) -> tuple[Selection, ...]:
    """Return a judge's prompts, these conditions, these modes, else everything; all names exist.

    Raises NothingToExport.
    """
    if judge is not None:
        return list_judge_selections(workspace, judge, conditions)
    selections = [Selection(condition=name) for name in conditions]
    selections += [Selection(mode=name) for name in modes]
    return tuple(selections) or list_default_selections(workspace)


def list_default_selections(workspace: Workspace) -> tuple[Selection, ...]:
    """Return what an export without further options holds.

    The conditions that send something, in their order; without any, each mode by its name; without these, each task by
    its name. Raises NothingToExport.
    """
    selections = [Selection(condition=condition.name) for condition in workspace.conditions if condition.sends]
    if not selections:
        selections = [Selection(mode=name) for name in sorted(workspace.prompts)]
    if not selections:
        selections = [Selection(task=name) for name in sorted(workspace.tasks)]
    if not selections:
        if workspace.judges:
            hint = "; a judge's prompts are exported with its name"
        else:
            hint = ""
        raise NothingToExport(f"the workspace has no condition, mode or task{hint}")
    return tuple(selections)


def list_judge_selections(workspace: Workspace, judge: str, conditions: Collection[str] = ()) -> tuple[Selection, ...]:
    """Return a judge's prompts for the answers of these conditions, else of each condition that has any.

    Where no condition has answers, the records have their own. Raises NothingToExport.
    """
    for name in conditions:
        condition = workspace.condition(name)
        if condition is not None and not condition.answers:
            raise NothingToExport(f"condition '{condition.name}' has no answers that a judge could be shown")
    names = conditions or [condition.name for condition in workspace.conditions if condition.answers]
    selections = tuple(Selection(condition=name, judge=judge) for name in names)
    return selections or (Selection(judge=judge),)


def get_nouns(selections: Collection[Selection]) -> tuple[str, str]:
    """Return the singular and the plural of what an export goes through."""
    kind = next((kind for kind in KINDS if any(getattr(selection, kind) for selection in selections)), "condition")
    return kind, f"{kind}s"


def describe_selection(selection: Selection) -> str:
    """Return a selection in words."""
    parts = ((kind, getattr(selection, kind)) for kind in KINDS)
    return ", ".join(f"{kind} '{text}'" for kind, text in parts if text)


def find_model(workspace: Workspace, selection: Selection, default: str | None = None) -> str | None:
    """Return the model that a request names, None where nothing names any.

    That is the one that its run or its judge is asked by, else the one of its condition, else the default.
    """
    if selection.condition:
        condition = workspace.condition(selection.condition)
    else:
        condition = None
    if selection.judge is None:
        return _find_served_name(workspace, condition) or default
    run = condition or find_run_of_judge(workspace, selection.judge)
    if run:
        run_model = _read_text(run.settings.get("judge_model"))
    else:
        run_model = None
    judge = workspace.judges.get(selection.judge)
    return run_model or (find_judge_model(judge) if judge else None) or default


def _find_served_name(workspace: Workspace, condition: Condition | None) -> str | None:
    """Return the name that a condition's model is served by."""
    if condition is None or not condition.model:
        return None
    model = workspace.models.get(condition.model)
    if model is None:
        return condition.model
    return _read_text(model.settings.get("model")) or model.name


def _read_text(value: object) -> str | None:
    if isinstance(value, str) and value:
        return value
    return None


def find_prompt_name(workspace: Workspace, selection: Selection) -> str | None:
    """Return the name of the mode that a selection sends; None for a judge, a task and what is only logged."""
    if selection.judge is not None:
        return None
    if selection.condition:
        condition = workspace.condition(selection.condition)
    else:
        condition = None
    return selection.mode or (condition.mode if condition else None)
