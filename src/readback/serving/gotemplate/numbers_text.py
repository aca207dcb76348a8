"""Numbers as Go's fmt writes them, with its flags, widths and precisions."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from readback.serving.gotemplate.quoting import quoted
from readback.serving.modelfile.text import printable

BASES = {"b": ("b", "0b"), "o": ("o", "0"), "O": ("o", ""), "x": ("x", "0x"), "X": ("X", "0X")}
LARGEST = 0x10FFFF


@dataclass(slots=True)
class Flags:
    """What is between the % and the verb."""

    plus: bool = False
    minus: bool = False
    sharp: bool = False
    space: bool = False
    zero: bool = False
    width: int | None = None
    precision: int | None = None
    plus_v: bool = False  # %+v: with the names of fields
    sharp_v: bool = False  # %#v: as Go source


def padded(text: str, flags: Flags, zero: bool | None = None) -> str:
    """The text filled up to the width, in characters: on the left unless there is a minus."""
    missing = (flags.width or 0) - len(text)
    if missing <= 0:
        return text
    if flags.minus:
        return text + " " * missing
    return ("0" if (flags.zero if zero is None else zero) else " ") * missing + text


def whole(value: int, verb: str, flags: Flags) -> str:
    """%d %b %o %O %x %X of a whole number."""
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
        digits = "0o" + (("0" + digits) if flags.sharp and not digits.startswith("0") else digits)
    sign = "-" if value < 0 else "+" if flags.plus else " " if flags.space else ""
    return padded(sign + digits, flags, zero=False)


def character(value: int, flags: Flags) -> str:
    """%c."""
    return padded(_char(value), flags)


def quoted_character(value: int, flags: Flags) -> str:
    """%q of a whole number."""
    return padded(quoted(_char(value), flags.plus, "'"), flags)


def code_point(value: int, flags: Flags) -> str:
    """%U: U+0041, with its character if there is a sharp."""
    unsigned = value % (1 << 64)
    digits = max(4, flags.precision or 0)
    text = f"U+{unsigned:0{digits}X}"
    if flags.sharp and unsigned <= LARGEST and printable(chr(unsigned)):
        text += f" '{chr(unsigned)}'"
    return padded(text, flags, zero=False)


def real(value: float, verb: str, flags: Flags) -> str:
    """%v %g %G %e %E %f %F %x %X %b of a float."""
    precision = flags.precision
    if precision is None and verb in "eEfF":
        precision = 6
    text = _real(value, {"v": "g", "F": "f"}.get(verb, verb), precision)
    number = text if text[0] in "+-" else "+" + text
    if flags.space and number[0] == "+" and not flags.plus:
        number = " " + number[1:]
    if not math.isfinite(value):
        if math.isnan(value) and not flags.plus and not flags.space:  # an infinity keeps its sign
            number = number[1:]
        return padded(number, flags, zero=False)
    if flags.sharp and verb != "b":
        number = _with_point(number, verb, precision)
    if not flags.plus and number[0] == "+":
        return padded(number[1:], flags)
    if flags.zero and not flags.minus and (flags.width or 0) > len(number):
        return number[0] + number[1:].rjust((flags.width or 0) - 1, "0")
    return padded(number, flags)


def _char(value: int) -> str:
    return "\ufffd" if not 0 <= value <= LARGEST or 0xD800 <= value <= 0xDFFF else chr(value)


def _real(value: float, verb: str, precision: int | None) -> str:
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if verb in "xX":
        text = _hexadecimal(value, precision)
        return text.upper() if verb == "X" else text
    if verb == "b":
        mantissa, exponent = math.frexp(value)
        power = max(exponent - 53, -1074)  # the smallest numbers have fewer bits
        return (
            f"{'-' * _negative(value)}{int(abs(math.ldexp(mantissa, exponent - power)))}p{power if value else -1074:+d}"
        )
    if precision is not None and verb in "eEf":
        return f"{value:.{precision}{verb}}"
    if verb == "f":
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    if verb in "eE":
        return _scientific(_digits(value), value, verb)
    return _general(value, verb, precision)


def _general(value: float, verb: str, precision: int | None) -> str:
    """%g: the shortest digits, with an exponent below -4 and from 6 on (from the precision on, if there is one)."""
    if precision is None:
        digits, most = _digits(value), 6
    else:
        digits = _digits(float(f"{value:.{max(precision, 1) - 1}e}"), f"{value:.{max(precision, 1) - 1}e}")
        most = max(precision, 1)
        if most > len(digits[0]) and len(digits[0]) >= digits[1] + 1:
            most = len(digits[0])
    if not -4 <= digits[1] < most:
        return _scientific(digits, value, "E" if verb == "G" else "e")
    text = digits[0].ljust(digits[1] + 1, "0")
    text = (
        text[: digits[1] + 1] + "." + text[digits[1] + 1 :] if digits[1] >= 0 else f"0.{'0' * (-digits[1] - 1)}{text}"
    )
    return "-" * _negative(value) + text.rstrip(".")


def _digits(value: float, spelling: str | None = None) -> tuple[str, int]:
    """The significant digits without trailing zeros, and the power of ten of the first."""
    if value == 0:
        return "0", 0
    mantissa, _, exponent = (spelling or f"{Decimal(repr(value)):e}").lstrip("-").lower().partition("e")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)


def _scientific(digits: tuple[str, int], value: float, verb: str) -> str:
    rest = digits[0][1:]
    return f"{'-' * _negative(value)}{digits[0][0]}{'.' + rest if rest else ''}{verb}{digits[1]:+03d}"


def _negative(value: float) -> bool:
    return math.copysign(1, value) < 0


def _hexadecimal(value: float, precision: int | None) -> str:
    """%x of a float: 0x1.8p+00."""
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
        digits = f"{tail:0{precision}x}" if precision else ""
    else:
        digits = digits.ljust(precision, "0")
    return f"{'-' * _negative(value)}0x{first}{'.' + digits if digits else ''}p{power:+03d}"


def _with_point(number: str, verb: str, precision: int | None) -> str:
    """With a decimal point and, for %g and %x, the zeros that the precision asks for."""
    found = re.search("[pP]" if verb in "xX" else "[eEpP]", number)
    head, tail = (number[: found.start()], number[found.start() :]) if found else (number, "")
    wanted = (6 if precision is None else precision) if verb in "vgGx" else 0
    significant = head[1:].replace(".", "").lstrip("0")  # the x of 0x counts for Go, and so does what follows it
    wanted -= len(significant)
    if "." not in head:
        wanted -= head[1:] == "0"
        head += "."
    return head + "0" * max(0, wanted) + tail
