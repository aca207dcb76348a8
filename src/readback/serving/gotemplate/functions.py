"""Define the functions that a template may call: Go's own and Ollama's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from readback.serving.gotemplate import escapes
from readback.serving.gotemplate.formatting import print_line, print_values
from readback.serving.gotemplate.printf import format_text
from readback.serving.gotemplate.traced_text import (
    ACTION,
    TracedText,
    encode_text,
    join_pieces,
    list_pieces,
    map_text,
    slice_bytes,
)
from readback.serving.gotemplate.values import (
    Byte,
    List,
    Map,
    Value,
    dereference,
    find_kind,
    find_method,
    is_missing,
    is_nil,
    is_true,
    measure_length,
    name_type,
)

# Go compares values in templates only within one basic kind.
WHOLE = ("int", "uint")
BASIC = ("bool", "complex", "float", "int", "string", "uint")


def is_equal(left: Value, right: Value) -> bool:
    """Return whether two values are equal; only nil equals nil. Raises TypeError where they cannot be compared."""
    left_kind, right_kind = find_kind(left), find_kind(right)
    basic = left_kind in BASIC or right_kind in BASIC
    if basic and left_kind != right_kind and not (left_kind in WHOLE and right_kind in WHOLE):
        if "invalid" in (left_kind, right_kind):
            return False
        raise TypeError("incompatible types for comparison")
    if basic:
        return bool(left == right)
    if left_kind != right_kind and "invalid" not in (left_kind, right_kind):
        raise TypeError("non-comparable types")
    if is_nil(left) or is_nil(right):
        return is_nil(left) and is_nil(right)
    if right_kind == "pointer":
        return left is right
    raise TypeError("non-comparable type")


def is_less(left: Value, right: Value) -> bool:
    """Return whether the first value comes before the second; texts are compared by their bytes.

    Raises TypeError where there is no order.
    """
    left_kind, right_kind = find_kind(left), find_kind(right)
    if left_kind not in BASIC or right_kind not in BASIC:
        raise TypeError("invalid type for comparison")
    if left_kind != right_kind and not (left_kind in WHOLE and right_kind in WHOLE):
        raise TypeError("incompatible types for comparison")
    if left_kind in ("bool", "complex"):
        raise TypeError("invalid type for comparison")
    if left_kind == "string":
        return encode_text(left) < encode_text(right)
    return bool(left < right)


class CallError(Exception):
    """Say why a function cannot work on its arguments."""


@dataclass(frozen=True, slots=True)
class Function:
    """Describe a function and its arguments.

    It takes `least` arguments at least and `most` at most (None: any number); the first `texts` must be texts.
    """

    run: Callable[[Sequence[Value]], Value]
    least: int = 1
    most: int | None = None
    texts: int = 0


def _get_element(args: Sequence[Value]) -> Value:
    item = args[0]
    if is_missing(item):
        raise CallError("index of untyped nil")
    for index in args[1:]:
        if is_missing(item):
            raise CallError("index of nil pointer")
        if isinstance(item, str):
            item = Byte(encode_text(item)[_check_index(index, (measure_length(item) or 0) - 1)])
        elif isinstance(item, List):
            item = item.items[_check_index(index, len(item.items) - 1)]
        elif isinstance(item, Map):
            item = _look_up(item, index)
        else:
            raise CallError(f"can't index item of type {name_type(item)}")
    return item


def _look_up(table: Map, key: Value) -> Value:
    if is_missing(key):
        raise CallError("value is nil; should be of type string")
    if not isinstance(key, str):
        raise CallError(f"value has type {name_type(key)}")
    if key in table.items:
        return table.items[key]
    if table.type.zero:
        return table.type.zero()
    return None


def _slice(args: Sequence[Value]) -> Value:
    item, indexes = args[0], args[1:]
    if is_missing(item):
        raise CallError("slice of untyped nil")
    if len(indexes) > 3:
        raise CallError(f"too many slice indexes: {len(indexes)}")
    if not isinstance(item, str | List):
        raise CallError(f"can't slice item of type {name_type(item)}")
    if isinstance(item, str) and len(indexes) == 3:
        raise CallError("cannot 3-index slice a string")
    length = measure_length(item) or 0
    if isinstance(item, str):
        room = length
    else:
        room = length + len(item.more)
    positions = [_check_index(index, room) for index in indexes]
    start, end = (*positions, *(0, length)[len(positions) :])[:2]
    if len(positions) == 3:
        last = positions[2]
    else:
        last = room
    if start > end or end > last:
        raise CallError(f"invalid slice index: {max(start, end)} > {min(end, last)}")
    if isinstance(item, str):
        return slice_bytes(item, start, end)
    elements = (*item.items, *item.more)
    return replace(item, items=elements[start:end], more=elements[end:last])


def _check_index(index: Value, most: int) -> int:
    if not isinstance(index, int) or isinstance(index, bool):
        if is_missing(index):
            description = "nil"
        else:
            description = f"type {name_type(index)}"
        raise CallError(f"cannot index slice/array with {description}")
    if not 0 <= index <= most:
        raise CallError(f"index out of range: {int(index)}")
    return int(index)


def _get_length(args: Sequence[Value]) -> Value:
    length = measure_length(args[0])
    if length is None:
        raise CallError("len of nil pointer" if is_missing(args[0]) else f"len of type {name_type(args[0])}")
    return length


def _refuse_call(args: Sequence[Value]) -> Value:
    raise CallError("call of nil" if is_missing(args[0]) else f"non-function of type {name_type(args[0])}")


def _equals_any(args: Sequence[Value]) -> Value:
    if len(args) < 2:
        raise CallError("missing argument for comparison")
    return any(_compare(is_equal, args[0], other) for other in args[1:])


def _compare(compare: Callable[[Value, Value], bool], left: Value, right: Value) -> bool:
    try:
        return compare(left, right)
    except TypeError as error:
        raise CallError(str(error)) from None


def _is_less_or_equal(args: Sequence[Value]) -> bool:
    return _compare(is_less, *args) or _compare(is_equal, *args)


def _make_escaper(change: Callable[[str], str]) -> Function:
    """Return a function of Go's that prints its arguments and escapes the text."""

    def run(args: Sequence[Value]) -> Value:
        if len(args) == 1 and isinstance(args[0], str):
            return map_text(args[0], change)
        values = ["<no value>" if is_missing(arg) else dereference(arg) for arg in args]
        return map_text(join_pieces(print_values(values)), change)

    return Function(run, 0)


