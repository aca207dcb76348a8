"""Read the question, stored prompt, contexts and reference of a dataset row of the prompt formats.

The spellings are those that the programs behind the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff)
tolerate: `rag_prompt` and `contexts` at the top level stand for `rag.prompt` and `rag.contexts`; older flat rows,
recognised by their top-level `contexts`, call the prompt `prompt`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from readback.types import Location, Record, Values

REFERENCES = ("reference_answer", "reference_summary", "expected_response", "answer", "response")


class Field(NamedTuple):
    """A value of a record and the path of its field."""

    name: str
    value: Any


def read_question(fields: Values) -> Field | None:
    """Return the question; None without one."""
    value = fields.get("instruction")
    if value is None:
        return None
    return Field("instruction", value)


def read_stored_prompt(fields: Values) -> Field | None:
    """Return the prompt stored in the row, whatever its type; None without one."""
    for name, value in (("rag.prompt", _rag(fields).get("prompt")), ("rag_prompt", fields.get("rag_prompt"))):
        if value is not None:
            return Field(name, value)
    # without contexts, `prompt` is the input of data of any kind
    value = fields.get("prompt")
    if value is None or not isinstance(fields.get("contexts"), list):
        return None
    return Field("prompt", value)


def read_contexts(fields: Values) -> Field | None:
    """Return the retrieved contexts, whatever their type (normally a list of texts); None without any."""
    for name, value in (("rag.contexts", _rag(fields).get("contexts")), ("contexts", fields.get("contexts"))):
        if value is not None:
            return Field(name, value)
    return None


def read_reference(fields: Values) -> Field | None:
    """Return the expected answer: the first of REFERENCES that contains a text; None without one."""
    for name in REFERENCES:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return Field(name, value)
    return None


def locate_field(record: Record, field: str) -> Location:
    """Return the location of a field: the file and line of the record, and the path of the field."""
    return Location(file=record.place.file, line=record.place.line, field=field)


def name_json_type(value: Any) -> str:
    """Return the name of the JSON type of a value; a blank text is shown as it is."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            if value.strip():
                return "string"
            return json.dumps(value)
        case Mapping():
            return "object"
        case _:
            return "array"


def _rag(fields: Values) -> Mapping[str, Any]:
    rag = fields.get("rag")
    if isinstance(rag, dict | Mapping):
        return rag
    return {}
