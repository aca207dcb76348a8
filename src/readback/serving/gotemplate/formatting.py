"""Values as text, the way Go's fmt prints them: %v and the other verbs, print, println and printf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from readback.serving.gotemplate import numbers_text
from readback.serving.gotemplate.numbers_text import Flags, padded
from readback.serving.gotemplate.quoting import can_backquote, quoted
from readback.serving.gotemplate.traced_text import HERE, Piece, decoded, encoded, pieces
from readback.serving.gotemplate.values import ABSENT, Byte, List, Map, Struct, Value, type_name

TEXTUAL = "vsxXq"  # verbs for which a value's own String method speaks
ADDRESS = 0xC000000000  # of a pointer inside a list: Ollama prints another one each time
PLAIN = Flags()
WHOLE = "dboOxX"
REAL = "vgGeEfFxXb"


def shown(value: Value, verb: str = "v", flags: Flags = PLAIN) -> str:
    """One argument of printf; a verb that does not suit prints Go's complaint in its place."""
    if value is None or value is ABSENT:
        return padded("<nil>", flags) if verb in "vT" else f"%!{verb}(<nil>)"
    if verb == "T":
        return padded(_truncated(type_name(value), flags), flags)
    if verb == "p":
        if not isinstance(value, List | Map) and not (isinstance(value, Struct) and value.pointer):
            return _bad(value, verb, flags)
        return numbers_text.whole(0 if value.nil else ADDRESS, "x", replace(flags, sharp=not flags.sharp))
    return "".join(_shown(value, verb, flags, 0))


def printed(values: Sequence[Value]) -> Iterator[Piece]:
    """`print`: a blank only between two neighbours that are both no texts."""
    for i, value in enumerate(values):
        if i and not isinstance(value, str) and not isinstance(values[i - 1], str):
            yield " ", HERE
        yield from _pieces(value)


def printed_line(values: Iterable[Value]) -> Iterator[Piece]:
    """`println`."""
    for i, value in enumerate(values):
        if i:
            yield " ", HERE
        yield from _pieces(value)
    yield "\n", HERE


def _pieces(value: Value) -> Iterable[Piece]:
    return pieces(value) if isinstance(value, str) else ((shown(value), written_by(value)),)


def written_by(value: Value) -> int | None:
    """The source of a value's printed form: the template itself, unless texts may be inside."""
    return None if isinstance(value, List | Map | Struct | str) else HERE


def _shown(value: Value, verb: str, flags: Flags, depth: int, complaining: bool = False) -> Iterator[str]:
    own = value.type.text if isinstance(value, List | Map | Struct) else None
    if own and not flags.sharp_v and not complaining and verb in TEXTUAL:
        yield _text(own(value), verb, flags) or ""
    elif verb == "w" and isinstance(value, List | Map | Struct):
        yield _bad(value, verb, flags)
    elif isinstance(value, str):
        said = _text(value, verb, flags)
        yield _bad(value, verb, flags) if said is None else said
    elif isinstance(value, bool):
        yield padded("true" if value else "false", flags) if verb in "tv" else _bad(value, verb, flags)
    elif isinstance(value, int):
        yield _whole(value, verb, flags)
    elif isinstance(value, float):
        yield numbers_text.real(value, verb, flags) if verb in REAL else _bad(value, verb, flags)
    elif isinstance(value, complex):
        yield _complex(value, verb, flags) if verb in REAL else _bad(value, verb, flags)
    elif isinstance(value, List) and isinstance(value.items, bytes) and verb in "sqxX":
        yield _text(decoded(value.items), verb, flags) or ""
    elif isinstance(value, List | Map):
        yield from _collection(value, verb, flags, depth, complaining)
    elif isinstance(value, Struct):
        yield from _struct(value, verb, flags, depth, complaining)
    elif flags.sharp_v:
        yield "interface {}(nil)"
    else:
        yield "<nil>"


def _text(value: str, verb: str, flags: Flags) -> str | None:
    if verb == "s" or (verb == "v" and not flags.sharp_v):
        return padded(_truncated(str(value), flags), flags)
    if verb in "qv":
        short = _truncated(str(value), flags)
        if flags.sharp and can_backquote(short):
            return padded(f"`{short}`", flags)
        return padded(quoted(short, flags.plus), flags)
    return _bytes(encoded(value), verb, flags) if verb in "xX" else None


