"""What an export goes through: the conditions in their order, else the modes by name, or one judge's prompts."""

from __future__ import annotations

from collections.abc import Collection

from readback.prompts.request_settings import find_run_of_judge
from readback.sources.judge_names import judge_model
from readback.types import Condition, Selection, Workspace


class NothingToExport(Exception):  # noqa: N818 - an outcome to say in one sentence
    """There is no record, or nothing that is sent; the text says which."""


def choices(
    opened: Workspace, conditions: Collection[str] = (), modes: Collection[str] = (), judge: str | None = None
) -> tuple[Selection, ...]:
    """What is meant by names that are known: a judge's prompts, these conditions, these modes, else everything.

    Raises NothingToExport.
    """
    if judge is not None:
        return judged(opened, judge, conditions)
    named = (*(Selection(condition=name) for name in conditions), *(Selection(mode=name) for name in modes))
    return named or every(opened)


def every(opened: Workspace) -> tuple[Selection, ...]:
    """All that an export without further words holds.

    The conditions that send something, in their order; without any, each mode by its name; without these, each task by
    its name. Raises NothingToExport.
    """
    sent = [condition.name for condition in opened.conditions if condition.mode or condition.task]
    found = (
        tuple(Selection(condition=name) for name in sent)
        or tuple(Selection(mode=name) for name in sorted(opened.prompts))
        or tuple(Selection(task=name) for name in sorted(opened.tasks))
    )
    if not found:
        more = "; a judge's prompts are exported with its name" if opened.judges else ""
        raise NothingToExport(f"the workspace has no condition, mode or task{more}")
    return found


def judged(opened: Workspace, judge: str, conditions: Collection[str] = ()) -> tuple[Selection, ...]:
    """A judge's prompts: for the answers of each condition that has any (of `conditions`, where some are named).

    Where no condition has answers, the records are their own. Raises NothingToExport.
    """
    if conditions:
        for one in map(opened.condition, conditions):
            if one is not None and not one.answers:
                raise NothingToExport(f"condition '{one.name}' has no answers that a judge could be shown")
        return tuple(Selection(condition=name, judge=judge) for name in conditions)
    answered = [condition.name for condition in opened.conditions if condition.answers]
    return tuple(Selection(condition=name, judge=judge) for name in answered) or (Selection(judge=judge),)


def said(choices: Collection[Selection]) -> tuple[str, str]:
    """The words for one and for many of what an export goes through."""
    kinds = ("condition", "mode", "task", "judge")
    kind = next((kind for kind in kinds if any(getattr(one, kind) for one in choices)), "condition")
    return kind, f"{kind}s"


def name(choice: Selection) -> str:
    """A choice in words."""
    parts = ((kind, getattr(choice, kind)) for kind in ("condition", "mode", "task", "judge"))
    return ", ".join(f"{kind} '{text}'" for kind, text in parts if text)


def model(opened: Workspace, choice: Selection, given: str | None = None) -> str | None:
    """The model that a request names; None where nobody names any.

    That is the one that its run or its judge is asked by, else the one of its condition, else the `given` one.
    """
    condition = opened.condition(choice.condition) if choice.condition else None
    if choice.judge is not None:
        run = condition or find_run_of_judge(opened, choice.judge)
        of_run = run.settings.get("judge_model") if run else None
        judge = opened.judges.get(choice.judge)
        return _text(of_run) or (judge_model(judge) if judge else None) or given
    return _served(opened, condition) or given


def _served(opened: Workspace, condition: Condition | None) -> str | None:
    """The name that a condition's model is served by."""
    if condition is None or not condition.model:
        return None
    known = opened.models.get(condition.model)
    return (_text(known.settings.get("model")) or known.name) if known else condition.model


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
