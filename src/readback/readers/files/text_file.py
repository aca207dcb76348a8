"""Read a text file whole or line by line, in bounded time and memory, or say why it cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from readback.types import Diagnostic, Location

BOM = b"\xef\xbb\xbf"
WIDE_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
HEAD = 8192  # bytes in which a binary file shows itself


def read_text(path: Path, file: str, limit: int = 1 << 20) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """Read the text of `path`, called `file` in diagnostics: UTF-8 without its byte-order mark, line ends kept.

    None when it is missing, no regular file, larger than `limit` bytes, or not UTF-8 text; the diagnostics say which.
    """
    data = read_bytes(path, file, limit)
    if isinstance(data, Diagnostic):
        return None, (data,)
    marked = data.startswith(BOM)
    diagnostics = (Diagnostic("dat-bom", {}, Location(file=file, line=1)),) if marked else ()
    text = _decode(data.removeprefix(BOM), file)
    if isinstance(text, Diagnostic):
        return None, (*diagnostics, text)
    if count := text.count("\r\n"):
        first = text[: text.index("\r\n")].count("\n") + 1
        diagnostics = (*diagnostics, Diagnostic("dat-crlf", {"lines": count}, Location(file=file, line=first)))
    return text, diagnostics


def read_bytes(path: Path, file: str, limit: int) -> bytes | Diagnostic:
    """Read the bytes of a regular file no larger than `limit`. Pipes and devices are not even opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return _report_missing(file, "it is a folder" if path.is_dir() else "it is not a regular file")
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode):  # swapped since we looked
                return _report_missing(file, "it is not a regular file")
            data = opened.read(limit + 1)
    except (OSError, ValueError) as error:
        return _report_missing(file, (getattr(error, "strerror", None) or "not a path").lower())
    if len(data) > limit:
        values = {"what": "the file", "size": max(status.st_size, len(data)), "limit": limit}
        return Diagnostic("dat-too-large", values, Location(file=file))
    return data


def read_head(path: Path, size: int = 1 << 20) -> bytes:
    """Return the first bytes of a file, or none: whoever reads it whole says what is wrong with it."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _report_missing(file: str, reason: str) -> Diagnostic:
    return Diagnostic("dat-file-missing", {"path": file, "reason": reason}, Location(file=file), file)


def _decode(data: bytes, file: str) -> str | Diagnostic:
    if looks := _guess_kind(data):
        at = data.index(0) if looks == "binary" else 0
        values = {
            "byte": f"0x{data[at]:02x}",
            "count": data.count(0) if looks == "binary" else 1,
            "looks": looks,
            "lines": "",
            "option": "",
        }
        return Diagnostic("dat-encoding", values, Location(file=file, line=data[:at].count(b"\n") + 1))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode("utf-8")) + 1
        place = Location(file=file, line=before.count(b"\n") + 1, column=column)
        return Diagnostic(
            "dat-encoding",
            {
                "byte": f"0x{data[error.start]:02x}",
                "count": _count_wrong_bytes(data),
                "looks": guess_encoding(data),
                "lines": "",
                "option": "",
            },
            place,
        )
    if "\0" in text:
        place = Location(file=file, line=text[: text.index("\0")].count("\n") + 1)
        return Diagnostic(
            "dat-encoding",
            {"byte": "0x00", "count": text.count("\0"), "looks": "binary", "lines": "", "option": ""},
            place,
        )
    return text


def _guess_kind(data: bytes) -> str:
    """Return what the first bytes show the file to be instead of UTF-8 text; "" when they show nothing."""
    if mark := WIDE_MARKS.get(data[:2]):
        return mark
    head = data[:HEAD]
    zeros = head.count(0)
    if zeros and zeros * 3 > len(head) and (not any(head[0::2]) or not any(head[1::2])):
        return "UTF-16"
    if zeros:
        return "binary"
    return ""


def _count_wrong_bytes(data: bytes) -> int:
    return data.decode("utf-8", "replace").count("\ufffd") - data.count("\ufffd".encode())


LONGEST = 16 << 20  # bytes of one line or record; longer ones are refused without being held
MOST_LINES = 100_000  # lines of one record: one that is never closed, over short lines, would fill the memory
FIRST_BLOCK = 1 << 16  # bytes of the first block: of many files only the beginning is looked at
BUFFER = 1 << 20  # bytes that are read at once: of the 8 KB that Python takes, a long line needs several
SHOWN = 60  # characters of the first comment in its note
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Line(NamedTuple):
    """One line: its number, its first byte, the byte after it (LF included), and its bytes with the line end.

    `data` is None for a line that is too long; one that is not `whole` does not end in LF.
    """

    number: int
    offset: int
    end: int
    data: bytes | None
    whole: bool = True


def read_lines(stream: BinaryIO, longest: int = LONGEST, number: int = 0, offset: int = 0) -> Iterator[Line]:
    """Every line of `stream`, which is at byte `offset`, below line `number`; the last one need not end in LF."""
    while data := stream.readline(longest + 2):
        number += 1
        end = offset + len(data)
        if len(data) > longest + 1 and not data.endswith(b"\n"):
            while data and not data.endswith(b"\n"):
                data = stream.readline(BUFFER)
                end += len(data)
            yield Line(number, offset, end, None, data.endswith(b"\n"))
        else:
            yield Line(number, offset, end, data, data.endswith(b"\n"))
        offset = end


class Block(NamedTuple):
    """Whole lines of a stream: their bytes, the number of the first one, and its offset."""

    data: bytes
    line: int
    offset: int

    def split(self) -> Iterator[Line]:
        """Yield the lines of the block."""
        return read_lines(BytesIO(self.data), number=self.line - 1, offset=self.offset)


def read_blocks(stream: BinaryIO) -> Iterator[Block | Line]:
    """Yield the whole stream in blocks of whole lines; a line that is too long comes alone, and is never held."""
    rest = b""
    line, offset = 1, 0
    size = FIRST_BLOCK
    while data := rest + stream.read(size):
        size = BUFFER
        while b"\n" not in data and (more := stream.readline(min(BUFFER, LONGEST + 2 - len(data)))):
            data += more
        end = data.rfind(b"\n") + 1 or len(data)
        if end > LONGEST + 1 and not data.endswith(b"\n"):
            end += _skip_line(stream)
            yield Line(line, offset, offset + end, None)
            line += 1
        else:
            yield Block(data[:end], line, offset)
            line += data.count(b"\n", 0, end)
        rest = data[end:]
        offset += end


def _skip_line(stream: BinaryIO) -> int:
    """Read up to the end of the line and return how many bytes that were."""
    size = 0
    while data := stream.readline(BUFFER):
        size += len(data)
        if data.endswith(b"\n"):
            break
    return size


def strip_line_end(line: bytes) -> bytes:
    """Return a line without its LF and the CR before it."""
    if line.endswith(b"\n"):
        line = line[:-1]
    if line.endswith(b"\r"):
        return line[:-1]
    return line


def report_too_long(file: str, line: int, size: int) -> Diagnostic:
    """Return the diagnostic for a line or record above the bound."""
    return Diagnostic(
        "dat-too-large", {"what": "one record", "size": size, "limit": LONGEST}, Location(file=file, line=line)
    )


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def report_not_utf8(data: bytes, file: str, line: int, column: int = 1) -> Diagnostic:
    """Return the diagnostic for bytes that are not UTF-8: the place of the first one, and their number."""
    text = data.decode("utf-8", "surrogateescape")
    wrong = [at for at, letter in enumerate(text) if "\udc80" <= letter <= "\udcff"]
    before = text[: wrong[0]]
    below = before.count("\n")
    if below:
        column = len(before) - before.rfind("\n")
    else:
        column = column + len(before)
    place = Location(file=file, line=line + below, column=column)
    byte = f"0x{ord(text[wrong[0]]) - 0xDC00:02x}"
    return Diagnostic(
        "dat-encoding",
        {"byte": byte, "count": len(wrong), "looks": guess_encoding(data), "lines": "", "option": ""},
        place,
    )


def guess_encoding(data: bytes) -> str:
    """Return the encoding that bytes which are not UTF-8 look like: Windows-1252 where each of them is then a letter or
    a sign of print inside text; "" where that cannot be told.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    plain = all(sign.isprintable() or sign in "\r\n\t" for sign in text)
    ascii_part = sum(sign.isascii() for sign in text)
    if plain and 2 * ascii_part >= len(text):
        return "Windows-1252"
    return ""


