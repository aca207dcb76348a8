"""Write numbers as Go's fmt does, with its flags, widths and precisions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from readback.serving.gotemplate.quoting import quote_text
from readback.serving.modelfile.text import is_printable

BASES = {"b": ("b", "0b"), "o": ("o", "0"), "O": ("o", ""), "x": ("x", "0x"), "X": ("X", "0X")}
LARGEST = 0x10FFFF


@dataclass(slots=True)
class Flags:
    """Hold what stands between the % and the verb."""

    plus: bool = False
    minus: bool = False
    sharp: bool = False
    space: bool = False
    zero: bool = False
    width: int | None = None
    precision: int | None = None
    plus_v: bool = False  # %+v: with the names of fields
    sharp_v: bool = False  # %#v: as Go source


def pad(text: str, flags: Flags, zero: bool | None = None) -> str:
    """Fill a text up to the width in characters: on the left unless there is a minus."""
    missing = (flags.width or 0) - len(text)
    if missing <= 0:
        return text
    if flags.minus:
        return text + " " * missing
    if zero is None:
        zero = flags.zero
    return ("0" if zero else " ") * missing + text


def format_integer(value: int, verb: str, flags: Flags) -> str:
    """Return %d %b %o %O %x %X of an integer."""
    precision = 0
    if flags.precision is not None:
        precision = flags.precision
        if precision == 0 and value == 0:
            return " " * (flags.width or 0)
    elif flags.zero and not flags.minus and flags.width is not None:
        precision = flags.width - (value < 0 or flags.plus or flags.space)
    base, prefix = BASES.get(verb, ("d", ""))
    digits = format(abs(value), base).rjust(precision, "0")
    if flags.sharp and prefix and not (prefix == "0" and digits.startswith("0")):
        digits = prefix + digits
    if verb == "O":
        if flags.sharp and not digits.startswith("0"):
            digits = "0" + digits
        digits = "0o" + digits
    if value < 0:
        digits = "-" + digits
    elif flags.plus:
        digits = "+" + digits
    elif flags.space:
        digits = " " + digits
    return pad(digits, flags, zero=False)


def format_character(value: int, flags: Flags) -> str:
    """Return %c of an integer."""
    return pad(_to_character(value), flags)


def format_quoted_character(value: int, flags: Flags) -> str:
    """Return %q of an integer."""
    return pad(quote_text(_to_character(value), flags.plus, "'"), flags)


def format_code_point(value: int, flags: Flags) -> str:
    """Return %U of an integer: U+0041, with its character if there is a sharp."""
    unsigned = value % (1 << 64)
    digits = max(4, flags.precision or 0)
    text = f"U+{unsigned:0{digits}X}"
    if flags.sharp and unsigned <= LARGEST and is_printable(chr(unsigned)):
        text += f" '{chr(unsigned)}'"
    return pad(text, flags, zero=False)


def format_float(value: float, verb: str, flags: Flags) -> str:
    """Return %v %g %G %e %E %f %F %x %X %b of a float."""
    precision = flags.precision
    if precision is None and verb in "eEfF":
        precision = 6
    text = _format_float(value, {"v": "g", "F": "f"}.get(verb, verb), precision)
    number = text if text[0] in "+-" else "+" + text
    if flags.space and number[0] == "+" and not flags.plus:
        number = " " + number[1:]
    if not math.isfinite(value):
        if math.isnan(value) and not flags.plus and not flags.space:  # an infinity keeps its sign
            number = number[1:]
        return pad(number, flags, zero=False)
    if flags.sharp and verb != "b":
        number = _add_point(number, verb, precision)
    if not flags.plus and number[0] == "+":
        return pad(number[1:], flags)
    if flags.zero and not flags.minus and (flags.width or 0) > len(number):
        return number[0] + number[1:].rjust((flags.width or 0) - 1, "0")
    return pad(number, flags)


def _to_character(value: int) -> str:
    if not 0 <= value <= LARGEST or 0xD800 <= value <= 0xDFFF:
        return "\ufffd"
    return chr(value)


def _format_float(value: float, verb: str, precision: int | None) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        if value > 0:
            return "+Inf"
        return "-Inf"
    if verb in "xX":
        text = _format_hexadecimal(value, precision)
        if verb == "X":
            return text.upper()
        return text
    if verb == "b":
        mantissa, exponent = math.frexp(value)
        power = max(exponent - 53, -1074)  # the smallest numbers have fewer bits
        if value == 0:
            power = -1074
        digits = int(abs(math.ldexp(mantissa, exponent - power)))
        return f"{_get_sign(value)}{digits}p{power:+d}"
    if precision is not None and verb in "eEf":
        return f"{value:.{precision}{verb}}"
    if verb == "f":
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    if verb in "eE":
        return _format_scientific(_split_digits(value), value, verb)
    return _format_general(value, verb, precision)


def _format_general(value: float, verb: str, precision: int | None) -> str:
    """Return %g: the shortest digits, with an exponent below -4 and from 6 on (or from the precision on)."""
    if precision is None:
        digits, most = _split_digits(value), 6
    else:
        digits = _split_digits(float(f"{value:.{max(precision, 1) - 1}e}"), f"{value:.{max(precision, 1) - 1}e}")
        most = max(precision, 1)
        if most > len(digits[0]) and len(digits[0]) >= digits[1] + 1:
            most = len(digits[0])
    if not -4 <= digits[1] < most:
        return _format_scientific(digits, value, "E" if verb == "G" else "e")
    text = digits[0].ljust(digits[1] + 1, "0")
    if digits[1] < 0:
        return f"{_get_sign(value)}0.{'0' * (-digits[1] - 1)}{text}"
    whole, fraction = text[: digits[1] + 1], text[digits[1] + 1 :]
    return f"{_get_sign(value)}{whole}.{fraction}".rstrip(".")


def _split_digits(value: float, spelling: str | None = None) -> tuple[str, int]:
    """Return the significant digits without trailing zeros, and the power of ten of the first."""
    if value == 0:
        return "0", 0
    mantissa, _, exponent = (spelling or f"{Decimal(repr(value)):e}").lstrip("-").lower().partition("e")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)


def _format_scientific(digits: tuple[str, int], value: float, verb: str) -> str:
    rest = digits[0][1:]
    point = "." if rest else ""
    return f"{_get_sign(value)}{digits[0][0]}{point}{rest}{verb}{digits[1]:+03d}"


def _get_sign(value: float) -> str:
    if math.copysign(1, value) < 0:
        return "-"
    return ""


def _format_hexadecimal(value: float, precision: int | None) -> str:
    """Return %x of a float: 0x1.8p+00."""
    mantissa, exponent = math.frexp(abs(value))
    if value == 0:
        bits, power = 0, 0
    else:
        bits, power = int(mantissa * (1 << 53)), exponent - 1
    digits = f"{bits & ((1 << 52) - 1):013x}"
    first = 1 if bits else 0
    if precision is None:
        digits = digits.rstrip("0")
    elif precision < 13:
        shift = 4 * (13 - precision)
        number = (first << 52) | int(digits, 16)
        half, rest = 1 << (shift - 1), number & ((1 << shift) - 1)
        number >>= shift
        number += rest > half or (rest == half and number & 1)
        first, tail = number >> (4 * precision), number & ((1 << (4 * precision)) - 1)
        if first == 2:
            first, power = 1, power + 1
        if precision:
            digits = f"{tail:0{precision}x}"
        else:
            digits = ""
    else:
        digits = digits.ljust(precision, "0")
    point = "." if digits else ""
    return f"{_get_sign(value)}0x{first}{point}{digits}p{power:+03d}"


def _add_point(number: str, verb: str, precision: int | None) -> str:
    """Add a decimal point and, for %g and %x, the zeros that the precision asks for."""
    exponent = re.search("[pP]" if verb in "xX" else "[eEpP]", number)
    if exponent:
        end = exponent.start()
    else:
        end = len(number)
    head, tail = number[:end], number[end:]
    digit_count = 0
    if verb in "vgGx":
        if precision is None:
            digit_count = 6
        else:
            digit_count = precision
    # Go counts the x of 0x as a digit, and what follows it.
    significant = head[1:].replace(".", "").lstrip("0")
    zeros = digit_count - len(significant)
    if "." not in head:
        zeros -= head[1:] == "0"
        head += "."
    return head + "0" * max(0, zeros) + tail
