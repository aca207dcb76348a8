"""Format a text as Go's printf does, with its verbs, flags, widths, explicit arguments and complaints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readback.serving.gotemplate.formatting import find_source, format_value
from readback.serving.gotemplate.numbers_text import Flags
from readback.serving.gotemplate.traced_text import ACTION, Piece, Source, TracedText, list_pieces
from readback.serving.gotemplate.values import Value, is_missing, name_type

LARGEST = 1_000_000  # the greatest width or precision that Go follows
NUMBER = re.compile(r"[0-9]+")


@dataclass(slots=True)
class _Reader:
    """Hold the format and how far it is read.

    `arg` is the number of the next argument; `good` is false after a wrong index.
    """

    text: str
    args: Sequence[Value]
    position: int = 0
    arg: int = 0
    is_valid: bool = True
    reordered: bool = False


def format_text(text: str, args: Sequence[Value]) -> Iterator[Piece]:
    """Yield the pieces of the formatted text.

    A text under %s or %v without width or precision keeps its own pieces.
    """
    if isinstance(text, TracedText) and len(text.pieces) == 1:
        source = text.pieces[0][1]
    else:
        source = None
    reader = _Reader(str(text), args)
    while reader.position < len(reader.text):
        mark = reader.text.find("%", reader.position)
        end = len(reader.text) if mark < 0 else mark
        if end > reader.position:
            yield reader.text[reader.position : end], source
        if mark < 0:
            break
        reader.position = mark + 1
        yield from _format_directive(reader, source)
    if not reader.reordered and reader.arg < len(args):
        extra = ", ".join(_format_extra(value) for value in args[reader.arg :])
        yield f"%!(EXTRA {extra})", None


def _format_directive(reader: _Reader, source: Source) -> Iterator[Piece]:
    """Yield the pieces for one directive, read from behind its %."""
    flags, text = Flags(), reader.text
    reader.is_valid = True
    names = {"#": "sharp", "0": "zero", "+": "plus", "-": "minus", " ": "space"}
    while reader.position < len(text) and text[reader.position] in names:
        setattr(flags, names[text[reader.position]], True)
        reader.position += 1
    indexed = _read_index(reader)
    if text[reader.position : reader.position + 1] == "*":
        indexed = False
        flags.width = _read_star(reader)
        if flags.width is None:
            yield "%!(BADWIDTH)", ACTION
        elif flags.width < 0:
            flags.width, flags.minus, flags.zero = -flags.width, True, False
    else:
        flags.width = _read_number(reader)
        reader.is_valid = reader.is_valid and not (indexed and flags.width is not None)
    if text[reader.position : reader.position + 1] == "." and reader.position + 1 < len(text):
        reader.position += 1
        reader.is_valid = reader.is_valid and not indexed
        indexed = _read_index(reader)
        if text[reader.position : reader.position + 1] == "*":
            indexed = False
            flags.precision = _read_star(reader)
            if flags.precision is None or flags.precision < 0:
                flags.precision = None
                yield "%!(BADPREC)", ACTION
        else:
            flags.precision = _read_number(reader) or 0
    if not indexed:
        _read_index(reader)
    if reader.position >= len(text):
        yield "%!(NOVERB)", ACTION
        return
    verb = text[reader.position]
    reader.position += 1
    if verb == "%":
        yield "%", source
    elif not reader.is_valid:
        yield f"%!{verb}(BADINDEX)", ACTION
    elif reader.arg >= len(reader.args):
        yield f"%!{verb}(MISSING)", ACTION
    else:
        yield from _format_argument(reader.args[reader.arg], verb, flags)
        reader.arg += 1


def _format_argument(value: Value, verb: str, flags: Flags) -> Iterator[Piece]:
    if verb in "vw":
        flags.sharp_v, flags.sharp = flags.sharp, False
        flags.plus_v, flags.plus = flags.plus, False
    plain = flags.width is None and flags.precision is None and not flags.sharp_v
    if isinstance(value, str) and verb in "sv" and plain:
        yield from list_pieces(value)
    else:
        yield format_value(value, verb, flags), ACTION if verb == "T" else find_source(value)


def _read_index(reader: _Reader) -> bool:
    """Read an explicit argument such as `[2]`; return whether there was a readable one."""
    if reader.text[reader.position : reader.position + 1] != "[":
        return False
    reader.reordered = True
    close = reader.text.find("]", reader.position)
    if close > 0:
        inside = reader.text[reader.position + 1 : close]
    else:
        inside = ""
    if close > 0 and len(reader.text) - reader.position >= 3:
        reader.position = close + 1
    else:
        reader.position = reader.position + 1
    if NUMBER.fullmatch(inside) and len(inside) < 8:
        number = int(inside) - 1
    else:
        number = None
    if number is not None and 0 <= number < len(reader.args):
        reader.arg = number
        return True
    reader.is_valid = False
    return number is not None


def _read_number(reader: _Reader) -> int | None:
    match = NUMBER.match(reader.text, reader.position)
    if match is None:
        return None
    reader.position = match.end()
    if len(match[0].lstrip("0")) > 7:
        reader.position = len(reader.text)
        return None
    return int(match[0])


def _read_star(reader: _Reader) -> int | None:
    """Return the width or precision that `*` takes from the next argument; None if it does not fit."""
    reader.position += 1
    if reader.arg < len(reader.args):
        value = reader.args[reader.arg]
    else:
        value = None
    reader.arg += reader.arg < len(reader.args)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
        return None
    return int(value)


def _format_extra(value: Value) -> str:
    if is_missing(value):
        return "<nil>"
    return f"{name_type(value)}={format_value(value)}"
