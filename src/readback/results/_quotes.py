"""Where the quotes of some CSV records stand: around whole cells, as programs write them, or in a way of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

QUOTE, LINE_FEED, RETURN = b'"'[0], 10, 13


class Quotes:
    """Some bytes that begin with a record. What is after an odd number of quotes is inside a cell.

    So it is in a cell in which a quote is written twice, too: the two of them count for nothing.
    """

    __slots__ = ("_at", "_bytes", "_ends", "_inside", "data")

    def __init__(self, data: bytes) -> None:
        import numpy as np

        self.data = data
        self._bytes = np.frombuffer(data, np.uint8)
        self._at = np.flatnonzero(self._bytes == QUOTE)
        self._ends = np.flatnonzero(self._bytes == LINE_FEED)
        self._inside = self._within(self._ends)

    def _within(self, places: Any) -> Any:
        import numpy as np

        return np.searchsorted(self._at, places) & 1 == 1

    def last_end(self) -> int:
        """Where the last whole record ends; 0 where none does."""
        ends = self._ends[~self._inside]
        return int(ends[-1]) + 1 if len(ends) else 0

    def upto(self, cut: int) -> Quotes:
        """The same for the bytes before `cut`."""
        return self if cut == len(self.data) else Quotes(self.data[:cut])

    @property
    def multiline(self) -> bool:
        """Whether a cell holds a line end."""
        return bool(self._inside.any())

    def whole(self, separator: str) -> bool:
        """Whether each cell in quotes begins and ends with its quotes, and the last one ends."""
        import numpy as np

        if len(self._at) % 2:
            return False
        opened, closed = self._at[::2], self._at[1::2]
        bounds = np.frombuffer(f"{separator}\n".encode(), np.uint8)
        twice = np.zeros(len(opened), bool)
        twice[1:] = opened[1:] == closed[:-1] + 1  # the second of two, which are one in the cell
        begins = twice | (opened == 0) | np.isin(self._bytes[opened - 1], bounds)
        after = closed + 1
        there = after < len(self._bytes)
        following = self._bytes[after[there]]
        ends = np.isin(following, bounds) | (following == QUOTE) | (following == RETURN)
        return bool(begins.all() and ends.all())

    def ends_alike(self, windows: bool) -> bool:
        """Whether outside of cells every line ends in CR LF (`windows`), or none holds a CR."""
        import numpy as np

        returns = np.flatnonzero(self._bytes == RETURN)
        returns = returns[~self._within(returns)] if len(returns) else returns
        ends = self._ends[~self._inside] - 1
        return bool(np.array_equal(returns, ends)) if windows else not len(returns)

    def beginnings(self) -> bytes:
        """The first byte of every record."""
        return bytes(self._bytes[self._starts()])

    def hollow(self, separator: str) -> bool:
        """Whether a record may hold nothing but empty cells: none of its bytes is anything else than can be in those.

        Only records are looked at that begin so: with a separator, a blank, or a quote that another or a blank follows.
        """
        import numpy as np

        starts = self._starts()
        nothing = f"{separator} \t\r\n\v\f".encode()
        first, second = self._bytes[starts], self._bytes[np.minimum(starts + 1, len(self._bytes) - 1)]
        within = np.frombuffer(b'" \t\r\n\v\f', np.uint8)
        maybe = np.isin(first, np.frombuffer(nothing, np.uint8)) | ((first == QUOTE) & np.isin(second, within))
        ends = np.r_[starts[1:], len(self._bytes)]
        pairs = zip(starts[maybe].tolist(), ends[maybe].tolist(), strict=True)
        return any(not self.data[start:end].translate(None, nothing + b'"') for start, end in pairs)

    def _starts(self) -> Any:
        """Where each record begins."""
        import numpy as np

        starts = np.r_[0, self._ends[~self._inside] + 1]
        return starts[starts < len(self._bytes)]

    def lines(self) -> Any:
        """The line in which each record begins, from 0."""
        import numpy as np

        starts = np.r_[0, np.flatnonzero(~self._inside) + 1]
        if not len(self._ends) or self._ends[-1] != len(self._bytes) - 1 or self._inside[-1]:
            return starts
        return starts[:-1]


def outside(parts: Iterable[bytes]) -> int:
    """How many line ends are outside of quotes in the bytes of a file, given in parts."""
    inside = found = 0
    for part in parts:
        if b'"' not in part:
            found += 0 if inside else part.count(b"\n")
            continue
        pieces = part.split(b'"')
        found += b"".join(pieces[inside::2]).count(b"\n")
        inside = (inside + len(pieces) - 1) % 2
    return found
