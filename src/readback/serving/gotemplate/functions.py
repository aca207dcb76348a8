"""The functions a template may call: Go's own and Ollama's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from readback.serving.gotemplate import escapes
from readback.serving.gotemplate.formatting import printed, printed_line
from readback.serving.gotemplate.printf import printf as formatted
from readback.serving.gotemplate.traced_text import HERE, Told, cut, encoded, mapped, pieces, told
from readback.serving.gotemplate.values import (
    ABSENT,
    Byte,
    List,
    Map,
    Struct,
    Value,
    followed,
    kind,
    method,
    size,
    truth,
    type_name,
)

# Go's comparisons in templates: only within one basic kind.

WHOLE = ("int", "uint")
BASIC = ("bool", "complex", "float", "int", "string", "uint")


def equal(one: Value, other: Value) -> bool:
    """Whether two values are equal; nothing equals nil but nil. Raises TypeError where they do not compare."""
    first, second = kind(one), kind(other)
    basic = first in BASIC or second in BASIC
    if basic and first != second and not (first in WHOLE and second in WHOLE):
        if "invalid" in (first, second):
            return False
        raise TypeError("incompatible types for comparison")
    if basic:
        return bool(one == other)
    if first != second and "invalid" not in (first, second):
        raise TypeError("non-comparable types")
    if _nil(one) or _nil(other):
        return _nil(one) and _nil(other)
    if second == "pointer":
        return one is other
    raise TypeError("non-comparable type")


def less(one: Value, other: Value) -> bool:
    """Whether the first comes before the second; texts by their bytes. Raises TypeError where there is no order."""
    first, second = kind(one), kind(other)
    if first not in BASIC or second not in BASIC:
        raise TypeError("invalid type for comparison")
    if first != second and not (first in WHOLE and second in WHOLE):
        raise TypeError("incompatible types for comparison")
    if first in ("bool", "complex"):
        raise TypeError("invalid type for comparison")
    if first == "string":
        return encoded(one) < encoded(other)
    return bool(one < other)


def _nil(value: Value) -> bool:
    return value is None or value is ABSENT or (isinstance(value, List | Map | Struct) and value.nil)


class Wrong(Exception):  # noqa: N818 - a fault of the template, located by whoever called
    """A function that cannot work on what it was given, and why."""


@dataclass(frozen=True, slots=True)
class Function:
    """`least` arguments at least, `most` at most (None: any number); `texts` of the first must be texts."""

    run: Callable[[Sequence[Value]], Value]
    least: int = 1
    most: int | None = None
    texts: int = 0


def _index(args: Sequence[Value]) -> Value:
    item = args[0]
    if item is None or item is ABSENT:
        raise Wrong("index of untyped nil")
    for index in args[1:]:
        if item is None or item is ABSENT:
            raise Wrong("index of nil pointer")
        if isinstance(item, str):
            item = Byte(encoded(item)[_position(index, (size(item) or 0) - 1)])
        elif isinstance(item, List):
            item = item.items[_position(index, len(item.items) - 1)]
        elif isinstance(item, Map):
            if not isinstance(index, str):
                nil = index is None or index is ABSENT
                raise Wrong("value is nil; should be of type string" if nil else f"value has type {type_name(index)}")
            found = item.items.get(index, ABSENT)
            item = (item.type.zero() if item.type.zero else None) if found is ABSENT else found
        else:
            raise Wrong(f"can't index item of type {type_name(item)}")
    return item


def _slice(args: Sequence[Value]) -> Value:
    item, indexes = args[0], args[1:]
    if item is None or item is ABSENT:
        raise Wrong("slice of untyped nil")
    if len(indexes) > 3:
        raise Wrong(f"too many slice indexes: {len(indexes)}")
    if not isinstance(item, str | List):
        raise Wrong(f"can't slice item of type {type_name(item)}")
    if isinstance(item, str) and len(indexes) == 3:
        raise Wrong("cannot 3-index slice a string")
    length = size(item) or 0
    room = length if isinstance(item, str) else length + len(item.more)
    places = [_position(index, room) for index in indexes]
    start, end = (*places, *(0, length)[len(places) :])[:2]
    last = places[2] if len(places) == 3 else room
    if start > end or end > last:
        raise Wrong(f"invalid slice index: {max(start, end)} > {min(end, last)}")
    if isinstance(item, str):
        return cut(item, start, end)
    everything = (*item.items, *item.more)
    return replace(item, items=everything[start:end], more=everything[end:last])


def _position(index: Value, most: int) -> int:
    if not isinstance(index, int) or isinstance(index, bool):
        what = "nil" if index is None or index is ABSENT else f"type {type_name(index)}"
        raise Wrong(f"cannot index slice/array with {what}")
    if not 0 <= index <= most:
        raise Wrong(f"index out of range: {int(index)}")
    return int(index)


def _len(args: Sequence[Value]) -> Value:
    length = size(args[0])
    if length is None:
        nil = args[0] is None or args[0] is ABSENT
        raise Wrong("len of nil pointer" if nil else f"len of type {type_name(args[0])}")
    return length


def _call(args: Sequence[Value]) -> Value:
    nil = args[0] is None or args[0] is ABSENT
    raise Wrong("call of nil" if nil else f"non-function of type {type_name(args[0])}")


def _eq(args: Sequence[Value]) -> Value:
    if len(args) < 2:
        raise Wrong("missing argument for comparison")
    return any(_compared(equal, args[0], other) for other in args[1:])


def _compared(test: Callable[[Value, Value], bool], one: Value, other: Value) -> bool:
    try:
        return test(one, other)
    except TypeError as wrong:
        raise Wrong(str(wrong)) from None


def _le(args: Sequence[Value]) -> bool:
    return _compared(less, *args) or _compared(equal, *args)


def _escaped(change: Callable[[str], str]) -> Function:
    """A function of Go's that prints its arguments and makes the text safe."""

    def run(args: Sequence[Value]) -> Value:
        if len(args) == 1 and isinstance(args[0], str):
            return mapped(args[0], change)
        given = ["<no value>" if one is None or one is ABSENT else followed(one) for one in args]
        return mapped(told(printed(given)), change)

    return Function(run, 0)


