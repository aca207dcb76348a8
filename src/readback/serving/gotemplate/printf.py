"""Go's printf: its verbs, flags, widths and explicit arguments, and its complaints inside the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readback.serving.gotemplate.formatting import shown, written_by
from readback.serving.gotemplate.numbers_text import Flags
from readback.serving.gotemplate.traced_text import HERE, Piece, Source, Told, pieces
from readback.serving.gotemplate.values import ABSENT, Value, type_name

LARGEST = 1_000_000  # the greatest width or precision that Go follows
NUMBER = re.compile(r"[0-9]+")


@dataclass(slots=True)
class _Reader:
    """The format and how far it is read; `arg` is the next argument's number, `good` false after a wrong index."""

    text: str
    args: Sequence[Value]
    at: int = 0
    arg: int = 0
    good: bool = True
    reordered: bool = False


def printf(text: str, args: Sequence[Value]) -> Iterator[Piece]:
    """The pieces of the formatted text; a %s or %v without width or precision keeps its text's own pieces."""
    source = text.pieces[0][1] if isinstance(text, Told) and len(text.pieces) == 1 else None
    reader = _Reader(str(text), args)
    while reader.at < len(reader.text):
        mark = reader.text.find("%", reader.at)
        end = len(reader.text) if mark < 0 else mark
        if end > reader.at:
            yield reader.text[reader.at : end], source
        if mark < 0:
            break
        reader.at = mark + 1
        yield from _verb(reader, source)
    if not reader.reordered and reader.arg < len(args):
        yield f"%!(EXTRA {', '.join(_extra(one) for one in args[reader.arg :])})", None


def _verb(reader: _Reader, source: Source) -> Iterator[Piece]:
    """One directive, read from behind its %."""
    flags, text = Flags(), reader.text
    reader.good = True
    names = {"#": "sharp", "0": "zero", "+": "plus", "-": "minus", " ": "space"}
    while reader.at < len(text) and text[reader.at] in names:
        setattr(flags, names[text[reader.at]], True)
        reader.at += 1
    indexed = _index(reader)
    if text[reader.at : reader.at + 1] == "*":
        indexed = False
        flags.width = _from_argument(reader)
        if flags.width is None:
            yield "%!(BADWIDTH)", HERE
        elif flags.width < 0:
            flags.width, flags.minus, flags.zero = -flags.width, True, False
    else:
        flags.width = _number(reader)
        reader.good = reader.good and not (indexed and flags.width is not None)
    if text[reader.at : reader.at + 1] == "." and reader.at + 1 < len(text):
        reader.at += 1
        reader.good = reader.good and not indexed
        indexed = _index(reader)
        if text[reader.at : reader.at + 1] == "*":
            indexed = False
            flags.precision = _from_argument(reader)
            if flags.precision is None or flags.precision < 0:
                flags.precision = None
                yield "%!(BADPREC)", HERE
        else:
            flags.precision = _number(reader) or 0
    if not indexed:
        _index(reader)
    if reader.at >= len(text):
        yield "%!(NOVERB)", HERE
        return
    verb = text[reader.at]
    reader.at += 1
    if verb == "%":
        yield "%", source
    elif not reader.good:
        yield f"%!{verb}(BADINDEX)", HERE
    elif reader.arg >= len(reader.args):
        yield f"%!{verb}(MISSING)", HERE
    else:
        yield from _argument(reader.args[reader.arg], verb, flags)
        reader.arg += 1


def _argument(value: Value, verb: str, flags: Flags) -> Iterator[Piece]:
    if verb in "vw":
        flags.sharp_v, flags.sharp = flags.sharp, False
        flags.plus_v, flags.plus = flags.plus, False
    plain = flags.width is None and flags.precision is None and not flags.sharp_v
    if isinstance(value, str) and verb in "sv" and plain:
        yield from pieces(value)
    else:
        yield shown(value, verb, flags), HERE if verb == "T" else written_by(value)


def _index(reader: _Reader) -> bool:
    """An explicit argument, `[2]`; whether there was one that could be read."""
    if reader.text[reader.at : reader.at + 1] != "[":
        return False
    reader.reordered = True
    close = reader.text.find("]", reader.at)
    inside = reader.text[reader.at + 1 : close] if close > 0 else ""
    reader.at = close + 1 if close > 0 and len(reader.text) - reader.at >= 3 else reader.at + 1
    number = int(inside) - 1 if NUMBER.fullmatch(inside) and len(inside) < 8 else None
    if number is not None and 0 <= number < len(reader.args):
        reader.arg = number
        return True
    reader.good = False
    return number is not None


def _number(reader: _Reader) -> int | None:
    found = NUMBER.match(reader.text, reader.at)
    if found is None:
        return None
    reader.at = found.end()
    if len(found[0].lstrip("0")) > 7:
        reader.at = len(reader.text)
        return None
    return int(found[0])


def _from_argument(reader: _Reader) -> int | None:
    """A width or precision that is the next argument (`*`); None where that is no fitting whole number."""
    reader.at += 1
    value = reader.args[reader.arg] if reader.arg < len(reader.args) else None
    reader.arg += reader.arg < len(reader.args)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
        return None
    return int(value)


def _extra(value: Value) -> str:
    return "<nil>" if value is None or value is ABSENT else f"{type_name(value)}={shown(value)}"
