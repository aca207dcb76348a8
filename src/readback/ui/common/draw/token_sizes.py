"""How many tokens texts have and where tokens meet, for the pages: counted once for everybody who looks."""

from __future__ import annotations

import hashlib
from collections import Counter as Tally
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from readback import sandbox
from readback.html import exact
from readback.prompts import token_counts
from readback.serving import tokens
from readback.serving.tokens import Counter, Piece, Span
from readback.types import Assembly, Segment, Selection
from readback.ui.common import address
from readback.ui.common.state import choice
from readback.words import t

KEEP = 512  # texts whose counts are remembered
KEEP_CUT = 32  # texts whose tokens are
VIEWS = ("messages", "wire")  # of Messages, that draw tokens

Cut = Callable[[Span], tuple[Piece, ...]]


@dataclass(frozen=True, slots=True)
class Sized:
    """A text's tokens: how many, in words, and what cuts it where they meet (None: they are only estimated)."""

    said: str = ""
    cut: Cut | None = None


UNSIZED = Sized()


def counter(sent: Selection) -> Counter:
    """What counts for the model that is sent to."""
    workspace = choice.workspace()
    return token_counts.load_counter(workspace, token_counts.find_model(workspace, sent))


def said(number: int, by: Counter) -> str:
    """96 tokens, or 96 tokens (estimated)."""
    return t("tokens.tokens" if by.exact else "tokens.estimated", n=number)


def of_messages(made: Assembly) -> tuple[Sized, ...]:
    """The size of each message; alone, a special token is text like any other."""
    by, texts = counter(made.choice), [message.text for message in made.messages]
    sizes = _counted(repr(by), tuple(map(_digest, texts)), by, texts)
    return tuple(Sized(said(n, by), _cutter(text, by, special=False)) for n, text in zip(sizes, texts, strict=True))


def of_model_input(segments: Sequence[Segment], made: Assembly) -> Sized:
    """The size of the text that the model reads, with its special tokens."""
    by, text = counter(made.choice), "".join(segment.text for segment in segments)
    return Sized(said(sum(_shares(segments, by, special=True)), by), _cutter(text, by, special=True))


def drawn(cut: Cut | None, within: Span) -> tuple[exact.Token, ...]:
    """The tokens of a part of a text as they are drawn, counted from where the part begins.

    A text that begins twice with the same special token has a doubled beginning.
    """
    start, end = within
    made: list[exact.Token] = []
    before: Piece | None = None
    for number, piece in enumerate(cut(within) if cut else ()):
        doubled = (
            before is not None and piece.special and before.special and before.start == 0 and before.ids == piece.ids
        )
        look = "doubled" if doubled else "special" if piece.special else "odd" if number % 2 else "even"
        made.append(exact.Token(max(0, piece.start - start), min(piece.end, end) - start, look, _told(piece, look)))
        before = piece
    return tuple(made)


def _told(piece: Piece, look: str) -> str:
    if not piece.ids:
        return t("tokens.none_here")
    ids = ", ".join(map(str, piece.ids))
    word = {"special": "id_special", "doubled": "id_doubled"}.get(look, "id")
    return t(f"tokens.{word}" if len(piece.ids) == 1 else "tokens.ids", ids=ids, n=len(piece.ids))


def by_look(read: Sequence[Segment], made: Assembly) -> Mapping[str, int]:
    """The tokens of each look in what the model reads, or where that is not known (empty) in its messages.

    A token that crosses a border counts where it begins.
    """
    found, by = Tally[str](), counter(made.choice)
    for segments in (read,) if read else [message.segments for message in made.messages]:
        for segment, size in zip(segments, _shares(segments, by, special=bool(read)), strict=True):
            found[exact.look(segment)] += size
    return found


def told(read: Sequence[Segment], made: Assembly) -> Mapping[str, str]:
    """The tokens of each look, in words."""
    by = counter(made.choice)
    return {look: said(number, by) for look, number in by_look(read, made).items()}


def switch(made: Assembly, view: str) -> None:
    """The switch that draws tokens; greyed where they are only estimated, with its cure, and where none are drawn."""
    exactly, drawn_here = counter(made.choice).exact, view in VIEWS
    said = "switch_help" if exactly and drawn_here else "not_in_view" if exactly else "needs_tokenizer"
    address.follow_switch("tokens")
    st.toggle(t("tokens.switch"), key="tokens", on_change=address.keep, args=("tokens",),
              disabled=not (exactly and drawn_here), help=t(f"tokens.{said}"))  # fmt: skip


def _cutter(text: str, by: Counter, *, special: bool) -> Cut | None:
    return (lambda within: _cut(repr(by), _digest(text), special, within, by, text)) if by.exact else None


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
