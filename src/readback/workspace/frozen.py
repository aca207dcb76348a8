"""A workspace as JSON and back, so that a bounded child works on the very value that its caller holds."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from readback.types import Workspace


def freeze(opened: Workspace) -> dict[str, Any]:
    """The workspace as JSON values. What is equal to a field's default is left out."""
    made: dict[str, Any] = _plain(opened)
    return made


def thaw(frozen: Mapping[str, Any]) -> Workspace:
    """The workspace that `freeze` was given."""
    made: Workspace = _maker(Workspace)(frozen)
    return made


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        named = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: _plain(one) for field, one in named if one is not field.default}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


@cache
def _maker(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of a type, as the annotations in `types` have it, from its JSON."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _dataclass(kind)
    if origin in (Union, types.UnionType):
        made = _maker(next(one for one in inner if one is not type(None)))
        return lambda value: None if value is None else made(value)
    if origin is tuple:
        return _tuple(inner)
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        one = _maker(inner[1])
        return lambda value: {name: one(each) for name, each in value.items()}
    return Path if kind is Path else _same


def _dataclass(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    makers = {field.name: _maker(hints[field.name]) for field in fields(kind)}
    return lambda value: kind(**{name: makers[name](one) for name, one in value.items()})


def _tuple(inner: tuple[Any, ...]) -> Callable[[Any], Any]:
    if inner[-1] is Ellipsis:
        one = _maker(inner[0])
        return lambda value: tuple(one(each) for each in value)
    each = tuple(_maker(kind) for kind in inner)
    return lambda value: tuple(make(part) for make, part in zip(each, value, strict=True))


def _same(value: Any) -> Any:
    return value
