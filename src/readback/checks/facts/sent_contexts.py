"""Which of a record's contexts are inside the texts that are sent, character by character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readback.checks.facts import stored_prompt
from readback.checks.facts.outside_contexts import standing
from readback.types import Prompt, Values


def picks(prompt: Prompt | None) -> bool:
    """Whether a template makes the prompt, and no builder that writes each context whole."""
    return prompt is not None and prompt.syntax != "builder"


def sent_contexts(fields: Values, texts: Sequence[str], picked: bool) -> tuple[tuple[int, bool | None], ...]:
    """The contexts by their number from 1, each with whether it is inside one of the texts; () without contexts.

    Contexts without a text are left out. None where it cannot be told: a context with several fields (`picked`), of
    which a template may send some.
    """
    _, listed = stored_prompt.contexts(fields) or ("", ())
    found: list[tuple[int, bool | None]] = []
    for number, one in enumerate(listed, 1):
        text = "" if one is None else str(one).strip()
        if text:
            unsure = picked and isinstance(one, Mapping)
            found.append((number, None if unsure else any(_there(sent, text) for sent in texts)))
    return tuple(found)


def _there(prompt: str, context: str) -> bool:
    """Whether a context is in a prompt character by character; the number in front of it may be left out there."""
    return context in prompt or any(
        prompt[start:end].endswith(stored_prompt.bare(context)) for start, end in standing(prompt, context)
    )
