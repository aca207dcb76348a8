"""How many tokens texts have and where tokens meet, for the pages: counted once for everybody who looks."""

from __future__ import annotations

import hashlib
from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from readback import sandbox
from readback.html import exact
from readback.prompts import selections, token_counts
from readback.serving import tokens
from readback.serving.tokens import Counter, Piece, Span
from readback.types import Assembly, Segment, Selection
from readback.ui.common import address
from readback.ui.common.state import choice
from readback.words import t

KEEP = 512  # texts whose counts are remembered
KEEP_CUT = 32  # texts whose tokens are
VIEWS = ("messages", "wire")  # of Prompts, that draw tokens

Cut = Callable[[Span], tuple[Piece, ...]]


@dataclass(frozen=True, slots=True)
class Sized:
    """A text's tokens: how many, in words, and what cuts it where they meet (None: they are only estimated)."""

    words: str = ""
    cut: Cut | None = None


UNSIZED = Sized()


def counter(sent: Selection) -> Counter:
    """Return what counts tokens for the model that is sent to."""
    workspace = choice.workspace()
    return token_counts.load_counter(workspace, selections.find_model(workspace, sent))


def describe_size(number: int, by: Counter) -> str:
    """96 tokens, or 96 tokens (estimated)."""
    return t("tokens.tokens" if by.exact else "tokens.estimated", n=number)


def of_messages(assembly: Assembly) -> tuple[Sized, ...]:
    """Return the size of each message; alone, a special token is text like any other."""
    by = counter(assembly.choice)
    return tuple(
        Sized(describe_size(n, by), _cutter(message.text, by, special=False))
        for n, message in zip(count_messages(assembly), assembly.messages, strict=True)
    )


def count_messages(assembly: Assembly) -> tuple[int, ...]:
    """Count the tokens of each message alone."""
    by, texts = counter(assembly.choice), [message.text for message in assembly.messages]
    return _counted(repr(by), tuple(map(_digest, texts)), by, texts)


def of_model_input(segments: Sequence[Segment], assembly: Assembly) -> Sized:
    """Return the size of the text that the model reads, with its special tokens."""
    by, text = counter(assembly.choice), "".join(segment.text for segment in segments)
    return Sized(describe_size(sum(_shares(segments, by, special=True)), by), _cutter(text, by, special=True))


def drawn(cut: Cut | None, within: Span) -> tuple[exact.Token, ...]:
    """Return the tokens of a part of a text as they are drawn, counted from where the part begins.

    A text that begins twice with the same special token has a doubled beginning.
    """
    start, end = within
    tokens: list[exact.Token] = []
    before: Piece | None = None
    for number, piece in enumerate(cut(within) if cut else ()):
        doubled = (
            before is not None and piece.special and before.special and before.start == 0 and before.ids == piece.ids
        )
        if doubled:
            look = "doubled"
        elif piece.special:
            look = "special"
        elif number % 2:
            look = "odd"
        else:
            look = "even"
        tokens.append(
            exact.Token(max(0, piece.start - start), min(piece.end, end) - start, look, _describe_piece(piece, look))
        )
        before = piece
    return tuple(tokens)


def _describe_piece(piece: Piece, look: str) -> str:
    if not piece.ids:
        return t("tokens.none_here")
    ids = ", ".join(map(str, piece.ids))
    word = {"special": "id_special", "doubled": "id_doubled"}.get(look, "id")
    return t(f"tokens.{word}" if len(piece.ids) == 1 else "tokens.ids", ids=ids, n=len(piece.ids))


def by_look(read: Sequence[Segment], assembly: Assembly) -> Mapping[str, int]:
    """Return the tokens of each look in what the model reads, or where that is not known (empty) in its messages.

    A token that crosses a border counts where it begins.
    """
    tally, by = Tally[str](), counter(assembly.choice)
    for segments in (read,) if read else [message.segments for message in assembly.messages]:
        for segment, size in zip(segments, _shares(segments, by, special=bool(read)), strict=True):
            tally[exact.look(segment)] += size
    return tally


def describe_looks(read: Sequence[Segment], assembly: Assembly) -> Mapping[str, str]:
    """Return the tokens of each look, in words."""
    by = counter(assembly.choice)
    return {look: describe_size(number, by) for look, number in by_look(read, assembly).items()}


def switch(assembly: Assembly, view: str) -> None:
    """Draw the switch for tokens; greyed where they are only estimated, with its cure, and where none are drawn."""
    exactly, drawn_here = counter(assembly.choice).exact, view in VIEWS
    if exactly and drawn_here:
        help_key = "switch_help"
    elif exactly:
        help_key = "not_in_view"
    else:
        help_key = "needs_tokenizer"
    address.follow_switch("tokens")
    st.toggle(
        t("tokens.switch"),
        key="tokens",
        on_change=address.keep,
        args=("tokens",),
        disabled=not (exactly and drawn_here),
        help=t(f"tokens.{help_key}"),
    )


def _cutter(text: str, by: Counter, *, special: bool) -> Cut | None:
    if by.exact:
        return lambda within: _cut(repr(by), _digest(text), special, within, by, text)
    return None


def on() -> bool:
    """Whether tokens are drawn; the switch is on the page."""
    return st.query_params.get("tokens") == "1"


def _shares(segments: Sequence[Segment], by: Counter, *, special: bool) -> tuple[int, ...]:
    parts = [segment.text for segment in segments]
    return _shared(repr(by), tuple(_digest(part) for part in parts), special, by, parts)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _counted(name: str, digests: tuple[str, ...], _by: Counter, _texts: Sequence[str]) -> tuple[int, ...]:
    return tokens.count_each(_by, _texts)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _shared(name: str, digests: tuple[str, ...], special: bool, _by: Counter, _parts: Sequence[str]) -> tuple[int, ...]:
    try:
        return _by.count_by_part(_parts, special=special)
    except sandbox.Stopped:
        return (0,) * len(_parts)


@st.cache_resource(max_entries=KEEP_CUT, show_spinner=False)
def _cut(name: str, digest: str, special: bool, within: Span, _by: Counter, _text: str) -> tuple[Piece, ...]:
    try:
        return _by.split(_text, special=special, within=within)
    except sandbox.Stopped:
        return ()


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
