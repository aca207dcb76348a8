"""Decode a file before its rows are read: unpack gzip, and turn another encoding than UTF-8 into UTF-8.

The encoding is the one that somebody states. Where nobody does, a file is read as UTF-16 if its byte-order mark or the
zeros in every second byte show it, and as Windows-1252 if it is not UTF-8, none of its bytes is a letter of UTF-8, and
each is a letter or a sign of print in Windows-1252. That is always reported, with what states the encoding.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from readback.readers.files.text_file import guess_encoding
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
CODE = "dat-encoding-guessed"
LOOKED_AT = 64 << 20  # bytes in which the first letter outside of ASCII is searched
ESCAPED = re.compile("[\udc80-\udcff]")
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
NO_UTF16 = "it is stated to be UTF-16, but has no byte-order mark, and no byte at its beginning is 0"
CUT = "it ends within a character of UTF-16"


def needs_decoding(encoding: str | None) -> bool:
    """Return whether a stated encoding is another one than what is read anyhow."""
    return encoding is not None and encoding != "utf-8"


def find_encoding_name(looks: object) -> str:
    """Return the name under which an encoding that a finding speaks of may be stated; "" where there is none."""
    name = str(looks).lower()
    if name in ENCODINGS:
        return name
    return ""


def decode_head(head: bytes, encoding: str) -> bytes:
    """Return the beginning of a file in UTF-8; bytes that are no text in its encoding stay as they are."""
    decoder = _choose_decoder(encoding, head)
    if isinstance(decoder, str):
        return head
    return _encode(decoder.decode(head), encoding)


@dataclass(frozen=True, slots=True)
class GuessedEncoding:
    """The encoding that the bytes of a file show, and by what; `is_certain` where no other one is possible."""

    encoding: str
    reason: str
    is_certain: bool = False


def guess_file_encoding(head: bytes, path: Path | None) -> GuessedEncoding | None:
    """Return the encoding of a text that begins with `head`, if it is not UTF-8; None also where it cannot be told.

    Of a file whose beginning is plain ASCII, `path`, the first other letters are searched further down.
    """
    if head.startswith((LITTLE, BIG)):
        return GuessedEncoding("utf-16", "its byte-order mark", is_certain=True)
    if _has_zeros_in_turn(head[:HEAD]):
        return GuessedEncoding("utf-16", "every second byte is 0")
    is_whole = path is not None and path.stat().st_size <= len(head)
    if head.isascii() and path and not is_whole:
        head = _find_letters(path, len(head))
    # a letter that the end of the head cuts in two is no fault
    text = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode(head, is_whole)
    wrong = ESCAPED.findall(text)
    if not wrong or any(not sign.isascii() and not ESCAPED.match(sign) for sign in set(text)):
        return None
    if guess_encoding(head) != "Windows-1252":
        return None
    return GuessedEncoding("windows-1252", f"byte 0x{ord(wrong[0]) - 0xDC00:02x} is no UTF-8")


def _has_zeros_in_turn(head: bytes) -> bool:
    """Tell whether every second byte is 0 and no other one: ASCII letters in UTF-16."""
    even, odd = head[0::2], head[1::2]
    return len(head) > 3 and ((not any(even) and 0 not in odd) or (not any(odd) and 0 not in even))


def _find_letters(path: Path, offset: int) -> bytes:
    """Return the first part of a file with letters beyond ASCII; nothing of one without any."""
    with path.open("rb") as file:
        file.seek(offset)
        while offset < LOOKED_AT and (data := file.read(CHUNK)):
            if not data.isascii():
                first = BEYOND_ASCII.search(data)
                return data[first.start() if first else 0 :] + file.read(CHUNK)
            offset += len(data)
    return b""


def make_decoding_step(
    encoding: str, guess: GuessedEncoding | None = None
) -> Callable[[Path, BinaryIO, str], Iterator[int | Diagnostic]]:
    """Return the step that writes a file of that encoding as UTF-8, line by line what it was.

    It yields how many bytes are done, and a Diagnostic where the file is not in the encoding. A byte that stands for
    no character is written as it is, so that whoever reads the line refuses it and says where it is.
    """

    def decode(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
        if guess:
            yield report_guess(guess, file)
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


def report_guess(guess: GuessedEncoding, file: str) -> Diagnostic:
    """Return the diagnostic that a file is read in an encoding that nobody stated."""
    values = {"encoding": NAMES[guess.encoding], "option": guess.encoding, "why": guess.reason}
    return Diagnostic(CODE, values, Location(file=file), severity="info" if guess.is_certain else None)


def find_guessed_encoding(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the encoding in which a file with these diagnostics is read and that nobody stated; "" for none."""
    return next((str(each.values["option"]) for each in diagnostics if each.code == CODE), "")


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


BUDGET = 2 << 30  # bytes that come out: 20 MB of gzip can hold 20 GB
RATIO = 200  # times the bytes of the file, where that is less: rows of text are packed to a tenth, rarely a fiftieth
LEAST = 64 << 20  # bytes that may come out of any file, for small files of equal rows are packed well
GZIP = 31  # zlib: a gzip header, the largest window


def budget_of(size: int) -> int:
    """Return how many bytes may come out of a packed file of that size."""
    return min(BUDGET, max(LEAST, RATIO * size))


def unpack(path: Path, out: BinaryIO, file: str, budget: int | None = None) -> Iterator[int | Diagnostic]:
    """Write what `path` holds to `out`; yields how many bytes of `path` were read, and a Diagnostic at an early end.

    Without a `budget` so much comes out as `budget_of` allows.

    What came out before a fault is kept. Raises OSError when the file cannot be read or `out` not written.
    """
    if budget is None:
        budget = budget_of(path.stat().st_size)
    left = budget
    packer = zlib.decompressobj(wbits=GZIP)
    with path.open("rb") as source:
        data = source.read(CHUNK)
        while data:
            try:
                text = packer.decompress(data, CHUNK)
            except zlib.error as error:
                yield Diagnostic("dat-bad-line", {"reason": f"not gzip from here on ({error})"}, Location(file=file))
                return
            out.write(text[:left])
            left -= len(text)
            if left < 0:
                yield Diagnostic("dat-limit", {"what": "unpacked bytes", "limit": budget}, Location(file=file))
                return
            data = packer.unconsumed_tail or packer.unused_data.lstrip(b"\0") or source.read(CHUNK)
            if packer.eof and data:  # gzip files may be joined, and padded with zeros
                packer = zlib.decompressobj(wbits=GZIP)
            yield source.tell()
    if not packer.eof:
        yield Diagnostic("dat-bad-line", {"reason": "the packed data end too early"}, Location(file=file))
