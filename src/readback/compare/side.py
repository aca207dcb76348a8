"""One of two sides that are compared: what is sent, for which record, in which layer, from which files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from readback.prompts.selections import Variant
from readback.prompts.training_text import TrainedText
from readback.types import Assembly, Diagnostic, Message, Selection

Layer = Literal["messages", "wire", "training"]
Form = Literal["", "text", "prompt", "messages"]  # of what was trained on: all of its text, up to the answer, messages
LAYERS: tuple[Layer, ...] = ("messages", "wire", "training")


class SideError(Exception):
    """A side cannot be shown; its text is a sentence that says why."""


class NoRowError(SideError):
    """The layer is known, but not for this record: other records may have it."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is compared. `record` is an id and goes before `index`; without both the caller's record is meant.

    `workspace` is another folder or file, `rev` a revision of git of it; `options` replace those of its file.
    """

    choice: Selection
    record: str | None = None
    index: int | None = None
    layer: Layer = "messages"
    workspace: str | None = None
    rev: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A side with its messages; in the layer `wire` one message of the role "prompt".

    `assembly` is what the messages come from, in the layer `training` the training messages. There, `trained` is all
    that is known, and `form` says what of it is shown: the text a model was trained on, as one message "prompt", or
    its messages where no template is known for them. `variants` are the named options that made the text.
    `system_unknown` says why it is not known which system message the model gets, where none of `messages` is one.
    """

    side: Side
    messages: tuple[Message, ...]
    fingerprint: str
    assembly: Assembly | None
    diagnostics: tuple[Diagnostic, ...]
    label: str
    trained: TrainedText | None = None
    variants: tuple[Variant, ...] = ()
    form: Form = ""
    system_unknown: str | None = None

    @property
    def title(self) -> str:
        """The label, and what is shown of what was trained on: condition x, layer training (ChatML, assumed)."""
        return f"{self.label} ({_form(self.trained, self.form)})" if self.trained and self.form else self.label


def label(side: Side, record: str | None = None) -> str:
    """A side in words: condition hybrid, record 12, condition4 standard. `record`: the one that the side came to."""
    chosen = side.choice
    parts = [(name, getattr(chosen, name)) for name in ("condition", "mode", "task", "adapter", "judge")]
    said = side.record if side.record is not None else side.index
    parts += [("record", said if record is None else record), *side.options]
    parts += [("layer", None if side.layer == "messages" else side.layer)]
    parts += [("workspace", side.workspace), ("revision", side.rev)]
    return ", ".join(f"{name} {value}" for name, value in parts if value is not None)


def _form(known: TrainedText, form: Form) -> str:
    if form == "messages" or known.template is None:
        return "its messages" + (": no training template is known" if known.missing == "template" else "")
    assumed = ", assumed" if known.template.basis == "assumed" else ""
    return f"{known.template.name}{assumed}{', up to the answer' if form == 'prompt' else ''}"