def _truncated(value: str, flags: Flags) -> str:
    return value if flags.precision is None else value[: flags.precision]


def _bytes(data: bytes, verb: str, flags: Flags) -> str:
    """%x of a text: two digits a byte."""
    data = data if flags.precision is None else data[: flags.precision]
    if not data:
        return " " * (flags.width or 0) if not flags.zero or flags.minus else "0" * (flags.width or 0)
    prefix = ("0x" if flags.sharp else "") if verb == "x" else ("0X" if flags.sharp else "")
    digits = [format(byte, f"02{verb}") for byte in data]
    text = f" {prefix}".join(digits) if flags.space else "".join(digits)
    return padded(prefix + text, flags)


def _whole(value: int, verb: str, flags: Flags) -> str:
    if verb == "v":
        if flags.sharp_v and isinstance(value, Byte):
            return numbers_text.whole(value, "x", replace(flags, sharp=True))
        return numbers_text.whole(value, "d", flags)
    if verb in WHOLE:
        return numbers_text.whole(int(value), verb, flags)
    if verb == "c":
        return numbers_text.character(value, flags)
    if verb == "q":
        return numbers_text.quoted_character(value, flags)
    return numbers_text.code_point(value, flags) if verb == "U" else _bad(value, verb, flags)


def _complex(value: complex, verb: str, flags: Flags) -> str:
    imaginary = numbers_text.real(value.imag, verb, replace(flags, plus=True))
    return f"({numbers_text.real(value.real, verb, flags)}{imaginary}i)"


def _collection(value: List | Map, verb: str, flags: Flags, depth: int, complaining: bool) -> Iterator[str]:
    """[a b] and map[a:1 b:2]; as Go source with the type and braces."""
    go = flags.sharp_v
    if go and value.nil:
        yield f"{value.type.name}(nil)"
        return
    yield f"{value.type.name}{{" if go else "[" if isinstance(value, List) else "map["
    items: Iterable[tuple[str | None, Value]] = (
        sorted(value.items.items())
        if isinstance(value, Map)
        else ((None, Byte(one) if isinstance(value.items, bytes) else one) for one in value.items)
    )
    for i, (name, one) in enumerate(items):
        if i:
            yield ", " if go else " "
        if name is not None:
            yield from _shown(name, verb, flags, depth + 1, complaining)
            yield ":"
        yield from _shown(one, verb, flags, depth + 1, complaining)
    yield "}" if go else "]"


def _struct(value: Struct, verb: str, flags: Flags, depth: int, complaining: bool) -> Iterator[str]:
    if value.nil:
        yield _nil_pointer(value, verb, flags)
        return
    if value.pointer and depth:
        yield _address(value, verb, flags)
        return
    yield "&" * value.pointer + (value.type.name if flags.sharp_v else "") + "{"
    for i, name in enumerate(name for name, _, _ in value.type.fields):
        if i:
            yield ", " if flags.sharp_v else " "
        if flags.plus_v or flags.sharp_v:
            yield f"{name}:"
        yield from _shown(value.fields[name], verb, flags, depth + 1, complaining)
    yield "}"


def _bad(value: Value, verb: str, flags: Flags) -> str:
    """The complaint about a verb; the value inside is printed with the flags, but not by its own String method."""
    return f"%!{verb}({type_name(value)}={''.join(_shown(value, 'v', flags, 0, complaining=True))})"


def _nil_pointer(value: Struct, verb: str, flags: Flags) -> str:
    if verb == "v":
        return f"({type_name(value)})(nil)" if flags.sharp_v else padded("<nil>", flags)
    return numbers_text.whole(0, verb, flags) if verb in WHOLE else _bad(value, verb, flags)


def _address(value: Struct, verb: str, flags: Flags) -> str:
    """A pointer that is not followed."""
    if verb == "v":
        if flags.sharp_v:
            return f"({type_name(value)})({ADDRESS:#x})"
        return numbers_text.whole(ADDRESS, "x", replace(flags, sharp=not flags.sharp))
    return numbers_text.whole(ADDRESS, verb, flags) if verb in WHOLE else _bad(value, verb, flags)
