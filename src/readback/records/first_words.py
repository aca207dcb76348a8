"""Say in a few words what a record is about: the first words of its question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from readback.html import exact
from readback.records.fields import row_fields
from readback.types import Record

MOST = 70  # characters, about one line of a list
READ = 400  # characters of a text that are looked at
QUESTIONS = ("question", "query", "user_input", "input", "prompt", "text", "title")
ROLES = ("role", "from")  # of a message in a list; a system message is often the same in all records
SYSTEM = ("system", "developer")
DEPTH = 3  # how deep a text is looked for where no field is called a question


def find_first_words(record: Record, aliases: Mapping[str, str]) -> str:
    """Return the first words of the question on one line, "" where the record has no text.

    `aliases` are the fields of the file that variables stand for. Without a field of that name it is the first text
    of several words.
    """
    fields = record.fields
    field = row_fields.read_question(fields)
    named = (fields.get(aliases.get(name, name)) for name in QUESTIONS)
    texts = (field.value if field else None, *named, *_iterate_texts(fields, record.id))
    text = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    words = exact.written_out(" ".join(text[:READ].split()))
    if len(words) <= MOST:
        return words
    return words[: MOST - 1].rsplit(" ", 1)[0] + "…"


def _iterate_texts(value: Any, record_id: str | None, depth: int = DEPTH) -> Iterator[str]:
    """Yield the texts of several words inside a value, in their order; those of system messages come last in a list."""
    if isinstance(value, str):
        if value != record_id and " " in value.strip()[:READ]:
            yield value
        return
    inner: Iterable[Any] = value.values() if isinstance(value, Mapping) else ()
    if isinstance(value, list):
        inner = sorted(value, key=_is_system_message)
    if depth:
        for each in inner:
            yield from _iterate_texts(each, record_id, depth - 1)


def _is_system_message(value: Any) -> bool:
    return isinstance(value, Mapping) and any(value.get(name) in SYSTEM for name in ROLES)
