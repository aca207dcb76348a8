"""Reach a value inside a record by a dotted path: rag.contexts, rag.contexts[0], rag.contexts.0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal

from readback.types import Values


class Missing(Enum):
    """The one value that says a path leads nowhere; None is a value a record may hold."""

    MISSING = "missing"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING

STEP = re.compile(r"\.|\[(\d+)\]")
MASK = "[masked]"


def look(values: Values, dotted: str) -> Any | Missing:
    """The value at `dotted`, or MISSING; a field whose own name holds dots or brackets is found by that name."""
    if dotted in values:
        return values[dotted]
    value: Any = values
    for step in steps(dotted) or (dotted,):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _index(step) < len(value):
            value = value[_index(step)]
        else:
            return MISSING
    return value


@lru_cache(1024)
def steps(dotted: str) -> tuple[str, ...]:
    """rag.contexts[0] as ("rag", "contexts", "0")."""
    return tuple(part for part in STEP.split(dotted) if part)


def mask(values: Values, dotted: str) -> tuple[Values, bool]:
    """`values` with what is at `dotted` replaced by "[masked]", and whether anything was there.

    A list on the way is walked: `chunks.author` masks the author of every chunk.
    """
    path = (dotted,) if dotted in values else steps(dotted)
    if not path:
        return values, False
    masked, found = _mask(values, path)
    return masked, found


def _mask(value: Any, path: tuple[str, ...]) -> tuple[Any, bool]:
    if not path:
        return MASK, True
    if isinstance(value, dict) and path[0] in value:
        inner, found = _mask(value[path[0]], path[1:])
        return ({**value, path[0]: inner}, True) if found else (value, False)
    if isinstance(value, list):
        at = _index(path[0])
        pairs = [
            _mask(one, path[1:] if index == at else path) if at in (NOT_AN_INDEX, index) else (one, False)
            for index, one in enumerate(value)
        ]
        return [one for one, _ in pairs], any(found for _, found in pairs)
    return value, False


def names(values: Values, deep: int = 3, prefix: str = "") -> Iterator[str]:
    """The names under which `values` can be looked up: its fields, and those of objects inside it, dotted."""
    for name, value in values.items():
        yield prefix + name
        if deep > 1 and isinstance(value, dict):
            yield from names(value, deep - 1, f"{prefix}{name}.")


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text inside a value, with the path that leads to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from texts(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from texts(inner, f"{path}[{index}]")


NOT_AN_INDEX = 1 << 62  # beyond every list


def _index(step: str) -> int:
    return int(step) if step.isascii() and step.isdigit() and len(step) < 16 else NOT_AN_INDEX
