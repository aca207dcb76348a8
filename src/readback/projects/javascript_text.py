"""Write and compare values as JavaScript does: texts of numbers, lists and objects, JSON.stringify, JSON.parse.

Values here are None (null), UNDEFINED, bool, float (every number), str, list and dict. `import_value` makes them from
JSON. Source: ECMA-262, sections 6.1.6.1.20 (Number::toString), 7.1 (conversions), 7.2.14 (equality), 25.5 (JSON).
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any, NoReturn

WIDE_SPACES = "".join(chr(code) for code in range(0x2000, 0x200B))
SPACES = f"\t\n\x0b\x0c\r \xa0\u1680{WIDE_SPACES}\u2028\u2029\u202f\u205f\u3000\ufeff"
LINE_ENDS = "\n\r\u2028\u2029"
INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
HIGHEST_INDEX = 2**32 - 2
DECIMAL = re.compile(r"[-+]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)")
OTHER_BASES = ((re.compile(r"0[xX][0-9a-fA-F]+"), 16), (re.compile(r"0[oO][0-7]+"), 8), (re.compile(r"0[bB][01]+"), 2))
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
INDENT = 10  # characters that JSON.stringify indents by at most
DEPTH = 500  # levels of lists and objects: deeper values are not written
PARTS = 200_000  # values inside one value that is written: lists that hold each other have more than anybody waits for


class _Undefined:
    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"

    def __bool__(self) -> bool:
        return False


UNDEFINED = _Undefined()
OBJECT = "[object Object]"


class SafeText(str):
    """A text that a filter marked as safe: an object in JavaScript, so never strictly equal to a text."""

    __slots__ = ()


class TooDeep(Exception):  # noqa: N818 - a limit, not an error of ours
    """A value has more levels, or more values inside, than are written."""


class Budget:
    """Count the values that are written in one go."""

    def __init__(self) -> None:
        self.left = PARTS

    def spend(self, depth: int) -> None:
        """Pay for a value; raises TooDeep."""
        self.left -= 1
        if self.left < 0 or depth > DEPTH:
            raise TooDeep


def import_value(value: Any, depth: int = 0) -> Any:
    """Return a JSON value as JavaScript has it: numbers as 53-bit floats, keys that are indices first, in order."""
    if depth > DEPTH:
        raise TooDeep
    if isinstance(value, bool) or value is None or isinstance(value, str | float):
        return value
    if isinstance(value, int):
        return import_integer(value)
    if isinstance(value, list | tuple):
        return [import_value(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return order_keys({str(key): import_value(each, depth + 1) for key, each in value.items()})
    return value


def import_integer(value: int) -> float:
    """Return an integer as the nearest number of 64 bits."""
    try:
        return float(value)
    except OverflowError:
        if value > 0:
            return math.inf
        return -math.inf


def export_value(value: Any) -> Any:
    """Return a value as JSON has it: whole numbers as integers, undefined and what is no number as null."""
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return None
        whole = value.is_integer() and abs(value) < 1e21
        if whole:
            return int(value)
        return value
    if isinstance(value, list):
        return [export_value(each) for each in value]
    if isinstance(value, dict):
        return {key: export_value(each) for key, each in value.items() if not is_left_out(each)}
    if is_left_out(value):
        return None
    return value


def is_left_out(value: Any) -> bool:
    """Whether JSON has no word for it: undefined, and functions."""
    return value is UNDEFINED or callable(value)


def order_keys(mapping: dict[str, Any]) -> dict[str, Any]:
    """Return a mapping with keys that are array indices first, ascending, as JavaScript lists them."""
    indices = [key for key in mapping if is_index(key)]
    if not indices:
        return mapping
    first = {key: mapping[key] for key in sorted(indices, key=int)}
    return first | mapping


def is_index(key: str) -> bool:
    """Whether a key is an array index: a whole number without leading zeros below 2**32 - 1."""
    return INDEX.fullmatch(key) is not None and int(key) <= HIGHEST_INDEX


def is_text(value: Any) -> bool:
    """Whether JavaScript calls it a string: a text that is not marked safe."""
    return isinstance(value, str) and not isinstance(value, SafeText)


def is_object(value: Any) -> bool:
    """Whether it is an object or a list, which are compared by identity."""
    return isinstance(value, list | dict | SafeText) or callable(value)


def is_true(value: Any) -> bool:
    """Whether JavaScript takes it for true: empty lists and objects are."""
    if isinstance(value, list | dict | SafeText):
        return True
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return bool(value)


def format_number(number: float) -> str:
    """Return a number as JavaScript writes it: 1.0 is 1, 1e21 is 1e+21, -0 is 0."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        if number > 0:
            return "Infinity"
        return "-Infinity"
    if number == 0:
        return "0"
    decimal = Decimal(repr(abs(number)))
    digits = "".join(map(str, decimal.as_tuple().digits)).rstrip("0")
    point = decimal.adjusted() + 1
    sign = "-" if number < 0 else ""
    if 0 < point <= 21:
        whole = digits[:point].ljust(point, "0")
        return sign + (f"{whole}.{digits[point:]}" if digits[point:] else whole)
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def format_value(value: Any, depth: int = 0, budget: Budget | None = None) -> str:
    """Return String(value): lists joined by commas with null as nothing, objects as [object Object]."""
    if isinstance(value, str):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, list):
        return join_list(value, ",", depth, budget)
    if value is UNDEFINED:
        return "undefined"
    return OBJECT


def join_list(values: list[Any], joiner: str, depth: int = 0, budget: Budget | None = None) -> str:
    """Return what Array.prototype.join returns: null and undefined are empty, nested lists are joined by commas."""
    budget = budget or Budget()
    texts: list[str] = []
    for each in values:
        budget.spend(depth)
        is_nothing = each is None or each is UNDEFINED
        texts.append("" if is_nothing else format_value(each, depth + 1, budget))
    return joiner.join(texts)


