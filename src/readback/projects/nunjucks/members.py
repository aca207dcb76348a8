"""Members of values: lengths, items, and those methods of JavaScript that prompts call.

A method that JavaScript has and that is not here is a fault: nothing is guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from readback.projects.javascript_text import (
    SPACES,
    UNDEFINED,
    are_identical,
    format_number,
    format_value,
    get_length,
    is_index,
    join_list,
    make_number,
    slice_text,
    sort_key,
    split_units,
)
from readback.projects.nunjucks.fault import TemplateFault, check_items, check_text, refuse_unknown

OBJECT_MEMBERS = frozenset(
    (
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
        "__proto__",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    )
)
TEXT_MEMBERS = OBJECT_MEMBERS | frozenset(
    (
        "anchor", "at", "big", "blink", "bold", "charAt", "charCodeAt", "codePointAt", "concat", "endsWith", "fixed",
        "fontcolor", "fontsize", "includes", "indexOf", "isWellFormed", "italics", "lastIndexOf", "link",
        "localeCompare", "match", "matchAll", "normalize", "padEnd", "padStart", "repeat", "replace", "replaceAll",
        "search", "slice", "small", "split", "startsWith", "strike", "sub", "substr", "substring", "sup",
        "toLocaleLowerCase", "toLocaleUpperCase", "toLowerCase", "toUpperCase", "toWellFormed", "trim", "trimEnd",
        "trimLeft", "trimRight", "trimStart",
    )
)  # fmt: skip
LIST_MEMBERS = OBJECT_MEMBERS | frozenset(
    (
        "at", "concat", "copyWithin", "entries", "every", "fill", "filter", "find", "findIndex", "findLast",
        "findLastIndex", "flat", "flatMap", "forEach", "includes", "indexOf", "join", "keys", "lastIndexOf", "map",
        "pop", "push", "reduce", "reduceRight", "reverse", "shift", "slice", "some", "sort", "splice", "toReversed",
        "toSorted", "toSpliced", "unshift", "values", "with",
    )
)  # fmt: skip
NUMBER_MEMBERS = OBJECT_MEMBERS | frozenset(("toExponential", "toFixed", "toPrecision"))
DIGITS = 100  # decimals that toFixed writes at most

Method = Callable[..., Any]


def get_member(target: Any, key: str) -> Any:
    """Return a member of a value that is not null, undefined where it has none."""
    if isinstance(target, dict):
        if key in target:
            return target[key]
        if key in OBJECT_MEMBERS:
            return _get_method(target, key, OBJECT_METHODS)
        return UNDEFINED
    if isinstance(target, str):
        if key == "length":
            return float(get_length(target))
        if is_index(key):
            return slice_text(target, int(key), int(key) + 1) or UNDEFINED
        if key in TEXT_MEMBERS:
            return _get_method(target, key, TEXT_METHODS)
        return UNDEFINED
    if isinstance(target, list):
        if key == "length":
            return float(len(target))
        if is_index(key):
            if int(key) < len(target):
                return target[int(key)]
            return UNDEFINED
        if key in LIST_MEMBERS:
            return _get_method(target, key, LIST_METHODS)
        return UNDEFINED
    if isinstance(target, float):
        if key in NUMBER_MEMBERS:
            return _get_method(target, key, NUMBER_METHODS)
        return UNDEFINED
    if isinstance(target, bool):
        if key in OBJECT_MEMBERS:
            return _get_method(target, key, OBJECT_METHODS)
        return UNDEFINED
    raise refuse_unknown(f"the member {key} of a function")


def has_member(target: dict[str, Any], key: str) -> bool:
    """Return `key in target`."""
    return key in target or key in OBJECT_MEMBERS


def _get_method(target: Any, key: str, methods: dict[str, Method]) -> Any:
    method = methods.get(key)
    if method is None:
        raise refuse_unknown(f"the method {key}")

    def call(*args: Any) -> Any:
        return method(target, *args)

    return call


def get_position(value: Any, default: float) -> float:
    """Return an argument as a whole number: not a number is 0."""
    if value is UNDEFINED:
        return default
    number = make_number(value)
    if math.isnan(number):
        return 0.0
    if math.isinf(number):
        return number
    return float(math.trunc(number))


def bound(position: float, length: int) -> int:
    """Return a position in a text or list; negative ones count from the end."""
    return int(max(0.0, length + position) if position < 0 else min(position, length))


def round_half_up(number: float) -> float:
    """Return Math.round(number): halves go up."""
    whole = math.floor(number)
    rounded = float(whole if number - whole < 0.5 else whole + 1)
    if rounded:
        return rounded
    return math.copysign(0.0, number)


def _slice_text(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED, *_: Any) -> str:
    length = get_length(text)
    first, last = bound(get_position(start, 0), length), bound(get_position(end, length), length)
    return slice_text(text, first, max(first, last))


def _substring(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED, *_: Any) -> str:
    length = get_length(text)
    ends = [int(min(max(get_position(each, default), 0), length)) for each, default in ((start, 0), (end, length))]
    return slice_text(text, min(ends), max(ends))


def _substr(text: str, start: Any = UNDEFINED, size: Any = UNDEFINED, *_: Any) -> str:
    length = get_length(text)
    first = bound(get_position(start, 0), length)
    return slice_text(text, first, first + int(min(max(get_position(size, length), 0), length)))


def _split(text: str, separator: Any = UNDEFINED, limit: Any = UNDEFINED, *_: Any) -> list[Any]:
    if separator is UNDEFINED:
        parts = [text]
    elif format_value(separator) == "":
        parts = split_units(text)
    else:
        parts = text.split(format_value(separator))
    check_items(len(parts))
    if limit is UNDEFINED:
        return parts
    return parts[: int(min(max(get_position(limit, 0), 0), len(parts)))]


def _replace(text: str, old: Any = UNDEFINED, new: Any = UNDEFINED, *_: Any) -> str:
    searched, written = format_value(old), _get_replacement(new)
    start = text.find(searched)
    if start < 0:
        return text
    return text[:start] + expand_replacement(written, text, start, len(searched)) + text[start + len(searched) :]


def _replace_all(text: str, old: Any = UNDEFINED, new: Any = UNDEFINED, *_: Any) -> str:
    searched, written = format_value(old), _get_replacement(new)
    if "$" in written or not searched:
        raise refuse_unknown("replaceAll with such a text")
    check_text(len(text) + text.count(searched) * len(written))
    return text.replace(searched, written)


def _get_replacement(new: Any) -> str:
    if callable(new):
        raise refuse_unknown("a replacement by a function")
    return format_value(new)


def expand_replacement(written: str, text: str, start: int, size: int) -> str:
    """Return a replacement with `$$`, `$&`, `` $` `` and `$'` filled in, as String.prototype.replace does.

    There are no groups, so `$1` stays. Source: ECMA-262, GetSubstitution.
    """
    if "$" not in written:
        return written
    fillings = {"$": "$", "&": text[start : start + size], "`": text[:start], "'": text[start + size :]}
    parts = written.split("$")
    out, at = [parts[0]], 1
    while at < len(parts):
        part = parts[at]
        if part == "" and at + 1 < len(parts):  # $$
            out.append("$" + parts[at + 1])
            at += 2
            continue
        out.append(fillings[part[0]] + part[1:] if part[:1] in ("&", "`", "'") else "$" + part)
        at += 1
    check_text(sum(map(len, out)))
    return "".join(out)


def _pad(at_start: bool) -> Method:
    def pad(text: str, size: Any = UNDEFINED, filling: Any = UNDEFINED, *_: Any) -> str:
        length, written = get_position(size, 0), " " if filling is UNDEFINED else format_value(filling)
        check_text(length)
        missing = int(length) - get_length(text)
        if missing <= 0 or not written:
            return text
        blanks = slice_text(written * (missing // max(1, get_length(written)) + 1), 0, missing)
        if at_start:
            return blanks + text
        return text + blanks

    return pad


def _repeat(text: str, times: Any = UNDEFINED, *_: Any) -> str:
    number = get_position(times, 0)
    if number < 0 or math.isinf(number):
        raise TemplateFault("a text cannot be repeated so often")
    check_text(number * len(text))
    if text:
        return text * int(number)
    return ""


def _index_of(text: str, searched: Any = UNDEFINED, start: Any = UNDEFINED, *_: Any) -> float:
    first = int(min(max(get_position(start, 0), 0), get_length(text)))
    before = slice_text(text, 0, first)
    at = text.find(format_value(searched), len(before))
    if at >= 0:
        return float(get_length(text[:at]))
    return -1.0


def _at(target: Any, index: Any = UNDEFINED, *_: Any) -> Any:
    length = int(make_number(get_member(target, "length")))
    position = get_position(index, 0)
    if position < 0:
        position = position + length
    if 0 <= position < length:
        return get_member(target, str(int(position)))
    return UNDEFINED


def _char_at(text: str, index: Any = UNDEFINED, *_: Any) -> str:
    position = get_position(index, 0)
    if 0 <= position < get_length(text):
        return slice_text(text, int(position), int(position) + 1)
    return ""


def _char_code_at(text: str, index: Any = UNDEFINED, *_: Any) -> float:
    unit = _char_at(text, index)
    if unit:
        return float(ord(unit))
    return math.nan


def _to_fixed(number: float, digits: Any = UNDEFINED, *_: Any) -> str:
    places = get_position(digits, 0)
    if not 0 <= places <= DIGITS:
        raise TemplateFault("toFixed() digits argument must be between 0 and 100")
    if math.isnan(number) or abs(number) >= 1e21:
        return format_number(number)
    if places < 28:
        exact = Decimal(number).quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)
    else:
        exact = None
    if exact is None:
        raise refuse_unknown("toFixed with so many digits")
    if number != 0:
        return f"{exact:f}"
    return f"{abs(exact):f}"


def _to_text(value: Any, base: Any = UNDEFINED, *_: Any) -> str:
    if base is not UNDEFINED and isinstance(value, float) and make_number(base) != 10:
        raise refuse_unknown("a number in another base")
    return format_value(value)


def _need_list(target: list[Any], more: int) -> None:
    check_items(len(target) + more)


def _push(target: list[Any], *items: Any) -> float:
    _need_list(target, len(items))
    target.extend(items)
    return float(len(target))


def _unshift(target: list[Any], *items: Any) -> float:
    _need_list(target, len(items))
    target[:0] = items
    return float(len(target))


def _slice_list(target: list[Any], start: Any = UNDEFINED, end: Any = UNDEFINED, *_: Any) -> list[Any]:
    length = len(target)
    return target[bound(get_position(start, 0), length) : bound(get_position(end, length), length)]


def _sort(target: list[Any], *args: Any) -> list[Any]:
    if args and args[0] is not UNDEFINED:
        raise refuse_unknown("a sort by a function")
    values = [each for each in target if each is not UNDEFINED]
    missing = [UNDEFINED] * (len(target) - len(values))
    target[:] = sorted(values, key=lambda each: sort_key(format_value(each))) + missing
    return target


def _reverse(target: list[Any], *_: Any) -> list[Any]:
    target.reverse()
    return target


def _concat(target: list[Any], *items: Any) -> list[Any]:
    joined = list(target)
    for item in items:
        joined.extend(item if isinstance(item, list) else [item])
        check_items(len(joined))
    return joined


def _flatten(target: list[Any], depth: Any = UNDEFINED, *_: Any) -> list[Any]:
    levels = get_position(depth, 1)
    flat: list[Any] = []
    for each in target:
        flat.extend(_flatten(each, levels - 1) if isinstance(each, list) and levels >= 1 else [each])
        check_items(len(flat))
    return flat


def _join(target: list[Any], joiner: Any = UNDEFINED, *_: Any) -> str:
    if joiner is UNDEFINED:
        between = ","
    else:
        between = format_value(joiner)
    check_text(len(between) * len(target))
    return join_list(target, between)


def _find(target: list[Any], item: Any) -> float:
    return next((float(i) for i, each in enumerate(target) if are_identical(each, item)), -1.0)


TEXT_METHODS: dict[str, Method] = {
    "at": _at,
    "charAt": _char_at,
    "charCodeAt": _char_code_at,
    "concat": lambda text, *others: "".join([text, *map(format_value, others)]),
    "endsWith": lambda text, end=UNDEFINED, *_: text.endswith(format_value(end)),
    "includes": lambda text, part=UNDEFINED, *_: format_value(part) in text,
    "indexOf": _index_of,
    "lastIndexOf": lambda text, part=UNDEFINED, *_: (
        float(get_length(text[: text.rfind(format_value(part))])) if format_value(part) in text else -1.0
    ),
    "padEnd": _pad(False),
    "padStart": _pad(True),
    "repeat": _repeat,
    "replace": _replace,
    "replaceAll": _replace_all,
    "slice": _slice_text,
    "split": _split,
    "startsWith": lambda text, start=UNDEFINED, *_: text.startswith(format_value(start)),
    "substr": _substr,
    "substring": _substring,
    "toLowerCase": lambda text, *_: text.lower(),
    "toString": _to_text,
    "toUpperCase": lambda text, *_: text.upper(),
    "trim": lambda text, *_: text.strip(SPACES),
    "trimEnd": lambda text, *_: text.rstrip(SPACES),
    "trimRight": lambda text, *_: text.rstrip(SPACES),
    "trimStart": lambda text, *_: text.lstrip(SPACES),
    "trimLeft": lambda text, *_: text.lstrip(SPACES),
    "valueOf": lambda text, *_: str(text),
}
LIST_METHODS: dict[str, Method] = {
    "at": _at,
    "concat": _concat,
    "flat": _flatten,
    "includes": lambda target, item=UNDEFINED, *_: _find(target, item) >= 0,
    "indexOf": lambda target, item=UNDEFINED, *_: _find(target, item),
    "join": _join,
    "pop": lambda target, *_: target.pop() if target else UNDEFINED,
    "push": _push,
    "reverse": _reverse,
    "shift": lambda target, *_: target.pop(0) if target else UNDEFINED,
    "slice": _slice_list,
    "sort": _sort,
    "toReversed": lambda target, *_: target[::-1],
    "toSorted": lambda target, *args: _sort(list(target), *args),
    "toString": _to_text,
    "unshift": _unshift,
}
NUMBER_METHODS: dict[str, Method] = {"toFixed": _to_fixed, "toString": _to_text, "valueOf": lambda number, *_: number}
OBJECT_METHODS: dict[str, Method] = {
    "hasOwnProperty": lambda target, key=UNDEFINED, *_: isinstance(target, dict) and format_value(key) in target,
    "toString": _to_text,
    "valueOf": lambda target, *_: target,
}