def _json(args: Sequence[Value]) -> Value:
    value = args[0]
    if isinstance(value, Told):
        return told((('"', HERE), *pieces(mapped(value, escapes.json_text)), ('"', HERE)))
    try:
        return escapes.json(value)
    except escapes.NoJson:
        return ""


def _typescript(args: Sequence[Value]) -> Value:
    own = method(args[0], "ToTypeScriptType")
    return own(args[0]) if own else _here("any")


def _here(text: str) -> str:
    return told(((text, HERE),))


GO: Mapping[str, Function] = {
    "and": Function(lambda args: args[-1]),  # what they answer, and when they stop, is the interpreter's
    "or": Function(lambda args: args[-1]),
    "not": Function(lambda args: not truth(args[0]), 1, 1),
    "eq": Function(_eq),
    "ne": Function(lambda args: not _compared(equal, *args), 2, 2),
    "lt": Function(lambda args: _compared(less, *args), 2, 2),
    "le": Function(_le, 2, 2),
    "gt": Function(lambda args: not _le(args), 2, 2),
    "ge": Function(lambda args: not _compared(less, *args), 2, 2),
    "len": Function(_len, 1, 1),
    "index": Function(_index),
    "slice": Function(_slice),
    "print": Function(lambda args: told(printed(args)), 0),
    "println": Function(lambda args: told(printed_line(args)), 0),
    "printf": Function(lambda args: told(formatted(args[0], args[1:])), 1, None, 1),
    "html": _escaped(escapes.html),
    "js": _escaped(escapes.js),
    "urlquery": _escaped(escapes.query),
    "call": Function(_call),
}
OLLAMA = frozenset(("json", "currentDate", "yesterdayDate", "toTypeScriptType"))
NAMES = frozenset(GO) | OLLAMA


def functions(today: str, yesterday: str) -> Mapping[str, Function]:
    """All functions of a template in Ollama; the dates as YYYY-MM-DD."""
    any_texts = 1 << 16
    return {
        **GO,
        "json": Function(_json, 1, 1),
        "currentDate": Function(lambda _: _here(today), 0, None, any_texts),
        "yesterdayDate": Function(lambda _: _here(yesterday), 0, None, any_texts),
        "toTypeScriptType": Function(_typescript, 1, 1),
    }
