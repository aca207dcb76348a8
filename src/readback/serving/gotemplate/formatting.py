"""Write values as text the way Go's fmt does: %v and the other verbs, print and println."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from readback.serving.gotemplate import numbers_text
from readback.serving.gotemplate.numbers_text import Flags, pad
from readback.serving.gotemplate.quoting import can_backquote, quote_text
from readback.serving.gotemplate.traced_text import ACTION, Piece, decode_bytes, encode_text, list_pieces
from readback.serving.gotemplate.values import Byte, List, Map, Struct, Value, is_missing, name_type

STRING_VERBS = "vsxXq"  # verbs that call a value's String method
ADDRESS = 0xC000000000  # stands for the address of a pointer inside a list: Ollama prints another one each time
PLAIN = Flags()
INTEGER_VERBS = "dboOxX"
FLOAT_VERBS = "vgGeEfFxXb"


def format_value(value: Value, verb: str = "v", flags: Flags = PLAIN) -> str:
    """Return one argument of printf as text; an unsuitable verb gives Go's complaint in its place."""
    if is_missing(value):
        if verb in "vT":
            return pad("<nil>", flags)
        return f"%!{verb}(<nil>)"
    if verb == "T":
        return pad(_truncate(name_type(value), flags), flags)
    if verb == "p":
        if not isinstance(value, List | Map) and not (isinstance(value, Struct) and value.pointer):
            return _complain(value, verb, flags)
        return numbers_text.format_integer(0 if value.nil else ADDRESS, "x", replace(flags, sharp=not flags.sharp))
    return "".join(_format(value, verb, flags, 0))


def print_values(values: Sequence[Value]) -> Iterator[Piece]:
    """Yield what `print` writes: a blank only between two neighbours of which neither is a text."""
    for i, value in enumerate(values):
        if i and not isinstance(value, str) and not isinstance(values[i - 1], str):
            yield " ", ACTION
        yield from _print_value(value)


def print_line(values: Iterable[Value]) -> Iterator[Piece]:
    """Yield what `println` writes."""
    for i, value in enumerate(values):
        if i:
            yield " ", ACTION
        yield from _print_value(value)
    yield "\n", ACTION


def _print_value(value: Value) -> Iterable[Piece]:
    if isinstance(value, str):
        return list_pieces(value)
    return ((format_value(value), find_source(value)),)


def find_source(value: Value) -> int | None:
    """Return the source of a value's printed form: the template itself, unless texts may be inside."""
    if isinstance(value, List | Map | Struct | str):
        return None
    return ACTION


def _format(value: Value, verb: str, flags: Flags, depth: int, complaining: bool = False) -> Iterator[str]:
    if isinstance(value, List | Map | Struct):
        to_string = value.type.text
    else:
        to_string = None
    if to_string and not flags.sharp_v and not complaining and verb in STRING_VERBS:
        yield _format_text(to_string(value), verb, flags) or ""
    elif verb == "w" and isinstance(value, List | Map | Struct):
        yield _complain(value, verb, flags)
    elif isinstance(value, str):
        text = _format_text(value, verb, flags)
        yield _complain(value, verb, flags) if text is None else text
    elif isinstance(value, bool):
        yield pad("true" if value else "false", flags) if verb in "tv" else _complain(value, verb, flags)
    elif isinstance(value, int):
        yield _format_integer(value, verb, flags)
    elif isinstance(value, float):
        yield numbers_text.format_float(value, verb, flags) if verb in FLOAT_VERBS else _complain(value, verb, flags)
    elif isinstance(value, complex):
        yield _format_complex(value, verb, flags) if verb in FLOAT_VERBS else _complain(value, verb, flags)
    elif isinstance(value, List) and isinstance(value.items, bytes) and verb in "sqxX":
        yield _format_text(decode_bytes(value.items), verb, flags) or ""
    elif isinstance(value, List | Map):
        yield from _format_collection(value, verb, flags, depth, complaining)
    elif isinstance(value, Struct):
        yield from _format_struct(value, verb, flags, depth, complaining)
    elif flags.sharp_v:
        yield "interface {}(nil)"
    else:
        yield "<nil>"


def _format_text(value: str, verb: str, flags: Flags) -> str | None:
    if verb == "s" or (verb == "v" and not flags.sharp_v):
        return pad(_truncate(str(value), flags), flags)
    if verb in "qv":
        short = _truncate(str(value), flags)
        if flags.sharp and can_backquote(short):
            return pad(f"`{short}`", flags)
        return pad(quote_text(short, flags.plus), flags)
    if verb in "xX":
        return _format_bytes(encode_text(value), verb, flags)
    return None


