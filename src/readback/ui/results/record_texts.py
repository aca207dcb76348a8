"""Find in a record what it asks and what is expected, whatever its fields are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.records.fields import row_fields
from readback.records.fields.field_likeness import QUESTION, REFERENCE, TURNS
from readback.types import Values
from readback.words import t

QUESTIONS = tuple(name for name in QUESTION if name != "text")
ASKED = {*QUESTIONS, *TURNS}  # names of fields that hold what a record asks
ROLE, SAID = ("role", "speaker", "from"), ("content", "text", "value")  # of a message, as files call them
DEPTH = 3  # mappings inside each other that are looked into


def find_question(fields: Values) -> str | None:
    """Return what a record asks: its question, else the last question of its messages, else None."""
    field = row_fields.read_question(fields)
    if field is not None and isinstance(field.value, str) and field.value.strip():
        return field.value
    return _find_named(fields, QUESTIONS) or _find_turn(fields) or _find_named(fields, ("text",))


def find_reference(fields: Values) -> str | None:
    """Return the answer that a record expects, None where no field is called so."""
    field = find_reference_field(fields)
    return field.value if field is not None else None


def find_reference_field(fields: Values) -> row_fields.Field | None:
    """Return the answer that a record expects with the path of its field, None where no field is called so."""
    return _find_named_field(fields, REFERENCE) or row_fields.read_reference(fields)


def find_last_question(value: Any) -> str | None:
    """Return the user's last turn in a list of messages, and the number of messages; None of any other value."""
    turns = value if isinstance(value, list) else []
    for turn in reversed(turns):
        if not isinstance(turn, Mapping):
            continue
        role = next((turn[key] for key in ROLE if key in turn), None)
        text = next((turn[key] for key in SAID if key in turn), None)
        if role in ("user", "human") and isinstance(text, str):
            if len(turns) == 1:
                return text
            return t("records.last_message", text=text, n=len(turns))
    return None


def _find_turn(fields: Values) -> str | None:
    for name in TURNS:
        if (text := find_last_question(fields.get(name))) is not None:
            return text
    return None


def _find_named(fields: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    field = _find_named_field(fields, names)
    return field.value if field is not None else None


def _find_named_field(
    fields: Mapping[str, Any], names: tuple[str, ...], above: tuple[str, ...] = ()
) -> row_fields.Field | None:
    """Return the first text under one of the names, those of the outer mapping first; `above` is the path to it."""
    by_name = {str(key).casefold(): (str(key), value) for key, value in fields.items()}
    for name in names:
        key, value = by_name.get(name, ("", None))
        if isinstance(value, str) and value.strip():
            return row_fields.Field(".".join((*above, key)), value)
    for outer, value in fields.items():
        if isinstance(value, Mapping) and len(above) < DEPTH:
            field = _find_named_field(value, names, (*above, str(outer)))
            if field is not None:
                return field
    return None
