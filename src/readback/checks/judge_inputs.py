"""Which field each judge's prompt is filled from, whether somebody said so, and what a page maps instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from readback.checks.facts import judge_prompt
from readback.checks.unmapped import LOOKED_AT, fields
from readback.prompts.judge_values import VALUE_NAMES, JudgeValue, Rows, find_value
from readback.records.answers import Answers, open_answers
from readback.records.dataset import open_dataset
from readback.types import NOWHERE, Condition, Judge, Record, Workspace

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
