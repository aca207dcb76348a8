"""Which values of a record, and of an answer, go into a judge's prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from readback.dialects import row_fields
from readback.records.field_path import MASK, MISSING, look
from readback.types import NOWHERE, Answer, Judge, Note, Place, Record, Segment, Values

FOUR = ("question", "answer", "documents", "gold")
ABSENT = {"answer": "jdg-no-answer", "gold": "jdg-gold-missing"}
Spelling = Callable[[Values], row_fields.Field | None]
# A rubric reads the rows of its own pipeline, where these fields have known names; other judges go by their `fields`.
ROWS: dict[str, Spelling] = {
    "question": row_fields.question,
    "documents": row_fields.contexts,
    "gold": row_fields.reference,
}


@dataclass(frozen=True, slots=True)
class Value:
    """A value for one name of a judge's prompt; `field` is where the record has it, or would; None is absent."""

    name: str
    value: Any
    field: str
    place: Place = NOWHERE

    @property
    def text(self) -> str:
        return "" if self.value is None else str(self.value)

    def item(self, i: int, text: str) -> Segment:
        """One item of a list as a segment."""
        field = f"{self.place.field}[{i}]" if self.place.field else None
        return Segment(text, "variable", f"{self.name}[{i}]", replace(self.place, field=field))


class Filled(NamedTuple):
    """A judge's template with its values: segments (None: it cannot be filled in), names it reads, notes."""

    user: tuple[Segment, ...] | None
    names: tuple[tuple[str, Place], ...]
    notes: tuple[Note, ...]


def value(judge: Judge, record: Record, name: str) -> Value:
    """The record's value for `name`, found under the field the judge's `fields` give, else under its own name."""
    field = judge.fields.get(name, name)
    found = look(record.fields, field)
    if found is None or found is MISSING:
        spelling = ROWS.get(name) if judge.syntax == "placeholder" and name not in judge.fields else None
        if spelling and (row := spelling(record.fields)):
            return Value(name, row.value, row.name, row_fields.at(record, row.name))
        return Value(name, None, field, row_fields.at(record, field))
    return Value(name, found, field, row_fields.at(record, field))


def answered(judge: Judge, record: Record, condition: str | None, answer: Answer | None, extra: Values) -> Value:
    """The answer to be judged: one that is tried out, else the condition's, else (no condition) the record's field."""
    if "answer" in extra:
        return Value("answer", extra["answer"], "answer")
    if answer is not None:
        return Value("answer", answer.text, "answer", answer.place)
    if condition is not None:
        return Value("answer", None, "answer", Place(condition=condition))
    return value(judge, record, "answer")


def documents(found: Value) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """The documents as texts. Anything but a list or null is noted and counts as none."""
    if found.value == MASK:
        return (MASK,), ()
    if found.value is None:
        return (), ()
    if not isinstance(found.value, list):
        values = {"field": found.field, "what": row_fields.kind(found.value)}
        return (), (Note("jdg-documents-not-list", values, found.place),)
    return tuple(str(document) for document in found.value), ()


def absent(judge: Judge, used: set[str], values: Mapping[str, Value], faults: tuple[Note, ...]) -> Iterator[Note]:
    """What the prompt asks for (`used`) and the record does not have; `faults` are those of the documents."""
    for name in sorted(used & values.keys()):
        one = values[name]
        said = {"judge": judge.name, "name": name, "field": one.field, "what": row_fields.kind(one.value)}
        if name == "documents":
            yield from faults
            if one.value is None or one.value == []:
                yield Note("jdg-no-documents", said, one.place)
        elif not one.text.strip():
            yield Note(ABSENT.get(name, "jdg-value-missing"), said, one.place, name)