def _to_json(args: Sequence[Value]) -> Value:
    value = args[0]
    if isinstance(value, TracedText):
        return join_pieces((('"', ACTION), *list_pieces(map_text(value, escapes.escape_json)), ('"', ACTION)))
    try:
        return escapes.write_json(value)
    except escapes.JsonError:
        return ""


def _to_typescript(args: Sequence[Value]) -> Value:
    method = find_method(args[0], "ToTypeScriptType")
    if method:
        return method(args[0])
    return _trace_to_action("any")


def _trace_to_action(text: str) -> str:
    return join_pieces(((text, ACTION),))


GO: Mapping[str, Function] = {
    # The evaluator itself decides what these two return and when they stop.
    "and": Function(lambda args: args[-1]),
    "or": Function(lambda args: args[-1]),
    "not": Function(lambda args: not is_true(args[0]), 1, 1),
    "eq": Function(_equals_any),
    "ne": Function(lambda args: not _compare(is_equal, *args), 2, 2),
    "lt": Function(lambda args: _compare(is_less, *args), 2, 2),
    "le": Function(_is_less_or_equal, 2, 2),
    "gt": Function(lambda args: not _is_less_or_equal(args), 2, 2),
    "ge": Function(lambda args: not _compare(is_less, *args), 2, 2),
    "len": Function(_get_length, 1, 1),
    "index": Function(_get_element),
    "slice": Function(_slice),
    "print": Function(lambda args: join_pieces(print_values(args)), 0),
    "println": Function(lambda args: join_pieces(print_line(args)), 0),
    "printf": Function(lambda args: join_pieces(format_text(args[0], args[1:])), 1, None, 1),
    "html": _make_escaper(escapes.escape_html),
    "js": _make_escaper(escapes.escape_js),
    "urlquery": _make_escaper(escapes.escape_query),
    "call": Function(_refuse_call),
}
OLLAMA = frozenset(("json", "currentDate", "yesterdayDate", "toTypeScriptType"))
NAMES = frozenset(GO) | OLLAMA


def build_functions(today: str, yesterday: str) -> Mapping[str, Function]:
    """Return all functions of a template in Ollama by name; the dates are written YYYY-MM-DD."""
    any_texts = 1 << 16
    return {
        **GO,
        "json": Function(_to_json, 1, 1),
        "currentDate": Function(lambda _: _trace_to_action(today), 0, None, any_texts),
        "yesterdayDate": Function(lambda _: _trace_to_action(yesterday), 0, None, any_texts),
        "toTypeScriptType": Function(_to_typescript, 1, 1),
    }
