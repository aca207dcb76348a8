"""What became of each variable for one record: one line a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readback.checks.facts import record_fields
from readback.checks.variables import documented_for, is_documented, reader
from readback.records.field_path import MISSING, split_path
from readback.types import NOWHERE, Answer, Assembly, Location, Record, VariableUse, Workspace

ITEM = re.compile(r"\[(\*|-\d+)\]")  # any item, or one counted from the end
NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class RecordUse:
    """One name: its uses by state, its first value in the record (MISSING: none), and what it may mean.

    `meant` is the documented name, only where an Albert template reads one that is not; `nearest` the field of the
    record, only where the name has no value.
    """

    name: str
    uses: tuple[VariableUse, ...]
    value: Any = MISSING
    known: bool | None = None
    meant: str | None = None
    nearest: str | None = None
    place: Location = NOWHERE


def record_uses(
    opened: Workspace, record: Record, made: Assembly, answer: Answer | None = None
) -> tuple[RecordUse, ...]:
    """A line for each name that the templates of an assembly read, in their order; a judge's also of the `answer`."""
    by_name: dict[str, list[VariableUse]] = {}
    for use in made.uses:
        by_name.setdefault(use.name, []).append(use)
    _, _, albert = reader(opened, made.choice)
    taken = {use.name for use in made.uses if use.state == "present"}
    rows = []
    for name, uses in by_name.items():
        known = is_documented(name) if albert else None
        missing = all(use.state in ("missing", "null") for use in uses)
        a_list = any(other.startswith(f"{name}[") for other in by_name)
        near = record_fields.find_offered_field(name, record.fields, a_list, taken) if missing else None
        meant = documented_for(name) if known is False else None
        rows.append(RecordUse(name, tuple(uses), _value(record, made, answer, name), known, meant, near, uses[0].place))
    return tuple(rows)


def _value(record: Record, made: Assembly, answer: Answer | None, name: str) -> Any:
    """What a name stands for: of a judge's names `answer` is the reply, `answer.FIELD` what is beside it."""
    if made.choice.judge is None or made.choice.condition is None or answer is None:
        return value(record.fields, name)
    if name == "answer":
        return MISSING if answer.text is None else answer.text
    found = value(answer.fields, name.removeprefix("answer.")) if name.startswith("answer.") else MISSING
    return value(record.fields, name) if found is MISSING else found


def value(fields: Mapping[str, Any], name: str) -> Any:
    """The first value under a path; `[*]` stands for any item of a list."""
    return _first(fields, split_path(ITEM.sub(r".\1", name)))


def _first(held: Any, path: tuple[str, ...]) -> Any:
    if not path:
        return held
    if isinstance(held, Mapping):
        if path[0] in held:
            return _first(held[path[0]], path[1:])
        return next(iter(held.values()), MISSING) if path == ("*",) else MISSING
    if not isinstance(held, list):
        return MISSING
    if path[0] != "*":
        at = int(path[0]) if NUMBER.fullmatch(path[0]) else len(held)
        return _first(held[at], path[1:]) if -len(held) <= at < len(held) else MISSING
    found = (_first(item, path[1:]) for item in held)
    return next((one for one in found if one is not MISSING), MISSING)
