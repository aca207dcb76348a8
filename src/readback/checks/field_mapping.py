"""Find variables and judge values without data, and the fields that may fill them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readback.checks import rules
from readback.checks.facts import judge_prompt
from readback.checks.facts.record_fields import find_nearest_field, list_paths
from readback.prompts import assemble, selections
from readback.prompts.judge_values import VALUE_NAMES, JudgeValue, Rows, find_value
from readback.records.answers import Answers, open_answers
from readback.records.dataset import open_dataset
from readback.types import (
    NOWHERE,
    Condition,
    Diagnostic,
    Finding,
    Judge,
    Message,
    Record,
    RuleContext,
    Selection,
    Values,
    Workspace,
)

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
            rules.build_finding(replace(one, values=_near(one, record))) for one in made.diagnostics if _unfilled(one)
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


Mapped = Mapping[tuple[str, str], str]  # judge and name -> field


@dataclass(frozen=True, slots=True)
class Input:
    """One name that a judge's template reads, and the field it is read from (None: found nowhere, or left out).

    `said`: the workspace names the field. `offered` are the fields it could be read from instead: of the record, and
    where the judge reads answers of the row of the answer, too.
    """

    judge: str
    name: str
    field: str | None
    said: bool
    left_out: bool
    offered: tuple[str, ...]


def inputs(
    opened: Workspace,
    records: Sequence[Record] | None = None,
    answers: Callable[[Condition], Answers] | None = None,
) -> tuple[Input, ...]:
    """What every judge reads, as the first records show it; `answers` opens those of a condition."""
    if not opened.judges:
        return ()
    if records is None:
        records = tuple(open_dataset(opened.root, opened.dataset).records(0, LOOKED_AT)) if opened.dataset else ()
    find = answers or (lambda condition: open_answers(opened, condition))
    return tuple(one for key, judge in opened.judges.items() for one in _of(opened, key, judge, records, find))


def mapped(opened: Workspace, chosen: Mapped) -> Workspace:
    """The workspace with fields of its judges chosen anew."""
    judges = dict(opened.judges)
    for (judge, name), path in chosen.items():
        if judge in judges:
            judges[judge] = replace(judges[judge], fields={**judges[judge].fields, name: path})
    return replace(opened, judges=judges)


def said(found: Sequence[Input]) -> Mapping[str, str]:
    """For each judge a sentence about what is a guess: the fields that nobody named."""
    guesses: dict[str, list[str]] = {}
    for one in found:
        if one.field is not None and not one.said:
            guesses.setdefault(one.judge, []).append(f"{one.name} from {one.field}")
    return {judge: f"a guess: judge {judge} reads {', '.join(parts)}" for judge, parts in guesses.items()}


def _of(
    opened: Workspace, key: str, judge: Judge, records: Sequence[Record], find: Callable[[Condition], Answers]
) -> Iterator[Input]:
    read = judge_prompt.list_names(judge)
    if not read or not records:
        return
    condition = next((one for one in opened.conditions if one.judge == key and one.answers), None)
    replies = find(condition) if condition else None
    rows = [
        Rows(
            judge,
            one,
            condition.name if condition else None,
            replies.get(one.id) if replies else None,
            {},
            _fields(opened),
        )
        for one in records
    ]
    beside = fields(tuple(Record(None, one.answer.fields, NOWHERE) for one in rows if one.answer))
    own = fields(records)
    offered = tuple(f"answer.{one}" for one in beside) + tuple(f"record.{one}" if condition else one for one in own)
    for name in [name for name in VALUE_NAMES if name in read] + sorted(read - set(VALUE_NAMES)):
        found = next((one for one in (find_value(row, name) for row in rows) if one.value is not None), None)
        left = name in judge.fields and judge.fields[name] is None
        yield Input(key, name, _called(found, condition), name in judge.fields, left, offered)


def _called(found: JudgeValue | None, condition: Condition | None) -> str | None:
    """A value's field as `fields` of the judge would name it."""
    if found is None or found.place.field is None:
        return None
    beside = found.place.condition is not None
    return f"{'answer' if beside else 'record'}.{found.place.field}" if condition else found.place.field


def _fields(opened: Workspace) -> Mapping[str, str]:
    return opened.dataset.fields if opened.dataset else {}