def parse_number(text: str) -> float:
    """Return Number(text): blanks around do not count, an empty text is 0, anything else that is no number is NaN."""
    stripped = text.strip(SPACES)
    if not stripped:
        return 0.0
    for pattern, base in OTHER_BASES:
        if pattern.fullmatch(stripped):
            return import_integer(int(stripped, base))
    if DECIMAL.fullmatch(stripped):
        return float(stripped)
    return math.nan


def make_primitive(value: Any) -> Any:
    """Return a value that is no object: lists and objects become their texts."""
    if is_object(value):
        return format_value(value)
    return value


def make_number(value: Any) -> float:
    """Return Number(value)."""
    value = make_primitive(value)
    if isinstance(value, bool):
        if value:
            return 1.0
        return 0.0
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        return parse_number(value)
    if value is UNDEFINED:
        return math.nan
    return 0.0


def are_identical(left: Any, right: Any) -> bool:
    """Compare by ===."""
    if is_object(left) or is_object(right):
        return left is right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return type(left) is type(right) and bool(left == right)


def are_equal(left: Any, right: Any) -> bool:
    """Compare by ==: texts and numbers as numbers, objects by their texts, null equals undefined."""
    nothing = (None, UNDEFINED)
    if any(left is each for each in nothing) or any(right is each for each in nothing):
        return any(left is each for each in nothing) and any(right is each for each in nothing)
    if is_object(left) and is_object(right):
        return left is right
    left, right = make_primitive(left), make_primitive(right)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return make_number(left) == make_number(right)


def add(left: Any, right: Any) -> Any:
    """Return left + right: texts are joined where one of the two is a text or an object."""
    left, right = make_primitive(left), make_primitive(right)
    if isinstance(left, str) or isinstance(right, str):
        return join_surrogates(format_value(left) + format_value(right))
    return make_number(left) + make_number(right)


def is_less(left: Any, right: Any) -> bool:
    """Compare by <: two texts by their 16-bit units, everything else as numbers."""
    left, right = make_primitive(left), make_primitive(right)
    if isinstance(left, str) and isinstance(right, str):
        return sort_key(left) < sort_key(right)
    return make_number(left) < make_number(right)


def is_at_most(left: Any, right: Any) -> bool:
    """Compare by <=."""
    left, right = make_primitive(left), make_primitive(right)
    if isinstance(left, str) and isinstance(right, str):
        return sort_key(left) <= sort_key(right)
    return make_number(left) <= make_number(right)


def sort_key(text: str) -> bytes:
    """Return the bytes by which JavaScript orders texts: 16-bit units, the higher half first."""
    return text.encode("utf-16-be", "surrogatepass")


def get_length(text: str) -> int:
    """Return the length of a text in 16-bit units: most emoji count as two."""
    if not text.isascii():
        return len(text) + sum(1 for sign in text if sign > "\uffff")
    return len(text)


def slice_text(text: str, start: int, end: int) -> str:
    """Return the 16-bit units from `start` to before `end`; a half of a pair stays a lone surrogate."""
    start, end = max(0, start), max(0, end)
    if text.isascii() or max(text) <= "\uffff":
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def split_units(text: str) -> list[str]:
    """Return the 16-bit units of a text, each as a text."""
    if text.isascii() or max(text) <= "\uffff":
        return list(text)
    return [slice_text(text, i, i + 1) for i in range(get_length(text))]


def join_surrogates(text: str) -> str:
    """Return a text in which halves that stand together are one character again."""
    if not LONE_SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def stringify(value: Any, indent: Any = UNDEFINED) -> Any:
    """Return JSON.stringify(value, null, indent): compact without `indent`; undefined where JSON has no word for it."""
    if is_left_out(value):
        return UNDEFINED
    gap = ""
    if isinstance(indent, float) and not math.isnan(indent):
        gap = " " * int(max(0, min(INDENT, indent)))
    elif isinstance(indent, str):
        gap = indent[:INDENT]
    return _write_json(value, gap, "", 0, Budget())


def _write_json(value: Any, gap: str, margin: str, depth: int, budget: Budget) -> str:
    budget.spend(depth)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return "null"
        return format_number(value)
    if isinstance(value, bool) or value is None:
        return format_value(value)
    inner = margin + gap
    if isinstance(value, list):
        parts = ["null" if is_left_out(each) else _write_json(each, gap, inner, depth + 1, budget) for each in value]
        return _put_between("[", parts, "]", gap, margin)
    colon = ": " if gap else ":"
    pairs = [(key, each) for key, each in value.items() if not is_left_out(each)]
    parts = [quote(key) + colon + _write_json(each, gap, inner, depth + 1, budget) for key, each in pairs]
    return _put_between("{", parts, "}", gap, margin)


def _put_between(start: str, parts: list[str], end: str, gap: str, margin: str) -> str:
    if not parts:
        return start + end
    if not gap:
        return start + ",".join(parts) + end
    inner = margin + gap
    return f"{start}\n{inner}" + f",\n{inner}".join(parts) + f"\n{margin}{end}"


def quote(text: str) -> str:
    """Return a text as JSON, with only what must be escaped: quotes, backslashes, control characters, lone halves."""
    written = json.dumps(join_surrogates(text), ensure_ascii=False)
    return LONE_SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", written)


def parse_json(text: str) -> Any:
    """Return JSON.parse(text); raises ValueError with a reason. NaN, Infinity and a byte order mark are refused."""

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        value = json.loads(text, parse_constant=refuse, parse_int=float)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("it has too many levels") from None
    try:
        return import_value(value)
    except (TooDeep, RecursionError):
        raise ValueError("it has too many levels") from None
