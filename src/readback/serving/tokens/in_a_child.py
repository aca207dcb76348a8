"""What every counter does that asks a bounded child: which question its texts become, and what the answer is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from readback.serving.tokens.token_pieces import Piece, Span

Work = Literal["counts", "shares", "cut"]


class InAChild(ABC):
    """A counter whose work is done elsewhere; `_ask` takes it there."""

    __slots__ = ()

    def count(self, text: str, *, special: bool = True) -> int:
        return self.counts((text,), special=special)[0]

    def counts(self, texts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        return tuple(self._ask("counts", list(texts), special)) if texts else ()

    def shares(self, parts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        return tuple(self._ask("shares", list(parts), special))

    def pieces(self, text: str, *, special: bool = True, within: Span | None = None) -> tuple[Piece, ...]:
        found = self._ask("cut", [text, *(within or (0, len(text)))], special)
        return tuple(Piece(start, end, tuple(ids), mark) for start, end, ids, mark in found)

    @abstractmethod
    def _ask(self, work: Work, about: Any, special: bool) -> Any:
        """The child's answer about texts."""
