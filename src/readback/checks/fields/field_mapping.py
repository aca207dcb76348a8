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
from readback.records.dataset import open_dataset
from readback.records.replies.answers import Answers, open_answers
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
    field_paths = set(fields(records))
    findings_by_variable: dict[str, list[Finding]] = {}
    missed: dict[str, set[int]] = {}
    for number, record in enumerate(records):
        for finding in _findings(workspace, record):
            variable = str(finding.values["variable"])
            if not variable.isidentifier():  # a part of a field: only whole fields can be mapped
                continue
            findings_by_variable.setdefault(variable, []).append(finding)
            missed.setdefault(variable, set()).add(number)
    entries = [
        _entry(name, findings, field_paths)
        for name, findings in findings_by_variable.items()
        if len(missed[name]) == len(records)
    ]
    return tuple(sorted(_last_left(workspace, entries, records), key=lambda entry: entry.optional))


def _last_left(workspace: Workspace, entries: list[Unmapped], records: Sequence[Record]) -> list[Unmapped]:
    """Where one needed variable has no field and one field of words is left, that field is offered for it."""
    bare = [entry for entry in entries if not (entry.offered or entry.optional)]
    if workspace.dataset:
        mapped = workspace.dataset.fields
    else:
        mapped = {}
    used_fields = {*mapped, *mapped.values(), *(entry.offered for entry in entries)}
    candidates = [name for name in fields(records) if name not in used_fields and _words(name, records)]
    if len(bare) != 1 or len(candidates) != 1:
        return entries
    return [replace(entry, offered=candidates[0]) if entry is bare[0] else entry for entry in entries]


def _words(name: str, records: Sequence[Record]) -> bool:
    """Whether a field holds texts that are no numbers and no ids."""
    values = [record.fields.get(name) for record in records]
    return all(isinstance(value, str) and re.search(r"[^\W\d_]{2}", value) for value in values) and all(
        record.id != value for record, value in zip(records, values, strict=True)
    )


def fields(records: Sequence[Record]) -> tuple[str, ...]:
    """List the dotted paths of the records' fields, in their order."""
    return tuple(dict.fromkeys(path for record in records for path, _ in list_paths(record.fields)))


def _entry(name: str, findings: Sequence[Finding], field_paths: set[str]) -> Unmapped:
    readers = dict.fromkeys(reader for finding in findings if (reader := finding.place.mode or finding.place.task))
    offered = next((near for finding in findings if (near := str(finding.values["nearest"])) in field_paths), None)
    return Unmapped(name, tuple(readers), offered, all(finding.severity == "info" for finding in findings))


def _findings(workspace: Workspace, record: Record) -> Iterator[Finding]:
    for choice in _prompts(workspace):
        assembly = assemble.assemble(workspace, record, choice)
        yield from (
            rules.build_finding(replace(diagnostic, values=_near(diagnostic, record)))
            for diagnostic in assembly.diagnostics
            if _unfilled(diagnostic)
        )
        if not assembly.messages:  # perhaps for want of this very variable
            assembly = replace(assembly, messages=(Message("user", ()),))
        case = RuleContext(workspace, record, assembly)
        yield from (finding for finding in rules.check(case, "assembly", {CODE}) if isinstance(finding, Finding))


def _unfilled(diagnostic: Diagnostic) -> bool:
    """Whether an engine that stops at a name without a value stops at this one."""
    return diagnostic.code == REFUSED and str(diagnostic.values.get("field", "")).isidentifier()


def _near(diagnostic: Diagnostic, record: Record) -> Values:
    name = str(diagnostic.values["field"])
    return {**diagnostic.values, "variable": name, "nearest": find_nearest_field(name, record.fields, False) or ""}


def _prompts(workspace: Workspace) -> tuple[Selection, ...]:
    """Each mode and task that is sent, once: adapters and models read no fields of their own."""
    conditions = (
        workspace.condition(selection.condition) or selection if selection.condition else selection
        for selection in selections.list_selections(workspace)
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

    `declared`: the workspace names the field. `offered` are the fields it could be read from instead: of the record,
    and where the judge reads answers of the row of the answer, too.
    """

    judge: str
    name: str
    field: str | None
    declared: bool
    left_out: bool
    offered: tuple[str, ...]


def inputs(
    opened: Workspace,
    records: Sequence[Record] | None = None,
    answers: Callable[[Condition], Answers] | None = None,
) -> tuple[Input, ...]:
    """List what every judge reads, as the first records show it; `answers` opens those of a condition."""
    if not opened.judges:
        return ()
    if records is None:
        if opened.dataset:
            records = tuple(open_dataset(opened.root, opened.dataset).records(0, LOOKED_AT))
        else:
            records = ()
    find = answers or (lambda condition: open_answers(opened, condition))
    return tuple(
        judge_input
        for key, judge in opened.judges.items()
        for judge_input in _list_inputs(opened, key, judge, records, find)
    )


def mapped(opened: Workspace, chosen: Mapped) -> Workspace:
    """Return the workspace with fields of its judges chosen anew."""
    judges = dict(opened.judges)
    for (judge, name), path in chosen.items():
        if judge in judges:
            judges[judge] = replace(judges[judge], fields={**judges[judge].fields, name: path})
    return replace(opened, judges=judges)


def describe_guesses(judge_inputs: Sequence[Input]) -> Mapping[str, str]:
    """For each judge a sentence about what is a guess: the fields that nobody named."""
    guesses: dict[str, list[str]] = {}
    for judge_input in judge_inputs:
        if judge_input.field is not None and not judge_input.declared:
            guesses.setdefault(judge_input.judge, []).append(f"{judge_input.name} from {judge_input.field}")
    return {judge: f"a guess: judge {judge} reads {', '.join(parts)}" for judge, parts in guesses.items()}


def _list_inputs(
    opened: Workspace, key: str, judge: Judge, records: Sequence[Record], find: Callable[[Condition], Answers]
) -> Iterator[Input]:
    names = judge_prompt.list_names(judge)
    if not names or not records:
        return
    answered = (condition for condition in opened.conditions if condition.judge == key and condition.answers)
    condition = next(answered, None)
    replies = find(condition) if condition else None
    if condition:
        condition_name = condition.name
    else:
        condition_name = None
    rows: list[Rows] = []
    for record in records:
        if replies:
            reply = replies.get(record.id)
        else:
            reply = None
        rows.append(Rows(judge, record, condition_name, reply, {}, _fields(opened)))
    answer_fields = fields(tuple(Record(None, row.answer.fields, NOWHERE) for row in rows if row.answer))
    prefix = "record." if condition else ""
    offered = tuple(f"answer.{path}" for path in answer_fields) + tuple(f"{prefix}{path}" for path in fields(records))
    for name in [name for name in VALUE_NAMES if name in names] + sorted(names - set(VALUE_NAMES)):
        values = (find_value(row, name) for row in rows)
        first = next((value for value in values if value.value is not None), None)
        left_out = name in judge.fields and judge.fields[name] is None
        yield Input(key, name, _name_field(first, condition), name in judge.fields, left_out, offered)


def _name_field(value: JudgeValue | None, condition: Condition | None) -> str | None:
    """Name a value's field as `fields` of the judge would."""
    if value is None or value.place.field is None:
        return None
    is_answer_field = value.place.condition is not None
    if not condition:
        return value.place.field
    row = "answer" if is_answer_field else "record"
    return f"{row}.{value.place.field}"


def _fields(opened: Workspace) -> Mapping[str, str]:
    if opened.dataset:
        return opened.dataset.fields
    return {}
