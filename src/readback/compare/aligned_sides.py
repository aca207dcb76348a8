"""Bring two sides into a form that can be held against each other: what a model was trained on, as text or messages."""

from __future__ import annotations

from dataclasses import replace

from readback.compare.side import Form, Shown
from readback.prompts.messages import compute_fingerprint
from readback.types import Message


def matched(a: Shown, b: Shown) -> tuple[Shown, Shown]:
    """Both sides in forms that can be compared.

    Beside what the model reads, a training text ends where the answer begins; beside messages, its own messages
    stand, which no template has touched yet.
    """
    layers = {a.side.layer, b.side.layer}
    if layers == {"training", "wire"}:
        return formed(a, "prompt"), formed(b, "prompt")
    if layers == {"training", "messages"}:
        return formed(a, "messages"), formed(b, "messages")
    return a, b


def formed(shown: Shown, form: Form) -> Shown:
    """A side that shows what was trained on, in this form; its messages where no template is known. Others stay."""
    known = shown.trained
    if known is None or known.messages is None:
        return shown
    if known.missing == "template":
        form = "messages"
    messages: tuple[Message, ...]
    if form == "messages":
        messages = known.messages.messages
    else:
        text = known.text.segments if known.text else ()
        segments = known.prompt if form == "prompt" else text
        messages = (Message("prompt", segments),) if segments else ()
    mark = compute_fingerprint(messages) if messages else ""
    return replace(shown, messages=messages, fingerprint=mark, form=form)
