"""Represent the values of a template: as many kinds of Go's values as Ollama passes to one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from readback.serving.gotemplate.traced_text import encode_text, replace_surrogates

# None is a nil interface, ABSENT Go's value that is not there at all: both print alike, and differ under `.A.B`.
# Texts are str, whole numbers int; float, complex and bool are Python's.
Value: TypeAlias = Any
Kind = Literal["invalid", "bool", "int", "uint", "float", "complex", "string", "list", "map", "struct", "pointer"]


class Absent:
    """Mark that there is no value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Byte(int):
    """Represent one byte of a text, Go's uint8."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Type:
    """Describe a type: its name as Go prints it, and what its values can do.

    `text` is its String method; `methods` those that take no argument; `fields` a struct's names with their names in
    JSON ("" leaves them out) and whether an empty one is left out; `zero` makes the value of an absent key.
    """

    name: str
    text: Callable[[Value], str] | None = None
    methods: Mapping[str, Callable[[Value], Value]] = field(default_factory=dict)
    fields: tuple[tuple[str, str, bool], ...] = ()
    zero: Callable[[], Value] | None = None
    json: Callable[[Value], Value] | None = None  # what stands for it in JSON
    ordered: bool = False  # JSON keeps the keys of a map in their order


ANY_LIST = Type("[]interface {}")
ANY_MAP = Type("map[string]interface {}")
TEXTS = Type("[]string")


@dataclass(frozen=True, slots=True, eq=False)
class List:
    """Represent a slice; `more` holds elements behind its end that slicing may bring back."""

    items: Sequence[Value]
    type: Type = ANY_LIST
    nil: bool = False
    more: Sequence[Value] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """Represent a map from strings."""

    items: Mapping[str, Value]
    type: Type = ANY_MAP
    nil: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """Represent a struct, or a pointer to one; a nil pointer has no fields."""

    fields: Mapping[str, Value]
    type: Type
    pointer: bool = False
    nil: bool = False


def from_json(value: Any) -> Value:
    """Return a JSON value as Go decodes it into an interface: every number is a float."""
    if isinstance(value, Mapping):
        return Map({replace_surrogates(str(name)): from_json(item) for name, item in value.items()})
    if isinstance(value, list | tuple):
        return List(tuple(from_json(item) for item in value))
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _to_float(value)
    return value


def _to_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:  # Go refuses the request; nothing like it can be printed
        if value > 0:
            return float("inf")
        return float("-inf")


def dereference(value: Value) -> Value:
    """Return the struct that a pointer leads to, as an action prints it; a nil pointer and any other value stay."""
    if isinstance(value, Struct) and value.pointer and not value.nil:
        return Struct(value.fields, value.type)
    return value


def find_kind(value: Value) -> Kind:
    """Return Go's kind; all signed integers are `int`, a nil interface and an absent value are `invalid`."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        if isinstance(value, Byte):
            return "uint"
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, List):
        return "list"
    if isinstance(value, Map):
        return "map"
    if isinstance(value, Struct):
        if value.pointer:
            return "pointer"
        return "struct"
    if isinstance(value, complex):
        return "complex"
    return "invalid"


def name_type(value: Value) -> str:
    """Return the type as Go's %T prints it."""
    if isinstance(value, Struct):
        if value.pointer:
            return f"*{value.type.name}"
        return value.type.name
    if isinstance(value, List | Map):
        return value.type.name
    names = {"uint": "uint8", "float": "float64", "complex": "complex128", "invalid": "<nil>"}
    go_kind = find_kind(value)
    return names.get(go_kind, go_kind)


def is_true(value: Value) -> bool:
    """Return whether a condition takes the value for true: not nil, zero or empty; a struct always is."""
    if isinstance(value, List | Map):
        return bool(value.items)
    if isinstance(value, Struct):
        return not value.nil
    return value is not ABSENT and bool(value)


def measure_length(value: Value) -> int | None:
    """Return the length that Go's len gives: bytes of a text, elements of a list or map; else None."""
    if isinstance(value, str):
        if value.isascii():
            return len(value)
        return len(encode_text(value))
    if isinstance(value, List | Map):
        return len(value.items)
    return None


def is_nil(value: Value) -> bool:
    """Return whether a value is absent, a nil interface, or a nil list, map or pointer."""
    return is_missing(value) or (isinstance(value, List | Map | Struct) and value.nil)


def is_missing(value: Value) -> bool:
    """Return whether a value is absent or a nil interface."""
    return value is None or value is ABSENT


def find_method(value: Value, name: str) -> Callable[[Value], Value] | None:
    """Return the method of that name if it takes no argument."""
    if not isinstance(value, List | Map | Struct):
        return None
    if name == "String" and value.type.text:
        return value.type.text
    return value.type.methods.get(name)
