"""The settings and the template of a dotprompt file. Source: dotprompt 1.1.2, parse.ts and picoschema.ts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from readback.projects.javascript_text import SPACES
from readback.readers.yaml.yaml_core import read_core_yaml

BLANK = f"[{re.escape(SPACES)}]*"
END = r"(?:\r\n|\r|\n)"
DOCUMENT = re.compile(rf"---{BLANK}{END}([\s\S]*?){END}---{BLANK}{END}([\s\S]*)\Z")
KEYS = frozenset(
    {
        "config",
        "description",
        "ext",
        "input",
        "model",
        "name",
        "output",
        "raw",
        "toolDefs",
        "tools",
        "variant",
        "version",
    }
)
SCALARS = ("any", "boolean", "integer", "null", "number", "string")
DEEP = 100  # levels of a schema


class Unreadable(Exception):  # noqa: N818 - carries the tool's reason
    """Settings with which dotprompt renders nothing."""


@dataclass(slots=True)
class Document:
    """A file's template, what `@metadata.prompt` gives a template, why dotprompt renders nothing, what is not YAML."""

    template: str
    metadata: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None
    bad: str | None = None


def read_document(text: str) -> Document:
    """Return what dotprompt takes from the text of a file. Without settings the text is the template as it is."""
    match = DOCUMENT.match(text)
    base: dict[str, Any] = {"ext": {}, "metadata": {}, "config": {}}
    if match is None or not match[1]:
        return Document(text, base)
    decoded = read_core_yaml(match[1], "text")
    if decoded.refusal:
        return Document(text.strip(SPACES), base, bad=f"its settings cannot be read: {decoded.refusal}")
    if isinstance(decoded.value, Mapping):
        raw = dict(decoded.value)
    else:
        raw = {}
    raw = {str(key): value for key, value in raw.items()}
    ext: dict[str, dict[str, Any]] = {}
    for key, value in raw.items():
        if key not in KEYS and "." in key:
            space, _, name = key.rpartition(".")
            ext.setdefault(space, {})[name] = value
    reserved = {key: value for key, value in raw.items() if key in KEYS}
    metadata = {**base, **reserved, "raw": raw, "ext": ext}
    metadata["config"] = metadata["config"] if isinstance(metadata["config"], Mapping) else {}
    metadata.pop("input", None)
    document = Document(match[2].strip(SPACES), metadata)
    try:
        _check(raw)
    except Unreadable as fault:
        document.refused = str(fault)
    return document


def _check(raw: Mapping[str, Any]) -> None:
    if raw.get("tools") and not isinstance(raw["tools"], list):
        raise Unreadable("`tools` is no list")
    for key in ("input", "output"):
        part = raw.get(key)
        if isinstance(part, Mapping) and part.get("schema"):
            _check_schema(part["schema"])


def _check_schema(schema: Any) -> None:
    """Refuse a schema that dotprompt does not understand: it turns the schema into JSON Schema for every rendering."""
    if isinstance(schema, Mapping):
        if schema.get("type") in (*SCALARS, "object", "array") or isinstance(schema.get("properties"), Mapping | list):
            return
        if "properties" in schema and schema["properties"] is None:
            return
    _check_part(schema, 0)


def _check_part(part: Any, depth: int) -> None:
    if depth > DEEP:
        raise Unreadable("the schema has too many levels")
    if isinstance(part, str):
        name = _cut_description(part)
        if name not in SCALARS:
            raise Unreadable(f"Picoschema: could not find schema with name '{name}'")
        return
    if part is None:
        return
    if isinstance(part, list):
        part = {str(number): each for number, each in enumerate(part)}
    if not isinstance(part, Mapping):
        raise Unreadable(f"Picoschema: only consists of objects and strings. Got: {part!r}")
    for key, value in part.items():
        name, has_type, rest = str(key).partition("(")
        kind = _cut_description(rest.split("(")[0][:-1])
        if str(key) == "(*)" or not has_type or not rest.split("(")[0] or kind in ("array", "object"):
            _check_part(value, depth + 1)
        elif kind != "enum":
            raise Unreadable(f"Picoschema: parenthetical types must be 'object' or 'array', got: {kind}")
        elif name.endswith("?") and not isinstance(value, list):
            raise Unreadable(f"Picoschema: the values of the enum {name} are no list")


def _cut_description(text: str) -> str:
    match = re.match(r"(.*?), *(.*)\Z", text)
    if match:
        return match[1]
    return text
