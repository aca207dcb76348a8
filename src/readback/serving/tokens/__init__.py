"""Count the tokens of a text, and find where each of them begins and ends.

    load_counter("qwen3", root) -> (Counter, diagnostics)   a table by its name, the path of a tokenizer.json, or None

The text that a model reads is counted with its special tokens, each as one token (`special=True`). A single message is
plain text: `<|im_start|>` in it counts as six ordinary tokens. Without a tokenizer the count is an estimate, bytes ÷ 4,
and everything that shows it says so. Tables and files are read and used in the sandbox; inside it, where the audit
works, directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from readback import sandbox
from readback.serving.tokens import estimate, named_tokenizers, tokenizer_json
from readback.serving.tokens.named_tokenizers import is_table as is_table
from readback.serving.tokens.token_pieces import Piece as Piece
from readback.serving.tokens.token_pieces import Span as Span
from readback.serving.tokens.tokenizer_json import locate_file as locate_file
from readback.types import NOWHERE, Diagnostic, Location, Model, Tokens

UNREADABLE = "srv-tokenizer-unreadable"
NAMES = tuple(named_tokenizers.TABLES)


class Counter(Protocol):
    """Count tokens.

    The methods raise sandbox.Stopped for a text that exceeds the limits of a child.
    """

    @property
    def name(self) -> str:
        """Return the name of the tokenizer as pages show it."""
        ...

    @property
    def exact(self) -> bool:
        """Return whether the count is that of the tokenizer itself."""
        ...

    @property
    def by_bytes(self) -> bool:
        """Return whether no text has more tokens than bytes."""
        ...

    def count_each(self, texts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        """Return the number of tokens of each text."""
        ...

    def count_by_part(self, parts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        """Return the number of tokens of the joined parts, each counted to the part in which it begins."""
        ...

    def split(self, text: str, *, special: bool = True, within: Span | None = None) -> tuple[Piece, ...]:
        """Split the text where tokens meet (only `within` some characters); empty where the count is an estimate."""
        ...

    def surely_fits(self, text: str, room: int) -> bool:
        """Return whether the text has so few bytes that it cannot have more tokens than `room`."""
        ...

    def count(self, text: str, *, special: bool = True) -> int:
        """Return the number of tokens of one text."""
        ...


def load_counter(
    tokenizer: str | None, root: Path, place: Location = NOWHERE
) -> tuple[Counter, tuple[Diagnostic, ...]]:
    """Return the counter for `tokenizer`: the name of a table, or the path below `root` of a tokenizer.json.

    For an unusable tokenizer the result is the estimate and a diagnostic with the reason and the cure, at `place`.
    """
    if tokenizer is None:
        return estimate.Estimate(), ()
    exact_counter: Counter | tuple[str, str]
    if named_tokenizers.is_table(tokenizer):
        exact_counter = named_tokenizers.load_counter(tokenizer)
    else:
        exact_counter = tokenizer_json.load_counter(tokenizer, root)
    if isinstance(exact_counter, tuple):
        reason, cure = exact_counter
        values = {"tokenizer": tokenizer, "reason": reason, "cure": cure}
        return estimate.Estimate(), (Diagnostic(UNREADABLE, values, place, tokenizer),)
    return exact_counter, ()


def count_tokens(counter: Counter, *texts: str, special: bool = True) -> Tokens:
    """Return the number of tokens of the texts one after the other, and what counted them.

    Texts that take a tokenizer too long are estimated.
    """
    try:
        return Tokens(sum(counter.count_each(texts, special=special)), counter.name, counter.exact)
    except sandbox.Stopped:
        return count_tokens(estimate.Estimate(), *texts)


def count_each(counter: Counter, texts: Sequence[str], *, special: bool = False) -> tuple[int, ...]:
    """Return the number of tokens of each text; estimated where they take a tokenizer too long.

    Special tokens count as ordinary text unless `special`.
    """
    try:
        return counter.count_each(texts, special=special)
    except sandbox.Stopped:
        return estimate.Estimate().count_each(texts)


def count_within(
    model: Model | None, texts: Sequence[str], root: Path, room: int | None, *, special: bool = True
) -> Tokens:
    """Return the count as far as it matters to `room`: no tokenizer is used where bytes prove that the texts fit.

    Without a room a table counts, but a tokenizer file, which is slow, does not.
    """
    tokenizer = model.tokenizer if model else None
    if room is None and tokenizer is not None and not is_table(tokenizer):
        return count_tokens(estimate.Estimate(), *texts)
    model_counter, _ = load_counter(tokenizer, root)
    if room is not None and model_counter.surely_fits("".join(texts), room):
        return count_tokens(estimate.Estimate(), *texts)
    return count_tokens(model_counter, *texts, special=special)


def list_shared_tables(models: Iterable[Model]) -> tuple[str, ...]:
    """Return what children that count for these models load once and share, for `sandbox.stream`: the tables."""
    if not named_tokenizers.is_installed():
        return ()
    tokenizers = {model.tokenizer for model in models if model.tokenizer}
    return tuple(
        sorted({named_tokenizers.name_loading(name) for name in tokenizers if named_tokenizers.is_table(name)})
    )
