"""Tools, calls of tools and their arguments as Ollama hands them to a template.

Source: `template/template.go` and `api/types.go` of ollama/ollama: what Go prints, names and spells as JSON.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from readback.serving.gotemplate import escapes
from readback.serving.gotemplate.traced_text import replace_surrogates
from readback.serving.gotemplate.values import ANY_LIST, TEXTS, List, Map, Struct, Type, Value, from_json

TYPESCRIPT = {
    "string": "string", "number": "number", "integer": "number", "boolean": "boolean", "array": "any[]",
    "object": "Record<string, any>", "null": "null",
}  # fmt: skip


def _own_json(value: Value) -> str:
    return "{}" if isinstance(value, Map) and value.nil else escapes.write_json(value)


def _type_text(value: List) -> str:
    return str(value.items[0]) if len(value.items) == 1 else f"[{' '.join(value.items)}]" if value.items else ""


def _kept(value: Struct) -> Mapping[str, Value]:
    """The properties in a property's own map."""
    return {} if value.nil else value.fields["om"].fields["om"].fields["pairs"].items


def _type_json(value: List) -> Value:
    return value.items[0] if len(value.items) == 1 else List(value.items, TEXTS, value.nil)


def typescript(value: Struct) -> str:
    """The TypeScript type of a tool's property."""
    either = value.fields["AnyOf"].items
    types = [typescript(one) for one in either] or [TYPESCRIPT.get(one, "any") for one in value.fields["Type"].items]
    return " | ".join(types) or "any"


PROPERTY_TYPE = Type("api.PropertyType", _type_text, json=_type_json)
IMAGE = Type("api.ImageData", json=lambda value: base64.b64encode(bytes(value.items)).decode())
PROPERTY = Type(
    "api.ToolProperty",
    methods={"ToTypeScriptType": typescript},
    fields=(
        ("AnyOf", "anyOf", True), ("Type", "type", True), ("Items", "items", True),
        ("Description", "description", True), ("Enum", "enum", True), ("Properties", "properties", True),
        ("Required", "required", True),
    ),
)  # fmt: skip
PROPERTIES = Type("template.templateProperties", _own_json, zero=lambda: tool_property({}))
UNORDERED = Type("map[string]api.ToolProperty", zero=lambda: tool_property({}))
ORDERED = Type("map[string]api.ToolProperty", ordered=True)
NESTED = Type(
    "api.ToolPropertiesMap",
    methods={"Len": lambda value: len(_kept(value)), "ToMap": lambda value: Map(_kept(value), UNORDERED, value.nil)},
    fields=(("om", "", False),),
    json=lambda value: value.fields["om"].fields["om"].fields["pairs"],
)
KEPT = Type("orderedmap.Map[string,github.com/ollama/ollama/api.ToolProperty]", fields=(("om", "", False),))
KEPT_IN = Type("orderedmap.OrderedMap[string,github.com/ollama/ollama/api.ToolProperty]")
ARGUMENTS = Type("template.templateArgs", _own_json)
PARAMETERS = Type(
    "template.templateToolFunctionParameters",
    fields=(
        ("Type", "type", False), ("Defs", "$defs", True), ("Items", "items", True), ("Required", "required", True),
        ("Properties", "properties", False),
    ),
)  # fmt: skip
FUNCTION = Type(
    "template.templateToolFunction",
    fields=(("Name", "name", False), ("Description", "description", False), ("Parameters", "parameters", False)),
)
# Of the structs a tool is made of, only the tool itself prints as JSON: Ollama's `templateTool` has a String method,
# `templateToolFunction` and `templateToolFunctionParameters` have none, so `{{ .Function }}` is a Go struct on its way
# to the model too (issue 14601 and pull requests 16031 and 18391 of ollama/ollama).
TOOL = Type(
    "template.templateTool",
    escapes.write_json,
    fields=(("Type", "type", False), ("Items", "items", True), ("Function", "function", False)),
)
TOOLS = Type("template.templateTools", escapes.write_json)
CALLED = Type(
    "template.templateToolCallFunction",
    fields=(("Index", "Index", False), ("Name", "Name", False), ("Arguments", "Arguments", False)),
)
CALL = Type("template.templateToolCall", fields=(("ID", "ID", False), ("Function", "Function", False)))
CALLS = Type("[]template.templateToolCall")
IMAGES = Type("[]api.ImageData")


