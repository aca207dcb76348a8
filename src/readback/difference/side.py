"""One of two sides that are compared: what is sent, for which record, in which layer, from which files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from readback.types import Assembly, Choice, Message, Note

Layer = Literal["messages", "wire", "training"]
LAYERS: tuple[Layer, ...] = ("messages", "wire", "training")


class SideError(Exception):
    """A side cannot be shown; its text is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is compared. `record` is an id and goes before `index`; without both the caller's record is meant.

    `workspace` is another folder or file, `rev` a revision of git of it; `options` replace those of its file.
    """

    choice: Choice
    record: str | None = None
    index: int | None = None
    layer: Layer = "messages"
    workspace: str | None = None
    rev: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A side with its messages; in the layer `wire` one message of the role "prompt".

    `assembly` is what the messages come from, in the layer `training` the training messages.
    """

    side: Side
    messages: tuple[Message, ...]
    fingerprint: str
    assembly: Assembly | None
    notes: tuple[Note, ...]
    label: str


def label(side: Side, record: str | None = None) -> str:
    """A side in words: condition hybrid, record 12, condition4 standard. `record`: the one that the side came to."""
    chosen = side.choice
    parts = [(name, getattr(chosen, name)) for name in ("condition", "mode", "task", "adapter", "judge")]
    said = side.record if side.record is not None else side.index
    parts += [("record", said if record is None else record), *side.options]
    parts += [("layer", None if side.layer == "messages" else side.layer)]
    parts += [("workspace", side.workspace), ("revision", side.rev)]
    return ", ".join(f"{name} {value}" for name, value in parts if value is not None)
