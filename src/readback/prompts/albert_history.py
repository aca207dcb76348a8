"""The history of an Albert call: where its turns go, and which of them the program leaves out to keep to its budget.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and the program it describes. It counts words,
takes words × 1.25 for tokens, and leaves out two turns of the history at a time while that is more than 0.8 ×
`max_tokens`, until no turn is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from readback.prompts.program import Program
from readback.prompts.selections import SelectedTexts
from readback.serving.history import insert_history
from readback.types import Diagnostic, Location, Message, Record

PER_WORD = 1.25  # tokens: the program's own estimate
SHARE = 0.8  # of max_tokens that a prompt may take
OVER = "alb-over-budget"
CUT = "the program leaves out {turns} {word} of the history, down to about {left}"
UNCUT = "there is no turn of a history that the program could leave out, so the server cuts what does not fit"


class Sent(NamedTuple):
    """The messages that the program sends, and what is to be said of them."""

    messages: tuple[Message, ...]
    diagnostics: tuple[Diagnostic, ...]


def with_albert_history(
    messages: tuple[Message, ...], condition: SelectedTexts, sender: Program, record: Record
) -> Sent:
    """Return the messages with the record's history as the program of `sender` sends them."""
    history = record.fields.get("history")
    alone = sender.sends_text_alone(condition.model)
    whole, diagnostics = insert_history(messages, history, record.place, alone=alone, dialect=sender.dialect)
    if sender.dialect == "current":
        return Sent(whole, diagnostics)
    most = _most_tokens(condition, sender)
    if most is None or not _over(whole, most):
        return Sent(whole, diagnostics)
    kept, left = whole, history if isinstance(history, list) else []
    while left and _over(kept, most):
        left = left[2:]
        kept, _ = insert_history(messages, left, record.place, alone=alone, dialect=sender.dialect)
    return Sent(kept, (*diagnostics, _report(whole, kept, most)))


def _most_tokens(condition: SelectedTexts, sender: Program) -> int | None:
    """The mode's `max_tokens`, else the one at the top of the file; None where neither is a number above 0."""
    top = sender.config.max_tokens if sender.config else None
    stated: Any = condition.prompt.settings.get("max_tokens", top)
    if not isinstance(stated, int) or isinstance(stated, bool) or stated <= 0:
        return None
    return stated


def _over(messages: Sequence[Message], most: int) -> bool:
    return _words(messages) * PER_WORD > most * SHARE


def _words(messages: Sequence[Message]) -> int:
    return sum(len(message.text.split()) for message in messages)


def _report(whole: Sequence[Message], kept: Sequence[Message], most: int) -> Diagnostic:
    words = _words(whole)
    turns = len(whole) - len(kept)
    values: dict[str, Any] = {
        "words": words,
        "estimate": math.ceil(words * PER_WORD),
        "max_tokens": most,
        "budget": round(most * SHARE, 1),
        "turns": turns,
        "left": math.ceil(_words(kept) * PER_WORD),
    }
    word = "turn" if turns == 1 else "turns"
    values["cut"] = CUT.format(turns=turns, word=word, left=values["left"]) if turns else UNCUT
    return Diagnostic(OVER, values, Location(role="user"), str(most))
