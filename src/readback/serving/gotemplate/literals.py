"""Texts, characters and numbers as Go source spells them."""

from __future__ import annotations

import re

ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
ESCAPE = re.compile(r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|())")
WHOLE = re.compile(r"([+-]?)(?:0[xX](_?[0-9a-fA-F]+)+|0[bB](_?[01]+)+|0[oO]?(_?[0-7]+)+|[1-9](_?[0-9]+)*|0)")
DIGITS = r"[0-9](?:_?[0-9])*"
DECIMAL = re.compile(rf"[+-]?(?:{DIGITS}(?:\.(?:{DIGITS})?)?|\.{DIGITS})(?:[eE][+-]?{DIGITS})?")
HEXADECIMAL = re.compile(
    r"[+-]?0[xX](?:_?[0-9a-fA-F](?:_?[0-9a-fA-F])*(?:\.(?:[0-9a-fA-F](?:_?[0-9a-fA-F])*)?)?"
    r"|_?\.[0-9a-fA-F](?:_?[0-9a-fA-F])*)[pP][+-]?[0-9](?:_?[0-9])*"
)
LONGEST = 100  # digits of a whole number; in base 2 an int has 64
SIGNED, UNSIGNED = 1 << 63, 1 << 64


def text(written: str) -> str:
    """The value of a quoted or raw text with its quotes; a byte that is no UTF-8 is a lone surrogate. ValueError."""
    if written.startswith("`"):
        return written[1:-1].replace("\r", "")
    inside = written[1:-1]
    return joined(ESCAPE.sub(lambda m: _escaped(m, '"'), inside)) if "\\" in inside else inside


def character(written: str) -> int:
    """The number of a character in single quotes. Raises ValueError."""
    inside = written[1:-1]
    if not inside or inside == "'":
        raise ValueError("empty character constant")
    found = ESCAPE.match(inside)
    if found:
        value, rest = _escaped(found, "'"), inside[found.end() :]
        number = ord(value) - 0xDC00 if "\udc80" <= value <= "\udcff" else ord(value)
    else:
        number, rest = ord(inside[0]), inside[1:]
    if rest:
        raise ValueError(f"malformed character constant: {written}")
    return number


def joined(parts: str) -> str:
    """The text in which single bytes that belong together have become characters."""
    if parts.isascii() or not any("\udc80" <= char <= "\udcff" for char in parts):
        return parts
    return parts.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def number(written: str) -> int | float | complex | None:
    """The value of a number: a float if it is spelled as one; None where it is too large for an int. ValueError."""
    if written.endswith("i"):
        return complex(0, _float(written[:-1]))
    whole = _whole(written)
    if whole is not None:
        return whole if -SIGNED <= whole < SIGNED else None
    if not re.search(r"[.eEpP]", written):
        raise ValueError(f"illegal number syntax: {written!r}")
    return _float(written)


def sum_of_two(written: str) -> complex:
    """`1+2i`. Raises ValueError."""
    cut = max(written.rfind("+"), written.rfind("-"))
    while cut > 0 and written[cut - 1] in "eEpP":
        cut = max(written.rfind("+", 0, cut), written.rfind("-", 0, cut))
    if cut <= 0:
        raise ValueError(f"illegal number syntax: {written!r}")
    return complex(_float(written[:cut]), _float(written[cut:-1]))


def _escaped(found: re.Match[str], quote: str) -> str:
    plain, byte, octal, short, long, wrong = found.groups()
    if wrong is not None or plain in ("'", '"'):
        if plain == quote:
            return quote
        raise ValueError("invalid syntax")
    if plain is not None:
        return ESCAPES[plain]
    value = int(byte or short or long, 16) if octal is None else int(octal, 8)
    if byte or octal:
        if value > 255:
            raise ValueError("invalid syntax")
        return chr(value) if value < 128 else chr(0xDC00 + value)
    if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
        raise ValueError("invalid syntax")
    return chr(value)


def _whole(written: str) -> int | None:
    if not WHOLE.fullmatch(written):
        return None
    digits = written.lstrip("+-").replace("_", "").lower()
    if len(digits) > LONGEST:
        raise ValueError("integer overflow")
    octal = digits.startswith("0") and digits.isdigit()
    value = int(digits, 8 if octal else 0)
    if value >= UNSIGNED or (written[0] in "+-" and value > SIGNED - (written[0] == "+")):
        raise ValueError(f"integer overflow: {written!r}")
    return -value if written[0] == "-" else value


def _float(written: str) -> float:
    if HEXADECIMAL.fullmatch(written):
        value = float.fromhex(written.replace("_", ""))
    elif DECIMAL.fullmatch(written):
        value = float(written.replace("_", ""))
    else:
        raise ValueError(f"illegal number syntax: {written!r}")
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"illegal number syntax: {written!r}")
    return value