def report_mark(head: bytes, file: str) -> Diagnostic | None:
    """Return the diagnostic for a byte-order mark at the start of a file: UTF-8 (skipped) or UTF-16 (not read)."""
    place = Location(file=file, line=1, column=1)
    if head.startswith(UTF8_MARK):
        return Diagnostic("dat-bom", {}, place)
    if head.startswith(UTF16_MARKS):
        return Diagnostic(
            "dat-encoding",
            {"byte": f"0x{head[0]:02x}", "count": 1, "looks": "UTF-16", "lines": "", "option": ""},
            place,
        )
    return None


@dataclass(slots=True)
class Comments:
    """Counts the lines that are taken for comments, for one diagnostic."""

    count: int = 0
    line: int = 0
    first: str = ""

    def see(self, number: int, data: bytes) -> None:
        """Count one line of comments."""
        if not self.count:
            self.line, self.first = number, data.decode("utf-8", "replace").strip()[:SHOWN]
        self.count += 1

    def report(self, file: str) -> Iterator[Diagnostic]:
        """Yield the diagnostic if there were comments."""
        if self.count:
            values = {"lines": self.count, "first": self.first}
            yield Diagnostic("dat-comment-lines", values, Location(file=file, line=self.line))


@dataclass(slots=True)
class Ends:
    """Counts the lines that end in CR LF, for one diagnostic at the end."""

    count: int = 0
    first: int = 0

    def see(self, line: Line) -> None:
        """Count one line."""
        if line.data is not None and line.data.endswith(b"\r\n"):
            self.add(1, line.number)

    def add(self, count: int, first: int) -> None:
        """Count lines that end in CR LF; `first` is the number of the first of them."""
        self.count += count
        self.first = self.first or first

    def report(self, file: str) -> Iterator[Diagnostic]:
        """Yield the diagnostic if any line ends in CR LF."""
        if self.count:
            yield Diagnostic("dat-crlf", {"lines": self.count}, Location(file=file, line=self.first))
