"""The system message of one model in all its places, and which of them is the odd one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from readback.checks.facts.stated_texts import list_system_texts
from readback.types import Location, Message, Model, Workspace

Kind = Literal["training", "typed", "row", "modelfile", "configuration", "format", "sent"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A place that states a model's system message; `text` is None where it could and states none.

    `same`: it is the text that most places have. `at` is the first character, from 0, in which it parts from that.
    `blanks`: they differ in white space only.
    """

    kind: Kind
    text: str | None
    place: Location
    same: bool = True
    at: int = 0
    blanks: bool = False


def system_places(
    workspace: Workspace, model: Model, *, trained: Message | None = None, sent: Message | None = None
) -> tuple[Stated, ...]:
    """Every place that states a model's system message, training first; held against the text that most of them have.

    `trained` is the system message of the training row in view, `sent` that of what is sent of the record in view.
    """
    statements = tuple(_list_statements(workspace, model, trained, sent))
    texts = Counter(statement.text for statement in statements if statement.text)
    if not texts:
        return statements
    usual = max(texts, key=lambda text: texts[text])  # of equal numbers the first: training goes before the others
    return tuple(_compare(statement, usual) for statement in statements)


def _list_statements(
    workspace: Workspace, model: Model, trained: Message | None, sent: Message | None
) -> Iterator[Stated]:
    stated = list_system_texts(workspace, model)
    yield from (
        Stated(system_text.source, system_text.text, system_text.place)
        for system_text in stated
        if system_text.source in ("training", "typed")
    )
    if trained and all(
        system_text.text != trained.text
        for system_text in stated
        if system_text.source in ("training", "typed", "format")
    ):
        yield Stated("row", trained.text, _place(trained))
    yield from (
        Stated(system_text.source, system_text.text, system_text.place)
        for system_text in stated
        if system_text.source not in ("training", "typed")
    )
    if model.modelfile and not model.modelfile.system:
        yield Stated("modelfile", None, model.modelfile.place)
    if sent:
        yield Stated("sent", sent.text, _place(sent))


def _place(message: Message) -> Location:
    return next((segment.place for segment in message.segments if segment.place.file), Location())


def _compare(statement: Stated, usual: str) -> Stated:
    text = statement.text or ""
    if text == usual:
        return statement
    pairs = zip(text, usual, strict=False)
    at = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(text), len(usual)))
    return Stated(
        statement.kind, statement.text, statement.place, False, at, bool(text) and text.split() == usual.split()
    )
