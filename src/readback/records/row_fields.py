"""Where a dataset row of the prompt formats keeps its question, prompt, contexts and reference.

The spellings are those that the programs behind the *Prompt Format Specification* (ignaciolinari/beyond-the-cutoff)
tolerate: `rag_prompt` and `contexts` at the top level stand for `rag.prompt` and `rag.contexts`; older flat rows,
known by their top-level `contexts`, call the prompt `prompt`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from readback.types import Location, Record, Values

REFERENCES = ("reference_answer", "reference_summary", "expected_response", "answer", "response")


class Field(NamedTuple):
    """A value of a record and the name it was found under."""

    name: str
    value: Any


def question(fields: Values) -> Field | None:
    """What is asked."""
    return next(_there([("instruction", fields.get("instruction"))]), None)


def stored_prompt(fields: Values) -> Field | None:
    """The prompt that was made when the dataset was, whatever its type."""
    places = [("rag.prompt", _rag(fields).get("prompt")), ("rag_prompt", fields.get("rag_prompt"))]
    if isinstance(fields.get("contexts"), list):  # alone, `prompt` is what data of any kind calls its input
        places.append(("prompt", fields.get("prompt")))
    return next(_there(places), None)


def contexts(fields: Values) -> Field | None:
    """The retrieved contexts, whatever their type: normally a list of texts."""
    places = [("rag.contexts", _rag(fields).get("contexts")), ("contexts", fields.get("contexts"))]
    return next(_there(places), None)


def reference(fields: Values) -> Field | None:
    """The expected answer: the first of the known names that holds a text."""
    return next((field for field in _there((n, fields.get(n)) for n in REFERENCES) if _is_text(field.value)), None)


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
    return rag if isinstance(rag, Mapping) else {}


def _there(places: Any) -> Iterator[Field]:
    return (Field(name, value) for name, value in places if value is not None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""
