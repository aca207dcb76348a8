"""Build the values for tools, tool calls and their arguments that Ollama passes to a template.

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
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "array": "any[]",
    "object": "Record<string, any>",
    "null": "null",
}


def _write_json(value: Value) -> str:
    if isinstance(value, Map) and value.nil:
        return "{}"
    return escapes.write_json(value)


def _write_type(value: List) -> str:
    if len(value.items) == 1:
        return str(value.items[0])
    if value.items:
        return f"[{' '.join(value.items)}]"
    return ""


def _get_properties(value: Struct) -> Mapping[str, Value]:
    """Return the properties in a property's own map."""
    return {} if value.nil else value.fields["om"].fields["om"].fields["pairs"].items


def _simplify_type(value: List) -> Value:
    if len(value.items) == 1:
        return value.items[0]
    return List(value.items, TEXTS, value.nil)


def write_typescript(value: Struct) -> str:
    """Return the TypeScript type of a tool's property."""
    types = [write_typescript(alternative) for alternative in value.fields["AnyOf"].items]
    if not types:
        types = [TYPESCRIPT.get(name, "any") for name in value.fields["Type"].items]
    return " | ".join(types) or "any"


PROPERTY_TYPE = Type("api.PropertyType", _write_type, json=_simplify_type)
IMAGE = Type("api.ImageData", json=lambda value: base64.b64encode(bytes(value.items)).decode())
PROPERTY = Type(
    "api.ToolProperty",
    methods={"ToTypeScriptType": write_typescript},
    fields=(
        ("AnyOf", "anyOf", True),
        ("Type", "type", True),
        ("Items", "items", True),
        ("Description", "description", True),
        ("Enum", "enum", True),
        ("Properties", "properties", True),
        ("Required", "required", True),
    ),
)
PROPERTIES = Type("template.templateProperties", _write_json, zero=lambda: build_property({}))
UNORDERED = Type("map[string]api.ToolProperty", zero=lambda: build_property({}))
ORDERED = Type("map[string]api.ToolProperty", ordered=True)
NESTED = Type(
    "api.ToolPropertiesMap",
    methods={
        "Len": lambda value: len(_get_properties(value)),
        "ToMap": lambda value: Map(_get_properties(value), UNORDERED, value.nil),
    },
    fields=(("om", "", False),),
    json=lambda value: value.fields["om"].fields["om"].fields["pairs"],
)
ORDERED_MAP_POINTER = Type(
    "orderedmap.Map[string,github.com/ollama/ollama/api.ToolProperty]", fields=(("om", "", False),)
)
ORDERED_MAP = Type("orderedmap.OrderedMap[string,github.com/ollama/ollama/api.ToolProperty]")
ARGUMENTS = Type("template.templateArgs", _write_json)
PARAMETERS = Type(
    "template.templateToolFunctionParameters",
    fields=(
        ("Type", "type", False),
        ("Defs", "$defs", True),
        ("Items", "items", True),
        ("Required", "required", True),
        ("Properties", "properties", False),
    ),
)
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
CALLED_FUNCTION = Type(
    "template.templateToolCallFunction",
    fields=(("Index", "Index", False), ("Name", "Name", False), ("Arguments", "Arguments", False)),
)
CALL = Type("template.templateToolCall", fields=(("ID", "ID", False), ("Function", "Function", False)))
CALLS = Type("[]template.templateToolCall")
IMAGES = Type("[]api.ImageData")


def build_tools(value: Any) -> List:
    """Return the tools of a request; nil if there are none or the value is no list."""
    if not isinstance(value, list | tuple):
        return List((), TOOLS, nil=True)
    return List(tuple(_build_tool(_to_mapping(tool)) for tool in value), TOOLS)


def build_calls(value: Any) -> List:
    """Return the tool calls of a message."""
    if not isinstance(value, list | tuple) or not value:
        return List((), CALLS, nil=True)
    return List(tuple(_build_call(_to_mapping(call)) for call in value), CALLS)


def build_images(value: Any) -> List:
    """Return the images of a message, which are given as base64."""
    if not isinstance(value, list | tuple):
        return List((), IMAGES, nil=True)
    return List(tuple(_build_image(image) for image in value if isinstance(image, str)), IMAGES)


