"""Look up a value inside a record by a dotted path: rag.contexts, rag.contexts[0], rag.contexts.0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal

from readback.types import Values


class Missing(Enum):
    """The value for a path that leads nowhere; None is a value that a record may have."""

    MISSING = "missing"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING

STEP = re.compile(r"\.|\[(\d+)\]")
MASK = "[masked]"


def look(values: Values, dotted: str) -> Any | Missing:
    """Return the value at the path `dotted`, or MISSING; a field whose name is the whole path comes first."""
    if dotted in values:
        return values[dotted]
    value: Any = values
    for step in split_path(dotted) or (dotted,):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _index(step) < len(value):
            value = value[_index(step)]
        else:
            return MISSING
    return value


@lru_cache(1024)
def split_path(dotted: str) -> tuple[str, ...]:
    """Split a path into its split_path: rag.contexts[0] into ("rag", "contexts", "0")."""
    return tuple(part for part in STEP.split(dotted) if part)


def mask(values: Values, dotted: str) -> tuple[Values, bool]:
    """Return `values` with the value at `dotted` replaced by "[masked]", and whether there was one.

    A path applies to every element of a list: `chunks.author` masks the author of every chunk.
    """
    path = (dotted,) if dotted in values else split_path(dotted)
    if not path:
        return values, False
    masked, is_present = _mask(values, path)
    return masked, is_present


def _mask(value: Any, path: tuple[str, ...]) -> tuple[Any, bool]:
    if not path:
        return MASK, True
    if isinstance(value, dict) and path[0] in value:
        inner, is_present = _mask(value[path[0]], path[1:])
        if is_present:
            return ({**value, path[0]: inner}, True)
        return (value, False)
    if isinstance(value, list):
        return _mask_list(value, path)
    return value, False


def _mask_list(elements: list[Any], path: tuple[str, ...]) -> tuple[list[Any], bool]:
    """Mask one element if the path begins with its index, else every element."""
    wanted = _index(path[0])
    masked: list[Any] = []
    any_present = False
    for index, element in enumerate(elements):
        if wanted == index:
            element, is_present = _mask(element, path[1:])
        elif wanted == NOT_AN_INDEX:
            element, is_present = _mask(element, path)
        else:
            is_present = False
        masked.append(element)
        any_present = any_present or is_present
    return masked, any_present


def list_names(values: Values, depth: int = 3, prefix: str = "") -> Iterator[str]:
    """Yield the paths of the fields of `values` and of nested objects, dotted, to a depth of `depth` levels."""
    for name, value in values.items():
        yield prefix + name
        if depth > 1 and isinstance(value, dict):
            yield from list_names(value, depth - 1, f"{prefix}{name}.")


def list_texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text inside a value with its path, as (path, text)."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from list_texts(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from list_texts(inner, f"{path}[{index}]")


NOT_AN_INDEX = 1 << 62  # no list is as long


def _index(step: str) -> int:
    if step.isascii() and step.isdigit() and len(step) < 16:
        return int(step)
    return NOT_AN_INDEX
