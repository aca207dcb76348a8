"""Kinds of value in readback.yml: each reads a node, reports what is wrong there, and has a JSON Schema.

A section is a frozen dataclass whose fields are declared with `key`; `section` makes a kind of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

from readback.readers.yaml.yaml_file import Node, report_unknown_keys
from readback.types import Location

T = TypeVar("T")
S = TypeVar("S", bound="Section")
Schema = dict[str, Any]

KEY = "readback key"  # of a field's metadata
ANYTHING: Schema = {}


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """One kind of value. `read` returns None where the value is wrong, after it reported that at the node."""

    read: Callable[[Node], T | None]
    schema: Callable[[], Schema]


@dataclass(frozen=True, slots=True)
class Key:
    """What the schema says of one key. `names` are the name that is documented and older ones that are understood."""

    kind: Kind[Any]
    description: str
    names: tuple[str, ...]
    required: bool


@dataclass(frozen=True, slots=True)
class TextNode:
    """A text that somebody wrote, such as a path or a name, with its node: findings about it belong there."""

    text: str
    node: Node

    @property
    def place(self) -> Location:
        """Where the text is in the file."""
        return self.node.place


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A mapping with known keys. `parts` are the nodes of the keys that it states, in the order of the file."""

    node: Node
    parts: Mapping[str, Node] = field(default_factory=dict)

    @property
    def place(self) -> Location:
        """Where the section is in the file."""
        return self.node.place


def key(
    kind: Kind[Any],
    description: str,
    *,
    name: str = "",
    aliases: tuple[str, ...] = (),
    required: bool = False,
    empty: Callable[[], Any] = lambda: None,
) -> Any:
    """Declare a field of a section. `name` is the key's name where it is not that of the field; `empty` makes the
    value of a key that is not stated.
    """
    return field(default_factory=empty, metadata={KEY: (kind, description, name, aliases, required)})


def list_keys(cls: type[Section], without: Collection[str] = ()) -> dict[str, Key]:
    """Return the keys of a section in the order of their declaration, by the name of the field."""
    keys: dict[str, Key] = {}
    for each in fields(cls):
        if KEY in each.metadata:
            kind, description, name, aliases, required = each.metadata[KEY]
            keys[each.name] = Key(kind, description, (name or each.name, *aliases), required)
    return {attribute: declared for attribute, declared in keys.items() if declared.names[0] not in without}


def read_section(cls: type[S], node: Node, *, shorthand: str = "", without: Collection[str] = ()) -> S:
    """Read a mapping with the keys of `cls`, but for those in `without`.

    Unknown keys and wrong values are reported, and the rest is used. With a `shorthand`, the value is not the mapping
    but the value of that key.
    """
    keys = list_keys(cls, without)
    if shorthand:
        parts = {shorthand: node}
    else:
        parts = _list_parts(node, keys)
    values: dict[str, Any] = {}
    for attribute, declared in keys.items():
        part = parts.get(declared.names[0])
        if part is None:
            value = None
        else:
            value = declared.kind.read(part)
        if value is not None:
            values[attribute] = value
    return cls(node=node, parts=parts, **values)


def _list_parts(node: Node, keys: Mapping[str, Key]) -> dict[str, Node]:
    """Return the entries of a mapping that are not null, each under the documented name of its key."""
    documented_names = tuple(declared.names[0] for declared in keys.values())
    documented = {name: declared.names[0] for declared in keys.values() for name in declared.names}
    if not isinstance(node.value, Mapping):
        return node.mapping(*documented_names)
    for diagnostic in report_unknown_keys(node.value, tuple(documented), node.parsed, *node.keys):
        values = {**diagnostic.values, "known": ", ".join(documented_names)}
        node.diagnostics.append(replace(diagnostic, values=values))
    parts: dict[str, Node] = {}
    for name, value in node.value.items():
        if name not in documented or value is None:
            continue
        part = node.at(name, value)
        if documented[name] in parts:
            part.wrong(f"nothing, since {parts[documented[name]].keys[-1]} is given too")
        else:
            parts[documented[name]] = part
    return parts


def describe_section(cls: type[Section], without: Collection[str] = ()) -> Schema:
    """Return the JSON Schema of a mapping with the keys of `cls`, but for those in `without`."""
    keys = list_keys(cls, without)
    properties: Schema = {}
    for declared in keys.values():
        for name in declared.names:
            properties[name] = {**declared.kind.schema(), "description": declared.description}
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    required = [declared.names[0] for declared in keys.values() if declared.required]
    return schema | ({"required": required} if required else {})


def is_no_mapping(value: Any) -> bool:
    """Return whether a value is written in place of a section's mapping."""
    return not isinstance(value, Mapping)


