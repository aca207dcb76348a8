"""Where a dataset row of the prompt formats keeps its question, prompt, contexts and reference.

The spellings are those that the programs behind the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff)
tolerate: `rag_prompt` and `contexts` at the top level stand for `rag.prompt` and `rag.contexts`; older flat rows,
known by their top-level `contexts`, call the prompt `prompt`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from readback.types import Location, Record, Values

REFERENCES = ("reference_answer", "reference_summary", "expected_response", "answer", "response")


class Field(NamedTuple):
    """A value of a record and the name it was found under."""

    name: str
    value: Any


def question(fields: Values) -> Field | None:
    """What is asked."""
    value = fields.get("instruction")
    return None if value is None else Field("instruction", value)


def stored_prompt(fields: Values) -> Field | None:
    """The prompt that was made when the dataset was, whatever its type."""
    for name, value in (("rag.prompt", _rag(fields).get("prompt")), ("rag_prompt", fields.get("rag_prompt"))):
        if value is not None:
            return Field(name, value)
    # alone, `prompt` is what data of any kind calls its input
    found = fields.get("prompt") if isinstance(fields.get("contexts"), list) else None
    return None if found is None else Field("prompt", found)


def contexts(fields: Values) -> Field | None:
    """The retrieved contexts, whatever their type: normally a list of texts."""
    for name, value in (("rag.contexts", _rag(fields).get("contexts")), ("contexts", fields.get("contexts"))):
        if value is not None:
            return Field(name, value)
    return None


def reference(fields: Values) -> Field | None:
    """The expected answer: the first of the known names that holds a text."""
    for name in REFERENCES:
        if isinstance(value := fields.get(name), str) and value:
            return Field(name, value)
    return None


def at(record: Record, field: str) -> Location:
    """Where a field's value is: the record's line, and the field's path."""
    return Location(file=record.place.file, line=record.place.line, field=field)


def kind(value: Any) -> str:
    """JSON's own word for what `value` is; a blank text is shown as it is."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string" if value.strip() else json.dumps(value)
        case Mapping():
            return "object"
        case _:
            return "array"


def _rag(fields: Values) -> Mapping[str, Any]:
    rag = fields.get("rag")
    return rag if isinstance(rag, dict | Mapping) else {}