def tools(value: Any) -> List:
    """The tools of a request, an absent or foreign value as none."""
    given = value if isinstance(value, list | tuple) else None
    return List(tuple(_tool(_mapping(one)) for one in given or ()), TOOLS, given is None)


def calls(value: Any) -> List:
    """The tool calls of a message."""
    given = [_mapping(one) for one in value] if isinstance(value, list | tuple) else []
    return List(tuple(_call(one) for one in given), CALLS, not given)


def images(value: Any) -> List:
    """The images of a message, given as base64."""
    given = [_image(one) for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
    return List(tuple(given), IMAGES, not isinstance(value, list | tuple))


def tool_property(value: Mapping[str, Any]) -> Struct:
    kinds = value.get("type")
    nested = value.get("properties")
    fields = {
        "AnyOf": _structs(value.get("anyOf"), "[]api.ToolProperty"),
        "Type": List(_texts([kinds] if isinstance(kinds, str) else kinds), PROPERTY_TYPE, kinds is None),
        "Items": from_json(value.get("items")),
        "Description": text_of(value.get("description")),
        "Enum": from_json(value["enum"]) if isinstance(value.get("enum"), list) else List((), ANY_LIST, True),
        "Properties": _nested(nested) if isinstance(nested, Mapping) else Struct({}, NESTED, True, nil=True),
        "Required": _text_list(value.get("required")),
    }
    return Struct(fields, PROPERTY)


def _nested(value: Mapping[str, Any]) -> Struct:
    """A pointer to a struct that holds a pointer to a struct …: printed, it is an address."""
    pairs = Struct({"pairs": _properties(value, ORDERED)}, KEPT_IN, True)
    return Struct({"om": Struct({"om": pairs}, KEPT, True)}, NESTED, True)


def _structs(value: Any, name: str) -> List:
    given = value if isinstance(value, list | tuple) else None
    return List(tuple(tool_property(_mapping(one)) for one in given or ()), Type(name), given is None)


def _properties(value: Mapping[str, Any], kind: Type) -> Map:
    return Map({replace_surrogates(name): tool_property(_mapping(one)) for name, one in value.items()}, kind)


def _tool(value: Mapping[str, Any]) -> Struct:
    function = _mapping(value.get("function"))
    given = _mapping(function.get("parameters"))
    properties = given.get("properties")
    parameters = {
        "Type": text_of(given.get("type")),
        "Defs": from_json(given.get("$defs")),
        "Items": from_json(given.get("items")),
        "Required": _text_list(given.get("required")),
        "Properties": _properties(properties, PROPERTIES)
        if isinstance(properties, Mapping)
        else Map({}, PROPERTIES, True),
    }
    called = {
        "Name": text_of(function.get("name")),
        "Description": text_of(function.get("description")),
        "Parameters": Struct(parameters, PARAMETERS),
    }
    fields = {
        "Type": text_of(value.get("type")),
        "Items": from_json(value.get("items")),
        "Function": Struct(called, FUNCTION),
    }
    return Struct(fields, TOOL)


def _call(value: Mapping[str, Any]) -> Struct:
    function = _mapping(value.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, str):  # as OpenAI's interface has it; Ollama reads the JSON
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = None
    known = isinstance(arguments, Mapping)
    index = function.get("index")
    fields = {
        "Index": index if isinstance(index, int) else 0,
        "Name": text_of(function.get("name")),
        "Arguments": Map(from_json(arguments).items if known else {}, ARGUMENTS, not known),
    }
    return Struct({"ID": text_of(value.get("id")), "Function": Struct(fields, CALLED)}, CALL)


def _image(value: str) -> List:
    try:
        data = base64.b64decode(value.rpartition(",")[2], validate=False)
    except (binascii.Error, ValueError):
        data = b""
    return List(data, IMAGE)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def text_of(value: Any) -> str:
    return replace_surrogates(value) if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return (
        tuple(replace_surrogates(one) for one in value if isinstance(one, str))
        if isinstance(value, list | tuple)
        else ()
    )


def _text_list(value: Any) -> List:
    return List(_texts(value), TEXTS, not isinstance(value, list | tuple))
