"""Parse strings, characters and numbers as Go source spells them."""

from __future__ import annotations

import re

ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
ESCAPE = re.compile(r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|())")
INTEGER = re.compile(r"([+-]?)(?:0[xX](_?[0-9a-fA-F]+)+|0[bB](_?[01]+)+|0[oO]?(_?[0-7]+)+|[1-9](_?[0-9]+)*|0)")
DIGITS = r"[0-9](?:_?[0-9])*"
DECIMAL = re.compile(rf"[+-]?(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:[eE][+-]?{DIGITS})?")
HEXADECIMAL = re.compile(
    r"[+-]?0[xX](?:_?[0-9a-fA-F](?:_?[0-9a-fA-F])*(?:\.(?:[0-9a-fA-F](?:_?[0-9a-fA-F])*)?)?"
    r"|_?\.[0-9a-fA-F](?:_?[0-9a-fA-F])*)[pP][+-]?[0-9](?:_?[0-9])*"
)
LONGEST = 100  # digits of a whole number; in base 2 an int has 64
SIGNED, UNSIGNED = 1 << 63, 1 << 64


def parse_string(literal: str) -> str:
    """Return the value of a quoted or raw string literal.

    A byte that is not UTF-8 becomes a lone surrogate. Raises ValueError.
    """
    if literal.startswith("`"):
        return literal[1:-1].replace("\r", "")
    inside = literal[1:-1]
    if "\\" not in inside:
        return inside
    return join_bytes(ESCAPE.sub(lambda escape: _unescape(escape, '"'), inside))


def parse_character(literal: str) -> int:
    """Return the code point of a character in single quotes. Raises ValueError."""
    inside = literal[1:-1]
    if not inside or inside == "'":
        raise ValueError("empty character constant")
    escape = ESCAPE.match(inside)
    if escape:
        value, rest = _unescape(escape, "'"), inside[escape.end() :]
        if "\udc80" <= value <= "\udcff":
            number = ord(value) - 0xDC00
        else:
            number = ord(value)
    else:
        number, rest = ord(inside[0]), inside[1:]
    if rest:
        raise ValueError(f"malformed character constant: {literal}")
    return number


def join_bytes(parts: str) -> str:
    """Join lone surrogates that together are the bytes of a character into that character."""
    if parts.isascii() or not any("\udc80" <= char <= "\udcff" for char in parts):
        return parts
    return parts.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def parse_number(literal: str) -> int | float | complex | None:
    """Return the value of a number, None if it is too large for Go's int. Raises ValueError.

    A number that is spelled as a float is a float.
    """
    if literal.endswith("i"):
        return complex(0, _parse_float(literal[:-1]))
    integer = _parse_integer(literal)
    if integer is not None:
        if -SIGNED <= integer < SIGNED:
            return integer
        return None
    if not re.search(r"[.eEpP]", literal):
        raise ValueError(f"illegal number syntax: {literal!r}")
    return _parse_float(literal)


def parse_complex(literal: str) -> complex:
    """Return the complex number that a literal such as `1+2i` spells. Raises ValueError."""
    cut = max(literal.rfind("+"), literal.rfind("-"))
    while cut > 0 and literal[cut - 1] in "eEpP":
        cut = max(literal.rfind("+", 0, cut), literal.rfind("-", 0, cut))
    if cut <= 0:
        raise ValueError(f"illegal number syntax: {literal!r}")
    return complex(_parse_float(literal[:cut]), _parse_float(literal[cut:-1]))


def _unescape(escape: re.Match[str], quote: str) -> str:
    simple, byte, octal, short, long, invalid = escape.groups()
    if invalid is not None or simple in ("'", '"'):
        if simple == quote:
            return quote
        raise ValueError("invalid syntax")
    if simple is not None:
        return ESCAPES[simple]
    if octal is None:
        value = int(byte or short or long, 16)
    else:
        value = int(octal, 8)
    if byte or octal:
        if value > 255:
            raise ValueError("invalid syntax")
        if value < 128:
            return chr(value)
        return chr(0xDC00 + value)
    if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
        raise ValueError("invalid syntax")
    return chr(value)


def _parse_integer(literal: str) -> int | None:
    if not INTEGER.fullmatch(literal):
        return None
    digits = literal.lstrip("+-").replace("_", "").lower()
    if len(digits) > LONGEST:
        raise ValueError("integer overflow")
    octal = digits.startswith("0") and digits.isdigit()
    value = int(digits, 8 if octal else 0)
    if value >= UNSIGNED or (literal[0] in "+-" and value > SIGNED - (literal[0] == "+")):
        raise ValueError(f"integer overflow: {literal!r}")
    if literal[0] == "-":
        return -value
    return value


def _parse_float(literal: str) -> float:
    if HEXADECIMAL.fullmatch(literal):
        value = float.fromhex(literal.replace("_", ""))
    elif DECIMAL.fullmatch(literal):
        value = float(literal.replace("_", ""))
    else:
        raise ValueError(f"illegal number syntax: {literal!r}")
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"illegal number syntax: {literal!r}")
    return value