def _truncate(value: str, flags: Flags) -> str:
    if flags.precision is None:
        return value
    return value[: flags.precision]


def _format_bytes(data: bytes, verb: str, flags: Flags) -> str:
    """Return a text as %x writes it: two digits for each byte."""
    if flags.precision is not None:
        data = data[: flags.precision]
    if not data:
        if flags.zero and not flags.minus:
            fill = "0"
        else:
            fill = " "
        return fill * (flags.width or 0)
    prefix = f"0{verb}" if flags.sharp else ""
    digits = [format(byte, f"02{verb}") for byte in data]
    if flags.space:
        text = f" {prefix}".join(digits)
    else:
        text = "".join(digits)
    return pad(prefix + text, flags)


def _format_integer(value: int, verb: str, flags: Flags) -> str:
    if verb == "v":
        if flags.sharp_v and isinstance(value, Byte):
            return numbers_text.format_integer(value, "x", replace(flags, sharp=True))
        return numbers_text.format_integer(value, "d", flags)
    if verb in INTEGER_VERBS:
        return numbers_text.format_integer(int(value), verb, flags)
    if verb == "c":
        return numbers_text.format_character(value, flags)
    if verb == "q":
        return numbers_text.format_quoted_character(value, flags)
    if verb == "U":
        return numbers_text.format_code_point(value, flags)
    return _complain(value, verb, flags)


def _format_complex(value: complex, verb: str, flags: Flags) -> str:
    imaginary = numbers_text.format_float(value.imag, verb, replace(flags, plus=True))
    return f"({numbers_text.format_float(value.real, verb, flags)}{imaginary}i)"


def _format_collection(value: List | Map, verb: str, flags: Flags, depth: int, complaining: bool) -> Iterator[str]:
    """Yield [a b] or map[a:1 b:2]; as Go source, with the type and braces."""
    go = flags.sharp_v
    if go and value.nil:
        yield f"{value.type.name}(nil)"
        return
    if go:
        yield f"{value.type.name}{{"
    else:
        yield "[" if isinstance(value, List) else "map["
    items: Iterable[tuple[str | None, Value]]
    if isinstance(value, Map):
        items = sorted(value.items.items())
    elif isinstance(value.items, bytes):
        items = ((None, Byte(byte)) for byte in value.items)
    else:
        items = ((None, element) for element in value.items)
    for i, (name, element) in enumerate(items):
        if i:
            yield ", " if go else " "
        if name is not None:
            yield from _format(name, verb, flags, depth + 1, complaining)
            yield ":"
        yield from _format(element, verb, flags, depth + 1, complaining)
    yield "}" if go else "]"


def _format_struct(value: Struct, verb: str, flags: Flags, depth: int, complaining: bool) -> Iterator[str]:
    if value.nil:
        yield _format_nil_pointer(value, verb, flags)
        return
    if value.pointer and depth:
        yield _format_address(value, verb, flags)
        return
    yield "&" * value.pointer + (value.type.name if flags.sharp_v else "") + "{"
    for i, name in enumerate(name for name, _, _ in value.type.fields):
        if i:
            yield ", " if flags.sharp_v else " "
        if flags.plus_v or flags.sharp_v:
            yield f"{name}:"
        yield from _format(value.fields[name], verb, flags, depth + 1, complaining)
    yield "}"


def _complain(value: Value, verb: str, flags: Flags) -> str:
    """Return Go's complaint about a verb.

    The value inside is printed with the flags, but not by its own String method.
    """
    return f"%!{verb}({name_type(value)}={''.join(_format(value, 'v', flags, 0, complaining=True))})"


def _format_nil_pointer(value: Struct, verb: str, flags: Flags) -> str:
    if verb == "v":
        if flags.sharp_v:
            return f"({name_type(value)})(nil)"
        return pad("<nil>", flags)
    if verb in INTEGER_VERBS:
        return numbers_text.format_integer(0, verb, flags)
    return _complain(value, verb, flags)


def _format_address(value: Struct, verb: str, flags: Flags) -> str:
    """Return the form of a pointer that is not followed."""
    if verb == "v":
        if flags.sharp_v:
            return f"({name_type(value)})({ADDRESS:#x})"
        return numbers_text.format_integer(ADDRESS, "x", replace(flags, sharp=not flags.sharp))
    if verb in INTEGER_VERBS:
        return numbers_text.format_integer(ADDRESS, verb, flags)
    return _complain(value, verb, flags)
