"""A large CSV or TSV file in blocks of whole lines, as long as every line of it is a plain one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from readback.formats._lines import UTF8_MARK, is_utf8, marks
from readback.formats.csv_file import separator
from readback.types import Note, Place

SIZE = 1 << 20  # bytes read at once
BLOCK = 4 << 20  # bytes that no line may exceed
TAIL = 4096  # bytes at the end in which empty lines may stand
BLANKS = (b" ", b"\t", b"\v", b"\f")  # a line that begins with one may hold nothing else


class Irregular(Exception):  # noqa: N818 - an outcome: such a file is read row by row
    """The file holds something that the row reader has to say something about, or reads in a way of its own."""


@dataclass(slots=True)
class Plain:
    """One file whose cells need no quotes: its header, then blocks of lines.

    Plain is what `formats.csv_file` reads as lines cut at the separator, without a word on any of them: no quotes, no
    NUL, UTF-8, the same line end everywhere, no empty lines but at the end. `size` tells blocks for tests.
    """

    path: Path
    file: str
    separator: str | None  # None: found by the header, as the row reader does
    size: int = SIZE
    names: tuple[str, ...] = ()
    done: int = 0  # bytes
    marked: Note | None = None
    windows: bool = False  # lines end in CR LF
    ends: int = 0

    def blocks(self) -> Iterator[bytes]:
        """The lines below the header, some megabytes at once. Raises Irregular, and OSError."""
        with self.path.open("rb") as stream:
            total = stream.seek(0, 2)
            tail = _at(stream, max(total - TAIL, 0))
            empty = tail[len(tail.rstrip(b"\r\n")) :]
            last = total - len(empty)
            stream.seek(0)
            self._header(stream.readline(BLOCK))
            self.ends += self._ends(empty)
            rest = b""
            while (here := stream.tell()) < last:
                data = stream.read(min(self.size, last - here))
                cut = data.rfind(b"\n") + 1 if here + len(data) < last else len(data)
                if len(data) == 0 or (not cut and len(rest) > BLOCK):
                    raise Irregular
                if cut:
                    self.done = here + cut
                    yield self._checked(rest + data[:cut])
                    rest = b""
                rest += data[cut:]

    def rows(self) -> int:
        """How many rows there can be at most. Raises OSError."""
        with self.path.open("rb") as stream:
            return sum(block.count(b"\n") for block in iter(lambda: stream.read(BLOCK), b""))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the row reader says of the whole file, once all of it is read."""
        crlf = Note("dat-crlf", {"lines": self.ends}, Place(file=self.file, line=1))
        return (*((self.marked,) if self.marked else ()), *((crlf,) if self.windows else ()))

    def _header(self, line: bytes) -> None:
        self.marked = marks(line, self.file)
        if self.marked:
            if not line.startswith(UTF8_MARK):
                raise Irregular
            line = line[len(UTF8_MARK) :]
        self.windows = line.endswith(b"\r\n")
        self.separator = self.separator or separator(line)
        names = self._checked(line).decode().removesuffix("\n").removesuffix("\r").split(self.separator)
        if len(line) >= BLOCK or len(names) < 2 or len(set(names)) < len(names):
            raise Irregular
        self.names = tuple(names)

    def _checked(self, block: bytes) -> bytes:
        """The same bytes. Raises Irregular."""
        empty = b"\n\r\n" if self.windows else b"\n\n"
        blank = block.startswith((b"\n", b"\r", UTF8_MARK)) or empty in block  # a mark would be taken for the file's
        if self.separator == "\t":
            blank = blank or block.startswith(BLANKS) or any(b"\n" + one in block for one in BLANKS)
        self.ends += self._ends(block)
        if blank or b'"' in block or b"\0" in block or not (block.isascii() or is_utf8(block)):
            raise Irregular
        return block

    def _ends(self, block: bytes) -> int:
        ends = block.count(b"\n")
        returns = block.count(b"\r")
        if returns != (ends if self.windows else 0) or (returns and block.count(b"\r\n") != returns):
            raise Irregular
        return ends


def _at(stream: object, start: int) -> bytes:
    stream.seek(start)  # type: ignore[attr-defined]
    return bytes(stream.read())  # type: ignore[attr-defined]
