"""Find the condition, mode and model that a case's assembly belongs to."""

from __future__ import annotations

from readback.types import Condition, Model, RuleContext


def is_for_judge(case: RuleContext) -> bool:
    """Return whether the case's assembly is what a judge is shown."""
    return case.assembly is not None and case.assembly.choice.judge is not None


def find_condition(case: RuleContext) -> Condition | None:
    """Return the condition of the case's assembly, also of what a judge is shown of it; None if there is none."""
    if case.assembly is None or not case.assembly.choice.condition:
        return None
    return case.workspace.condition(case.assembly.choice.condition)


def find_mode(case: RuleContext) -> str | None:
    """Return the mode that was chosen for the case's assembly, else the mode of its condition."""
    if case.assembly is None:
        return None
    condition = find_condition(case)
    return case.assembly.choice.mode or (condition.mode if condition else None)


def find_model(case: RuleContext) -> Model | None:
    """Return the model of the condition of the case's assembly; None if the workspace does not describe it."""
    condition = find_condition(case)
    if condition:
        return case.workspace.models.get(condition.model or "")
    return None
