"""INI files of records: a section for each, its name the id.

[ellery-01]
question = When is the lock manned?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from readback.extending import Blank, Diagnostic, Event, Location, Refused, Row

NAME = "ini"
SUFFIXES = (".ini",)


def rows(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Every section as a Row, from its head to the line before the next one; what is above the first is refused."""
    offset, begun, first, raw = 0, 0, 0, b""
    number = 0
    for number, line in enumerate(stream, 1):
        if line.startswith(b"["):
            if first:
                yield _row(raw, first, number - 1, begun, file)
            begun, first, raw = offset, number, line
        elif first:
            raw += line
        elif not line.strip():
            yield Blank(number, offset + len(line))
        else:
            yield Refused(_bad("no section begins above it", file, number), number, number, offset + len(line))
        offset += len(line)
    if first:
        yield _row(raw, first, number, begun, file)


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a section. Raises ValueError with the reason."""
    head, *lines = raw.decode("utf-8").splitlines()
    if not head.rstrip().endswith("]"):
        raise ValueError("the head of a section has no closing bracket")
    fields = {"id": head.strip().strip("[]")}
    for line in lines:
        if line.strip() and not line.startswith((";", "#")):
            key, equals, value = line.partition("=")
            if not equals:
                raise ValueError(f"neither key = value nor a comment: {line}")
            fields[key.strip()] = value.strip()
    return fields


def _row(raw: bytes, line: int, end_line: int, offset: int, file: str) -> Row | Refused:
    try:
        return Row(parse(raw, {}), line, end_line, offset, offset + len(raw), raw)
    except ValueError as error:
        return Refused(_bad(str(error), file, line), line, end_line, offset + len(raw))


def _bad(reason: str, file: str, line: int) -> Diagnostic:
    return Diagnostic("dat-bad-line", {"reason": reason}, Location(file=file, line=line))
