"""Read a text file as it is, or say why not, in bounded time and memory."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from readback.readers.lines import guess_encoding
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
    return "binary" if zeros else ""


def _count_wrong_bytes(data: bytes) -> int:
    return data.decode("utf-8", "replace").count("\ufffd") - data.count("\ufffd".encode())
