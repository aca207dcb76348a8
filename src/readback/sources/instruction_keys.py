"""The seven keys of user instructions, and which of them speaks for a task.

Source: PromptConfig on the *Prompt Assembly System* page of biocypher/karenina.
"""

from __future__ import annotations

from collections.abc import Mapping

DIRECT = ("generation", "parsing", "abstention_detection", "sufficiency_detection")
GROUPS = {"rubric_": "rubric_evaluation", "agentic_parsing_": "agentic_parsing", "dj_": "deep_judgment"}
KEYS = (*DIRECT, *GROUPS.values())  # in the order in which they are written
SHORTCUT = "_instructions"  # `parsing_instructions` fills `parsing` where that is null
SHORTCUTS = tuple(f"{key}{SHORTCUT}" for key in KEYS)


def instruction_for(task: str, instructions: Mapping[str, str | None]) -> str | None:
    """Return the user instruction of a task: its own, else its group's, else None. An empty text counts as one."""
    key = key_for(task, instructions)
    if key is None:
        return None
    return instructions[key]


def key_for(task: str, instructions: Mapping[str, str | None]) -> str | None:
    """Which of the seven keys speaks for a task; names with a group's prefix belong to it, known or not."""
    group = next((group for prefix, group in GROUPS.items() if task.startswith(prefix)), None)
    candidates = (task if task in KEYS else None, group)
    return next((key for key in candidates if key is not None and instructions.get(key) is not None), None)