def section(
    cls: type[S],
    *,
    shorthand: str = "",
    is_short: Callable[[Any], bool] = is_no_mapping,
    without: Collection[str] = (),
    nullable: bool = False,
    check: Callable[[S], str] | None = None,
) -> Kind[S]:
    """Return the kind of a section, without the keys in `without`.

    `shorthand` is the key whose value may be written in place of the mapping, where `is_short` says that it is.
    `check` returns what is expected instead of a section that cannot be used, and "" for others.
    """

    def read(node: Node) -> S | None:
        if nullable and node.value is None:
            return cls(node=node)
        is_shorthand = bool(shorthand) and is_short(node.value)
        stated = read_section(cls, node, shorthand=shorthand if is_shorthand else "", without=without)
        expected = check(stated) if check else ""
        if expected:
            node.wrong(expected)
            return None
        return stated

    def schema() -> Schema:
        described = describe_section(cls, without)
        if shorthand:
            kinds = {declared.names[0]: declared.kind for declared in list_keys(cls).values()}
            described = any_of(kinds[shorthand].schema(), described)
        if nullable:
            return any_of(described, {"type": "null"})
        return described

    return Kind(read, schema)


def any_of(*schemas: Schema) -> Schema:
    """Return the JSON Schema of a value that fits one of several."""
    return {"anyOf": [each for schema in schemas for each in schema.get("anyOf", [schema])]}


def _read_text_node(node: Node) -> TextNode | None:
    text = node.text()
    if text is None:
        return None
    return TextNode(text, node)


def _read_text_nodes(node: Node) -> tuple[TextNode, ...]:
    texts = (_read_text_node(item) for item in node.items())
    return tuple(text for text in texts if text is not None)


def _describe_text() -> Schema:
    """Describe a text; a number counts as its text, as in `name: 7`."""
    return {"type": ["string", "number"]}


def _describe_texts() -> Schema:
    return any_of(_describe_text(), {"type": "array", "items": _describe_text()})


TEXT = Kind(Node.text, _describe_text)
TEXTS = Kind(Node.texts, _describe_texts)  # a list, or one text alone
TEXT_NODE = Kind(_read_text_node, _describe_text)
TEXT_NODES = Kind(_read_text_nodes, _describe_texts)
NUMBER = Kind(Node.number, lambda: {"type": "number"})
FLAG = Kind(Node.flag, lambda: {"type": "boolean"})
VALUES = Kind(Node.values, lambda: {"type": "object"})  # names are free, secrets are masked


def whole(least: int) -> Kind[int]:
    """Return the kind of a whole number that is `least` or more."""
    return Kind(lambda node: node.whole(least), lambda: {"type": "integer", "minimum": least})


def one_of(list_values: Callable[[], Collection[str]]) -> Kind[str]:
    """Return the kind of a text that is one of those which the function lists, since plugins may add some."""
    return Kind(lambda node: node.one_of(tuple(list_values())), lambda: {"enum": list(list_values())})


def any_value(schema: Schema = ANYTHING) -> Kind[Node]:
    """Return the kind of a value whose own module checks it; `schema` is what editors are told of it."""
    return Kind(lambda node: node, lambda: schema)


def mapping_of(kind: Kind[T]) -> Kind[dict[str, T]]:
    """Return the kind of a mapping from free names."""

    def read(node: Node) -> dict[str, T]:
        values: dict[str, T] = {}
        for name, part in node.entries():
            value = kind.read(part)
            if value is not None:
                values[name] = value
        return values

    return Kind(read, lambda: {"type": "object", "additionalProperties": kind.schema()})


def mapping_with(kinds: Mapping[str, Kind[T]]) -> Kind[dict[str, T]]:
    """Return the kind of a mapping from known names that is only passed on, and so needs no class."""

    def read(node: Node) -> dict[str, T]:
        values: dict[str, T] = {}
        for name, part in node.mapping(*kinds).items():
            value = kinds[name].read(part)
            if value is not None:
                values[name] = value
        return values

    def schema() -> Schema:
        properties = {name: kind.schema() for name, kind in kinds.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}

    return Kind(read, schema)


def list_of(kind: Kind[T], *, alone: bool = False) -> Kind[tuple[T, ...]]:
    """Return the kind of a list; `alone`: a single value counts as a list of one."""

    def read(node: Node) -> tuple[T, ...]:
        values = (kind.read(item) for item in (node.items() if alone else node.listed()))
        return tuple(value for value in values if value is not None)

    def schema() -> Schema:
        listed: Schema = {"type": "array", "items": kind.schema()}
        if alone:
            return any_of(kind.schema(), listed)
        return listed

    return Kind(read, schema)


def text_or(kind: Kind[S]) -> Kind[TextNode | S]:
    """Return the kind of a text, or of a section in its place."""

    def read(node: Node) -> TextNode | S | None:
        if isinstance(node.value, Mapping):
            return kind.read(node)
        return _read_text_node(node)

    return Kind(read, lambda: any_of(_describe_text(), kind.schema()))
