"""What rules ask of a dataset row of the prompt formats, and of what is sent from it."""

from __future__ import annotations

from readback.dialects import row_fields
from readback.types import Case, Prompt, Values, Workspace


def prompt(fields: Values) -> tuple[str, str] | None:
    """The field of the stored prompt, and its text."""
    found = row_fields.stored_prompt(fields)
    return (found.name, found.value) if found and isinstance(found.value, str) else None


def contexts(fields: Values) -> tuple[str, list[object]] | None:
    """The field of the contexts, and the list; None where the row has no such list."""
    found = row_fields.contexts(fields)
    return (found.name, found.value) if found and isinstance(found.value, list) else None


def context_texts(fields: Values) -> tuple[str, ...]:
    """The contexts as the builders write them: stripped texts, empty ones left out."""
    _, found = contexts(fields) or ("", ())
    texts = (str(context).strip() for context in found if context is not None)
    return tuple(text for text in texts if text)


def reference(fields: Values) -> tuple[str, str] | None:
    """The field of the reference answer, and its text."""
    found = row_fields.reference(fields)
    return (found.name, found.value) if found else None


def unsent(workspace: Workspace) -> bool:
    """True where nothing of the workspace sends a stored prompt, so that rules look at the record itself."""
    builders = (prompt.syntax == "builder" for prompt in workspace.prompts.values())
    return not workspace.conditions and not any(builders)


def sent_by(case: Case) -> tuple[str | None, Prompt | None]:
    """The mode of the case's assembly and its prompt; (None, None) for a judge or a task of its own."""
    choice = case.assembly.choice if case.assembly else None
    if choice is None or choice.judge is not None:
        return None, None
    arm = case.workspace.condition(choice.condition) if choice.condition else None
    mode = choice.mode or (arm.mode if arm else None)
    return mode, case.workspace.prompts.get(mode) if mode else None
