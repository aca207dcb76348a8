"""What rules ask about the length of a prompt: its model, what fits, and how sure a count is."""

from __future__ import annotations

from readback.checks.facts import albert_modes
from readback.serving.limits import CONTEXT, Limit, find_limit, find_ollama_limit, find_training_limit
from readback.types import Location, Model, RuleContext, Severity, Tokens

__all__ = ["CONTEXT", "Limit", "find_limit", "find_ollama_limit", "find_training_limit"]

MARGIN = 1.2  # an estimate of more than this times the room is over it: bytes ÷ 4 is 17 % too much in 1 of 100 prompts


def model(case: RuleContext) -> Model | None:
    """The model of the case's condition; None for a judge and where the budget of an Albert mode is kept to."""
    choice = case.assembly.choice if case.assembly else None
    condition = case.workspace.condition(choice.condition) if choice and choice.condition and not choice.judge else None
    mode = albert_modes.mode(case)
    if condition is None or (mode and mode.max_tokens):
        return None
    return case.workspace.models.get(condition.model or "")


def over_window(case: RuleContext) -> Limit | None:
    """What Ollama is told to read, where the prompt has more tokens than that."""
    read = find_ollama_limit(model(case))
    return read if read and case.tokens and case.tokens.count > read.context else None


def weight(counted: Tokens, room: int) -> Severity:
    """An error where it is sure that the prompt does not fit; an estimate near the limit is a warning."""
    return "error" if counted.exact or counted.count > MARGIN * room else "warning"


def place(case: RuleContext) -> Location:
    """The text that was counted."""
    return Location(role="prompt" if case.model_input and case.model_input.segments else "user")
