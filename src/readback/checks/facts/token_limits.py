"""Find how many tokens fit into a prompt, and weigh a count of tokens against it."""

from __future__ import annotations

from readback.checks.facts import conditions
from readback.checks.facts.albert_modes import find_albert_mode
from readback.serving.limits import CONTEXT, Limit, find_limit, find_ollama_limit, find_training_limit
from readback.types import Location, Model, RuleContext, Severity, Tokens

__all__ = ["CONTEXT", "Limit", "find_limit", "find_ollama_limit", "find_training_limit"]

MARGIN = 1.2  # an estimate above this times the room is surely over it: bytes ÷ 4 is 17 % too much in 1 of 100 prompts


def find_model(case: RuleContext) -> Model | None:
    """Return the model of the case's condition.

    None for a judge, and for an Albert mode with a budget, which shortens the messages itself.
    """
    if conditions.is_for_judge(case) or conditions.find_condition(case) is None:
        return None
    mode = find_albert_mode(case)
    if mode and mode.max_tokens:
        return None
    return conditions.find_model(case)


def find_exceeded_window(case: RuleContext) -> Limit | None:
    """Return what Ollama is configured to read, if the prompt has more tokens than that."""
    limit = find_ollama_limit(find_model(case))
    if limit and case.tokens and case.tokens.count > limit.context:
        return limit
    return None


def weigh(tokens: Tokens, room: int) -> Severity:
    """Return error if the prompt surely does not fit; warning if an estimate is near the limit."""
    if tokens.exact or tokens.count > MARGIN * room:
        return "error"
    return "warning"


def locate_text(case: RuleContext) -> Location:
    """Return the place of the text that was counted."""
    return Location(role="prompt" if case.model_input and case.model_input.segments else "user")