def build_property(value: Mapping[str, Any]) -> Struct:
    """Return a property of a tool's parameters."""
    types = value.get("type")
    enum = List((), ANY_LIST, nil=True)
    if isinstance(value.get("enum"), list):
        enum = from_json(value["enum"])
    properties = Struct({}, NESTED, pointer=True, nil=True)
    if isinstance(value.get("properties"), Mapping):
        properties = _build_nested(value["properties"])
    fields = {
        "AnyOf": _build_structs(value.get("anyOf"), "[]api.ToolProperty"),
        "Type": List(_list_texts([types] if isinstance(types, str) else types), PROPERTY_TYPE, types is None),
        "Items": from_json(value.get("items")),
        "Description": to_text(value.get("description")),
        "Enum": enum,
        "Properties": properties,
        "Required": _build_text_list(value.get("required")),
    }
    return Struct(fields, PROPERTY)


def _build_nested(value: Mapping[str, Any]) -> Struct:
    """Return a pointer to a struct that holds a pointer to a struct: printed, it is an address."""
    pairs = Struct({"pairs": _build_properties(value, ORDERED)}, ORDERED_MAP, True)
    return Struct({"om": Struct({"om": pairs}, ORDERED_MAP_POINTER, True)}, NESTED, True)


def _build_structs(value: Any, name: str) -> List:
    if not isinstance(value, list | tuple):
        return List((), Type(name), nil=True)
    return List(tuple(build_property(_to_mapping(item)) for item in value), Type(name))


def _build_properties(value: Mapping[str, Any], kind: Type) -> Map:
    return Map({replace_surrogates(name): build_property(_to_mapping(item)) for name, item in value.items()}, kind)


def _build_tool(value: Mapping[str, Any]) -> Struct:
    function = _to_mapping(value.get("function"))
    schema = _to_mapping(function.get("parameters"))
    properties = Map({}, PROPERTIES, nil=True)
    if isinstance(schema.get("properties"), Mapping):
        properties = _build_properties(schema["properties"], PROPERTIES)
    parameters = {
        "Type": to_text(schema.get("type")),
        "Defs": from_json(schema.get("$defs")),
        "Items": from_json(schema.get("items")),
        "Required": _build_text_list(schema.get("required")),
        "Properties": properties,
    }
    function_fields = {
        "Name": to_text(function.get("name")),
        "Description": to_text(function.get("description")),
        "Parameters": Struct(parameters, PARAMETERS),
    }
    fields = {
        "Type": to_text(value.get("type")),
        "Items": from_json(value.get("items")),
        "Function": Struct(function_fields, FUNCTION),
    }
    return Struct(fields, TOOL)


def _build_call(value: Mapping[str, Any]) -> Struct:
    function = _to_mapping(value.get("function"))
    arguments = function.get("arguments")
    if isinstance(arguments, str):  # as OpenAI's interface has it; Ollama reads the JSON
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = None
    is_mapping = isinstance(arguments, Mapping)
    index = function.get("index")
    fields = {
        "Index": index if isinstance(index, int) else 0,
        "Name": to_text(function.get("name")),
        "Arguments": Map(from_json(arguments).items if is_mapping else {}, ARGUMENTS, not is_mapping),
    }
    return Struct({"ID": to_text(value.get("id")), "Function": Struct(fields, CALLED_FUNCTION)}, CALL)


def _build_image(value: str) -> List:
    try:
        data = base64.b64decode(value.rpartition(",")[2], validate=False)
    except (binascii.Error, ValueError):
        data = b""
    return List(data, IMAGE)


def _to_mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    return {}


def to_text(value: Any) -> str:
    """Return a text as Go reads it from JSON; empty for any other value."""
    if isinstance(value, str):
        return replace_surrogates(value)
    return ""


def _list_texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple(replace_surrogates(text) for text in value if isinstance(text, str))


def _build_text_list(value: Any) -> List:
    return List(_list_texts(value), TEXTS, not isinstance(value, list | tuple))
