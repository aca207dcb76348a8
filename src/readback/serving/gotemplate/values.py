"""What a template works on: Go's values, as few kinds of them as Ollama hands to a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from readback.serving.gotemplate.traced_text import clean, encoded

# None is a nil interface, ABSENT Go's value that is not there at all: both print alike, and differ under `.A.B`.
# Texts are str, whole numbers int; float, complex and bool are Python's.
Value: TypeAlias = Any
Kind = Literal["invalid", "bool", "int", "uint", "float", "complex", "string", "list", "map", "struct", "pointer"]


class Absent:
    """No value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class Byte(int):
    """One byte of a text: Go's uint8."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Type:
    """The name of a type as Go prints it, and what its values can do.

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
    """A slice. `more` are elements behind its end that slicing may bring back."""

    items: Sequence[Value]
    type: Type = ANY_LIST
    nil: bool = False
    more: Sequence[Value] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A map from texts."""

    items: Mapping[str, Value]
    type: Type = ANY_MAP
    nil: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A struct, or a pointer to one; a nil pointer has no fields."""

    fields: Mapping[str, Value]
    type: Type
    pointer: bool = False
    nil: bool = False


def of_json(value: Any) -> Value:
    """A JSON value as Go decodes it into an interface: every number is a float."""
    if isinstance(value, Mapping):
        return Map({clean(str(name)): of_json(one) for name, one in value.items()})
    if isinstance(value, list | tuple):
        return List(tuple(of_json(one) for one in value))
    if isinstance(value, str):
        return clean(value)
    return _float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:  # Go refuses the request; nothing like it can be printed
        return float("inf") if value > 0 else float("-inf")


def followed(value: Value) -> Value:
    """What a pointer leads to, as an action prints it; a nil one leads nowhere and stays."""
    return Struct(value.fields, value.type) if isinstance(value, Struct) and value.pointer and not value.nil else value


def kind(value: Value) -> Kind:
    """Go's kind, signed whole numbers all one; a nil interface and no value are both invalid."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "uint" if isinstance(value, Byte) else "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, List):
        return "list"
    if isinstance(value, Map):
        return "map"
    if isinstance(value, Struct):
        return "pointer" if value.pointer else "struct"
    return "complex" if isinstance(value, complex) else "invalid"


def type_name(value: Value) -> str:
    """The type as Go's %T prints it."""
    if isinstance(value, Struct):
        return f"*{value.type.name}" if value.pointer else value.type.name
    if isinstance(value, List | Map):
        return value.type.name
    names = {"uint": "uint8", "float": "float64", "complex": "complex128", "invalid": "<nil>"}
    found = kind(value)
    return names.get(found, found)


def truth(value: Value) -> bool:
    """Whether a condition takes the value for true: neither nil nor zero nor empty; a struct always is."""
    if isinstance(value, List | Map):
        return bool(value.items)
    if isinstance(value, Struct):
        return not value.nil
    return value is not ABSENT and bool(value)


def size(value: Value) -> int | None:
    """The length Go gives: bytes of a text, elements of a list or map; None for what has none."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(encoded(value))
    return len(value.items) if isinstance(value, List | Map) else None


def method(value: Value, name: str) -> Callable[[Value], Value] | None:
    """The method of that name, of no argument."""
    if not isinstance(value, List | Map | Struct):
        return None
    if name == "String" and value.type.text:
        return value.type.text
    return value.type.methods.get(name)
