"""Variables of the templates that find no value in the dataset, and the fields they may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readback.checks import rules
from readback.checks.facts.record_fields import find_nearest_field, list_paths
from readback.prompts import assemble, selections
from readback.types import Diagnostic, Finding, Message, Record, RuleContext, Selection, Values, Workspace

CODE = "alb-variable-no-data"  # the rule that finds them; this is its answer by variable
REFUSED = "jdg-format-field"  # where the engine stops at such a name
LOOKED_AT = 5  # records at the start of a dataset that are enough to know its fields


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A variable without data: the modes and tasks that read it, the field offered (None: nothing is near).

    `optional`: every template that reads it does without (`{% if name %}`, a default).
    """

    variable: str
    readers: tuple[str, ...]
    offered: str | None
    optional: bool


def unmapped(workspace: Workspace, records: Sequence[Record]) -> tuple[Unmapped, ...]:
    """One entry a variable that has a value in none of the records; those that are needed first.

    Only fields that a record has are offered.
    """
    known = set(fields(records))
    found: dict[str, list[Finding]] = {}
    missed: dict[str, set[int]] = {}
    for number, record in enumerate(records):
        for one in _findings(workspace, record):
            variable = str(one.values["variable"])
            if not variable.isidentifier():  # a part of a field: only whole fields can be mapped
                continue
            found.setdefault(variable, []).append(one)
            missed.setdefault(variable, set()).add(number)
    made = [_entry(name, many, known) for name, many in found.items() if len(missed[name]) == len(records)]
    return tuple(sorted(_last_left(workspace, made, records), key=lambda one: one.optional))


def _last_left(workspace: Workspace, made: list[Unmapped], records: Sequence[Record]) -> list[Unmapped]:
    """Where one needed variable has no field and one field of words is left, that field is offered for it."""
    bare = [one for one in made if not (one.offered or one.optional)]
    mapped = workspace.dataset.fields if workspace.dataset else {}
    taken = {*mapped, *mapped.values(), *(one.offered for one in made)}
    left = [name for name in fields(records) if name not in taken and _words(name, records)]
    if len(bare) != 1 or len(left) != 1:
        return made
    return [replace(one, offered=left[0]) if one is bare[0] else one for one in made]


def _words(name: str, records: Sequence[Record]) -> bool:
    """Whether a field holds texts that are no numbers and no ids."""
    values = [record.fields.get(name) for record in records]
    return all(isinstance(value, str) and re.search(r"[^\W\d_]{2}", value) for value in values) and all(
        record.id != value for record, value in zip(records, values, strict=True)
    )


def fields(records: Sequence[Record]) -> tuple[str, ...]:
    """The dotted paths of the records' fields, in their order."""
    return tuple(dict.fromkeys(path for record in records for path, _ in list_paths(record.fields)))


def _entry(name: str, many: Sequence[Finding], known: set[str]) -> Unmapped:
    readers = dict.fromkeys(reader for one in many if (reader := one.place.mode or one.place.task))
    offered = next((near for one in many if (near := str(one.values["nearest"])) in known), None)
    return Unmapped(name, tuple(readers), offered, all(one.severity == "info" for one in many))


def _findings(workspace: Workspace, record: Record) -> Iterator[Finding]:
    for choice in _prompts(workspace):
        made = assemble.assemble(workspace, record, choice)
        yield from (
            rules.finding(replace(one, values=_near(one, record))) for one in made.diagnostics if _unfilled(one)
        )
        if not made.messages:  # perhaps for want of this very variable
            made = replace(made, messages=(Message("user", ()),))
        case = RuleContext(workspace, record, made)
        yield from (one for one in rules.check(case, "assembly", {CODE}) if isinstance(one, Finding))


def _unfilled(one: Diagnostic) -> bool:
    """Whether an engine that stops at a name without a value stops at this one."""
    return one.code == REFUSED and str(one.values.get("field", "")).isidentifier()


def _near(one: Diagnostic, record: Record) -> Values:
    name = str(one.values["field"])
    return {**one.values, "variable": name, "nearest": find_nearest_field(name, record.fields, False) or ""}


def _prompts(workspace: Workspace) -> tuple[Selection, ...]:
    """Each mode and task that is sent, once: adapters and models read no fields of their own."""
    conditions = (
        workspace.condition(one.condition) or one if one.condition else one
        for one in selections.list_selections(workspace)
    )
    sent = (
        Selection(mode=condition.mode) if condition.mode else Selection(task=condition.task)
        for condition in conditions
        if condition.mode or condition.task
    )
    return tuple(dict.fromkeys(sent))
