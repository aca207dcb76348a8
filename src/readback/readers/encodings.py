"""Decode a file of rows whose encoding somebody states into UTF-8; nothing is ever decoded by a guess."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from readback.types import Diagnostic, Location

# What may be stated, and Python's name of it. UTF-8 is what is read without a statement.
ENCODINGS = {
    "utf-8": "utf-8",
    "utf-16": "utf-16",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1252": "cp1252",
    "iso-8859-1": "iso8859-1",
    "iso-8859-15": "iso8859-15",
}
NAMES = {"utf-16": "UTF-16", "windows-1252": "Windows-1252"}  # those that bytes can look like, as people write them
CHUNK = 1 << 20
HEAD = 4096  # bytes that tell which byte of UTF-16 comes first where no mark says it
LITTLE, BIG = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
MARKS = {LITTLE: "utf-16", BIG: "utf-16", codecs.BOM_UTF8: "utf-8"}
NO_UTF16 = "it is stated to be UTF-16, but has no byte-order mark, and no byte at its beginning is 0"
CUT = "it ends within a character of UTF-16"


def needs_decoding(encoding: str | None) -> bool:
    """Return whether a stated encoding is another one than what is read anyhow."""
    return encoding is not None and encoding != "utf-8"


def find_encoding_name(looks: object) -> str:
    """Return the name under which an encoding that a finding speaks of may be stated; "" where there is none."""
    name = str(looks).lower()
    return name if name in ENCODINGS else ""


def decode_head(head: bytes, encoding: str) -> bytes:
    """Return the beginning of a file in UTF-8; bytes that are no text in its encoding stay as they are."""
    decoder = _choose_decoder(encoding, head)
    return head if isinstance(decoder, str) else _encode(decoder.decode(head), encoding)


def make_decoding_step(encoding: str) -> Callable[[Path, BinaryIO, str], Iterator[int | Diagnostic]]:
    """Return the step that writes a file of that encoding as UTF-8, line by line what it was.

    It yields how many bytes are done, and a Diagnostic where the file is not in the encoding. A byte that stands for
    no character is written as it is, so that whoever reads the line refuses it and says where it is.
    """

    def decode(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
        with path.open("rb") as source:
            data = source.read(CHUNK)
            decoder = _choose_decoder(encoding, data[:HEAD])
            if isinstance(decoder, str):
                yield Diagnostic("dat-bad-line", {"reason": decoder}, Location(file=file, line=1))
                return
            while data:
                out.write(_encode(decoder.decode(data), encoding))
                yield source.tell()
                data = source.read(CHUNK)
            try:
                out.write(_encode(decoder.decode(b"", True), encoding))
            except UnicodeDecodeError:
                yield Diagnostic("dat-bad-line", {"reason": CUT}, Location(file=file))

    return decode


def _choose_decoder(encoding: str, head: bytes) -> codecs.IncrementalDecoder | str:
    """Return what decodes a file that begins with `head`, or why it is not in that encoding."""
    marked = next((name for mark, name in MARKS.items() if head.startswith(mark)), encoding)
    if marked != encoding:
        return f"it is stated to be {encoding}, but begins with the byte-order mark of {marked}"
    if encoding != "utf-16":
        return codecs.getincrementaldecoder(ENCODINGS[encoding])("surrogateescape")
    if head.startswith((LITTLE, BIG)):
        return codecs.getincrementaldecoder("utf-16")("surrogatepass")
    first, second = head[0::2].count(0), head[1::2].count(0)
    if first == second:
        return NO_UTF16
    return codecs.getincrementaldecoder("utf-16-be" if first > second else "utf-16-le")("surrogatepass")


def _encode(text: str, encoding: str) -> bytes:
    """Return a text in UTF-8; what is no character becomes bytes that no reader takes for UTF-8."""
    return text.encode("utf-8", "surrogatepass" if encoding == "utf-16" else "surrogateescape")
