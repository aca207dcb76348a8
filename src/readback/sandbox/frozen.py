"""Frozen values as JSON and back, so that another process works on the very workspace that its caller holds."""

from __future__ import annotations

import types
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from readback.types import Workspace

_last: list[tuple[Workspace | None, Mapping[str, Any]]] = [(None, {})]  # a pair, which threads replace as one


def freeze(opened: Workspace) -> Mapping[str, Any]:
    """The workspace as JSON values. What is equal to a field's default is left out.

    The last answer is kept, for a check asks once for each range of records.
    """
    of, made = _last[0]
    if of is not opened:
        made = plain(opened)
        _last[0] = opened, made
    return made


def thaw(frozen: Mapping[str, Any]) -> Workspace:
    """The workspace that `freeze` was given."""
    made: Workspace = maker(Workspace)(frozen)
    return made


def plain(value: Any) -> Any:
    """A value of frozen dataclasses as JSON values; a mapping whose keys are no text becomes a list of pairs."""
    if value is None or isinstance(value, str | int | float):  # by far the most
        return value
    if is_dataclass(value) and not isinstance(value, type):
        named = ((name, default, getattr(value, name)) for name, default in _fields(type(value)))
        return {name: plain(one) for name, default, one in named if one is not default}
    if isinstance(value, Mapping):
        if any(isinstance(name, tuple) for name in value):
            return [[plain(name), plain(one)] for name, one in value.items()]
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The names of a dataclass's fields and their defaults."""
    return tuple((field.name, field.default) for field in fields(kind))


@cache
def maker(kind: Any) -> Callable[[Any], Any]:
    """What makes a value of a type, as the annotations in `types` have it, from its JSON."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _dataclass(kind)
    if origin in (Union, types.UnionType):
        made = maker(next(one for one in inner if one is not type(None)))
        return lambda value: None if value is None else made(value)
    if origin in (tuple, Sequence):
        return _tuple(inner if origin is tuple else (*inner, ...))
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return _mapping(*inner)
    if kind is bytes:
        return b64decode
    return Path if kind is Path else _same


def _dataclass(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    makers = {field.name: maker(hints[field.name]) for field in fields(kind)}
    return lambda value: kind(**{name: makers[name](one) for name, one in value.items()})


def _mapping(key: Any, inner: Any) -> Callable[[Any], Any]:
    one = maker(inner)
    if get_origin(key) is not tuple:
        return lambda value: {name: one(each) for name, each in value.items()}
    name = maker(key)
    return lambda value: {name(each): one(rest) for each, rest in value or ()}


def _tuple(inner: tuple[Any, ...]) -> Callable[[Any], Any]:
    if inner[-1] is Ellipsis:
        one = maker(inner[0])
        return lambda value: tuple(one(each) for each in value)
    each = tuple(maker(kind) for kind in inner)
    return lambda value: tuple(make(part) for make, part in zip(each, value, strict=True))


def _same(value: Any) -> Any:
    return value
