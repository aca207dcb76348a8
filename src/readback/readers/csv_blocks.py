"""A large CSV or TSV file in blocks of whole records, as long as every line of it is a plain one.

What CSV means is decided in `csv_file` alone. This module only finds, by the bytes, the files in which nothing of that
needs deciding, so that their columns can be read at once; of any other file it says Irregular, and `csv_file` reads it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.readers.csv_file import separator
from readback.readers.lines import MOST_LINES, UTF8_MARK, is_utf8, marks
from readback.types import Diagnostic, Location

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


SIZE = 1 << 20  # bytes read at once
BLOCK = 4 << 20  # bytes that no record may exceed
TAIL = 4096  # bytes at the end in which empty lines may stand
BLANKS = (b" ", b"\t", b"\v", b"\f")  # a line that begins with one may hold nothing else


class Irregular(Exception):  # noqa: N818 - an outcome: such a file is read row by row
    """The file holds something that the row reader has to say something about, or reads in a way of its own."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole records: their bytes, how many, the line each begins in, and how their cells are written."""

    data: bytes
    rows: int
    lines: Any  # of numpy
    quoted: bool = False
    multiline: bool = False  # a cell holds a line end


@dataclass(slots=True)
class Plain:
    """One file whose cells need no repair: its header, then blocks of records.

    Plain is what `csv_file` reads silently on any line: no NUL, UTF-8, the same line end everywhere
    outside quotes, no empty lines but at the end, no rows of empty cells, and quotes only around whole cells. `size`
    tells blocks for tests.
    """

    path: Path
    file: str
    separator: str | None  # None: found by the header, as the row reader does
    size: int = SIZE
    names: tuple[str, ...] = ()
    done: int = 0  # bytes
    marked: Diagnostic | None = None
    windows: bool = False  # records end in CR LF
    ends: int = 0  # lines that end in CR LF, also inside cells
    first_end: int = 0  # the first of them
    line: int = 0  # lines so far

    def blocks(self) -> Iterator[Block]:
        """The records below the header, some megabytes at once. Raises Irregular, and OSError."""
        with self.path.open("rb") as stream:
            total = stream.seek(0, 2)
            tail = _at(stream, max(total - TAIL, 0))
            empty = tail[len(tail.rstrip(b"\r\n")) :]
            last = total - len(empty)
            stream.seek(0)
            self._header(stream.readline(BLOCK))
            rest = b""
            while (here := stream.tell()) < last:
                data = stream.read(min(self.size, last - here))
                found = rest + data
                quotes = Quotes(found) if b'"' in found else None
                cut = quotes.last_end() if quotes else found.rfind(b"\n") + 1
                if here + len(data) >= last:
                    cut = len(found)
                if len(data) == 0 or (not cut and len(rest) > BLOCK):
                    raise Irregular
                rest = found[cut:]
                if cut:
                    self.done = here + len(data) - len(rest)
                    yield self._quoted(quotes.upto(cut)) if quotes else self._plain(found[:cut])
            self._similar(empty)
            self._count(empty)

    def rows(self) -> int:
        """How many rows there can be at most. Raises OSError."""
        with self.path.open("rb") as stream:
            return outside(iter(lambda: stream.read(BLOCK), b""))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the row reader says of the whole file, once all of it is read."""
        crlf = Diagnostic("dat-crlf", {"lines": self.ends}, Location(file=self.file, line=self.first_end))
        return (*((self.marked,) if self.marked else ()), *((crlf,) if self.ends else ()))

    def _header(self, line: bytes) -> None:
        self.marked = marks(line, self.file)
        if self.marked:
            if not line.startswith(UTF8_MARK):
                raise Irregular
            line = line[len(UTF8_MARK) :]
        self.windows = line.endswith(b"\r\n")
        self.separator = self.separator or separator(line)
        read = self._quoted(Quotes(line)) if b'"' in line else self._plain(line)
        try:
            reader = csv.reader((read.data.decode(),), strict=True, delimiter=self.separator)
            names = next(reader, [])
        except csv.Error:
            raise Irregular from None
        if read.multiline or len(line) >= BLOCK or len(names) < 2 or len(set(names)) < len(names):
            raise Irregular
        if any(name != name.strip(" \t") for name in names):
            raise Irregular
        self.names = tuple(names)

    def _plain(self, block: bytes) -> Block:
        """Lines without quotes. Raises Irregular."""
        import numpy as np

        empty = b"\n\r\n" if self.windows else b"\n\n"
        blank = block.startswith((b"\n", b"\r", UTF8_MARK)) or empty in block  # a mark would be taken for the file's
        if self.separator == "\t":
            blank = blank or block.startswith(BLANKS) or any(b"\n" + one in block for one in BLANKS)
        else:
            blank = blank or _hollow(block, (self.separator or ",").encode())
        self._similar(block)
        self._check(block, blank)
        rows = block.count(b"\n") + (not block.endswith(b"\n"))
        lines = np.arange(self.line + 1, self.line + 1 + rows)
        self._count(block)
        return Block(block, rows, lines)

    def _quoted(self, quotes: Quotes) -> Block:
        """Records some of whose cells are in quotes. Raises Irregular."""
        import numpy as np

        regular = quotes.whole(self.separator or ",") and quotes.ends_alike(self.windows)
        begin = quotes.beginnings() if regular else b""
        blank = not regular or quotes.data.startswith(UTF8_MARK) or any(one in begin for one in (b"\n", b"\r"))
        if self.separator == "\t":
            blank = blank or any(one in begin for one in BLANKS)
        blank = blank or quotes.hollow(self.separator or ",")
        self._check(quotes.data, blank)
        lines = quotes.lines() + (self.line + 1)
        self._count(quotes.data)
        if quotes.multiline and np.diff(lines, append=self.line + 1).max() > MOST_LINES:
            raise Irregular
        return Block(quotes.data, len(lines), lines, quoted=True, multiline=quotes.multiline)

    def _similar(self, block: bytes) -> None:
        ends, returns = block.count(b"\n"), block.count(b"\r")
        if returns != (ends if self.windows else 0) or (returns and block.count(b"\r\n") != returns):
            raise Irregular

    def _check(self, block: bytes, odd: bool) -> None:
        if odd or b"\0" in block or not (block.isascii() or is_utf8(block)):
            raise Irregular

    def _count(self, block: bytes) -> None:
        """The lines of these bytes, and those of them that end in CR LF."""
        if ends := block.count(b"\r\n"):
            self.ends += ends
            self.first_end = self.first_end or self.line + 1 + block.count(b"\n", 0, block.find(b"\r\n"))
        self.line += block.count(b"\n")


def _hollow(block: bytes, separator: bytes) -> bool:
    """Whether a line holds nothing but separators and blanks; looked for only where one begins so."""
    begins = (separator, *BLANKS)
    if not block.startswith(begins) and not any(b"\n" + one in block for one in begins):
        return False
    return re.search(rb"(?m)^[%s \t\v\f]+\r?$" % re.escape(separator), block) is not None


def _at(stream: object, start: int) -> bytes:
    stream.seek(start)  # type: ignore[attr-defined]
    return bytes(stream.read())  # type: ignore[attr-defined]


# Where the quotes of some CSV records stand: around whole cells, as programs write them, or in a way of their own.


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
