"""Send the work of a counter to a child of the sandbox and read its answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

from readback.serving.tokens.token_pieces import Piece, Span

Work = Literal["count_each", "count_by_part", "split"]


class ChildCounter(ABC):
    """Count in a child of the sandbox; subclasses implement `_ask`."""

    __slots__ = ()

    def count(self, text: str, *, special: bool = True) -> int:
        """Return the number of tokens of one text."""
        return self.count_each((text,), special=special)[0]

    def count_each(self, texts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        """Return the number of tokens of each text."""
        if texts:
            return tuple(self._ask("count_each", list(texts), special))
        return ()

    def count_by_part(self, parts: Sequence[str], *, special: bool = True) -> tuple[int, ...]:
        """Return the number of tokens that begin in each part."""
        return tuple(self._ask("count_by_part", list(parts), special))

    def split(self, text: str, *, special: bool = True, within: Span | None = None) -> tuple[Piece, ...]:
        """Split the text where tokens meet."""
        pieces = self._ask("split", [text, *(within or (0, len(text)))], special)
        return tuple(Piece(start, end, tuple(ids), is_special) for start, end, ids, is_special in pieces)

    @abstractmethod
    def _ask(self, work: Work, question: Any, special: bool) -> Any:
        """Return the child's answer about texts."""
