"""Turn frozen values into JSON and back, so that another process works on the very workspace that its caller has."""

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


def freeze(workspace: Workspace) -> Mapping[str, Any]:
    """Return the workspace as JSON values. What is equal to a field's default is left out.

    The last answer is stored, since a check asks once for each range of records.
    """
    last_workspace, values = _last[0]
    if last_workspace is not workspace:
        values = to_json_values(workspace)
        _last[0] = workspace, values
    return values


def thaw(values: Mapping[str, Any]) -> Workspace:
    """Return the workspace of which `freeze` made these values."""
    workspace: Workspace = build_converter(Workspace)(values)
    return workspace


def to_json_values(value: Any) -> Any:
    """Return a value of frozen dataclasses as JSON values; a mapping with tuples as keys becomes a list of pairs."""
    if value is None or isinstance(value, str | int | float):  # by far the most
        return value
    if is_dataclass(value) and not isinstance(value, type):
        items = ((name, default, getattr(value, name)) for name, default in _list_fields(type(value)))
        return {name: to_json_values(item) for name, default, item in items if item is not default}
    if isinstance(value, Mapping):
        if any(isinstance(key, tuple) for key in value):
            return [[to_json_values(key), to_json_values(item)] for key, item in value.items()]
        return {str(key): to_json_values(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    if isinstance(value, Sequence):
        return [to_json_values(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


@cache
def _list_fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Return the names of a dataclass's fields and their defaults."""
    return tuple((field.name, field.default) for field in fields(kind))


@cache
def build_converter(kind: Any) -> Callable[[Any], Any]:
    """Return a function that makes a value of a type, as the annotations in `types` have it, from its JSON."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _build_dataclass_converter(kind)
    if origin in (Union, types.UnionType):
        convert = build_converter(next(argument for argument in arguments if argument is not type(None)))
        return lambda value: None if value is None else convert(value)
    if origin in (tuple, Sequence):
        return _build_tuple_converter(arguments if origin is tuple else (*arguments, ...))
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return _build_mapping_converter(*arguments)
    if kind is bytes:
        return b64decode
    if kind is Path:
        return Path
    return _return_unchanged


def _build_dataclass_converter(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    converters = {field.name: build_converter(hints[field.name]) for field in fields(kind)}
    return lambda value: kind(**{name: converters[name](item) for name, item in value.items()})


def _build_mapping_converter(key_kind: Any, item_kind: Any) -> Callable[[Any], Any]:
    convert_item = build_converter(item_kind)
    if get_origin(key_kind) is not tuple:
        return lambda value: {key: convert_item(item) for key, item in value.items()}
    convert_key = build_converter(key_kind)
    return lambda value: {convert_key(key): convert_item(item) for key, item in value or ()}


def _build_tuple_converter(kinds: tuple[Any, ...]) -> Callable[[Any], Any]:
    if kinds[-1] is Ellipsis:
        convert = build_converter(kinds[0])
        return lambda value: tuple(convert(item) for item in value)
    converters = tuple(build_converter(kind) for kind in kinds)
    return lambda value: tuple(convert(item) for convert, item in zip(converters, value, strict=True))


def _return_unchanged(value: Any) -> Any:
    return value
