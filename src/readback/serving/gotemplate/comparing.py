"""Go's comparisons in templates: only within one basic kind."""

from __future__ import annotations

from readback.serving.gotemplate.traced_text import encoded
from readback.serving.gotemplate.values import ABSENT, List, Map, Struct, Value, kind

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
