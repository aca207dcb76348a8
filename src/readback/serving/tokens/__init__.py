"""Count the tokens of a text, and say where each of them begins and ends.

    counter("qwen3", root) -> (Counter, diagnostics)      a table by its name, the path of a tokenizer.json, or None

What a text reads to a model is counted with its special tokens, each one token (`special=True`). A message looked at
alone is text: there `<|im_start|>` is six tokens like any other six. Without a tokenizer the count is an estimate,
bytes ÷ 4, and everything that shows it says so. Tables and files are read and used in the bounded child; in a child,
where the audit works, at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from readback import sandbox
from readback.serving.tokens import estimate, named_tokenizers, tokenizer_json
from readback.serving.tokens.named_tokenizers import known as known
from readback.serving.tokens.token_pieces import Piece as Piece
from readback.serving.tokens.token_pieces import Span as Span
from readback.serving.tokens.tokenizer_json import file as file
from readback.types import NOWHERE, Diagnostic, Location, Model, Tokens

UNREADABLE = "srv-tokenizer-unreadable"
NAMES = tuple(named_tokenizers.TABLES)


class Counter(Protocol):
    """What counts tokens. `exact`: as the tokenizer itself does; `by_bytes`: no text has more tokens than bytes.

    Its methods raise cell.Stopped for a text that takes more than the limits of a child.
    """

    @property
    def name(self) -> str: ...
    @property
    def exact(self) -> bool: ...
    @property
    def by_bytes(self) -> bool: ...
    def counts(self, texts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        """The tokens of each text."""
        ...

    def shares(self, parts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        """The tokens of the parts' joined text, each counted to the part in which it begins."""
        ...

    def pieces(self, text: str, *, special: bool = True, within: Span | None = None) -> tuple[Piece, ...]:
        """The text cut where tokens meet (those `within` some characters); nothing where the count is an estimate."""
        ...

    def surely_fits(self, text: str, room: int) -> bool:
        """Whether the text has so few bytes that it cannot have more tokens than `room`."""
        ...

    def count(self, text: str, *, special: bool = True) -> int:
        """The tokens of one text."""
        ...


def counter(tokenizer: str | None, root: Path, place: Location = NOWHERE) -> tuple[Counter, tuple[Diagnostic, ...]]:
    """What counts under `tokenizer`: the name of a table, or the path below `root` of a tokenizer.json.

    A tokenizer that cannot be used gives the estimate and a diagnostic with the reason and the cure, at `place`.
    """
    if tokenizer is None:
        return estimate.Estimate(), ()
    found = (
        named_tokenizers.counter(tokenizer)
        if named_tokenizers.known(tokenizer)
        else tokenizer_json.counter(tokenizer, root)
    )
    if isinstance(found, tuple):
        reason, cure = found
        values = {"tokenizer": tokenizer, "reason": reason, "cure": cure}
        return estimate.Estimate(), (Diagnostic(UNREADABLE, values, place, tokenizer),)
    return found, ()


def of(model: Model | None, text: str, root: Path) -> Tokens:
    """How many tokens the text that a model reads has, by the model's own tokenizer where it names one."""
    found, _ = counter(model.tokenizer if model else None, root)
    return tokens(found, text)


def tokens(by: Counter, *texts: str, special: bool = True) -> Tokens:
    """The count of the texts one after the other, with what counted; what takes a tokenizer too long is estimated."""
    try:
        return Tokens(sum(by.counts(texts, special=special)), by.name, by.exact)
    except sandbox.Stopped:
        return tokens(estimate.Estimate(), *texts)


def counts(by: Counter, texts: Sequence[str], *, special: bool = False) -> tuple[int, ...]:
    """The tokens of texts, by themselves unless `special`; those that take a tokenizer too long are estimated."""
    try:
        return by.counts(texts, special=special)
    except sandbox.Stopped:
        return estimate.Estimate().counts(texts)


def bounded(model: Model | None, texts: Sequence[str], root: Path, room: int | None, *, special: bool = True) -> Tokens:
    """The count as far as it matters to `room`: no tokenizer is asked where bytes prove that the texts fit.

    Without a room a table counts, and a tokenizer file, which is slow, does not.
    """
    named = model.tokenizer if model else None
    if room is None and named is not None and not known(named):
        return tokens(estimate.Estimate(), *texts)
    found, _ = counter(named, root)
    if room is not None and found.surely_fits("".join(texts), room):
        return tokens(estimate.Estimate(), *texts)
    return tokens(found, *texts, special=special)


def shared(models: Iterable[Model]) -> tuple[str, ...]:
    """What children that count for these models share, for `cell.stream`: the tables."""
    named = {model.tokenizer for model in models if model.tokenizer and named_tokenizers.known(model.tokenizer)}
    return tuple(sorted({named_tokenizers.shared(name) for name in named})) if named_tokenizers.there() else ()
