"""A judge's messages for one record and answer: its system text as it is, its template with the values put in once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from readback.assembly import judge_fill_format, judge_fill_rubric
from readback.assembly.judge_fill_format import GOLD_FIELD
from readback.assembly.judge_fill_rubric import PLACEHOLDERS
from readback.assembly.judge_values import FOUR, Value, answered, value
from readback.assembly.tri_section import to_messages
from readback.types import Answer, Judge, Message, Note, Place, Record, Segment, Use, Values

Made = tuple[tuple[Message, ...], tuple[tuple[str, Place], ...], tuple[Note, ...], tuple[Use, ...]]


def judge_messages(
    judge: Judge,
    record: Record,
    condition: str | None = None,
    answer: Answer | None = None,
    extra: Values | None = None,
) -> Made:
    """Messages, the names the template reads, notes, and what became of the names.

    There are no messages where the template cannot be filled in.

    The answer is that of `condition` (missing where `answer` is None), or without a condition the record's own.
    """
    values = {name: value(judge, record, name) for name in (*FOUR, *judge.fields)}
    values["answer"] = answered(judge, record, condition, answer, extra or {})
    if values["gold"].place == values["answer"].place and "gold" not in judge.fields:
        # a rubric takes the row's `answer` for a reference, unless that is the very answer it judges
        values["gold"] = replace(values["gold"], value=None)
    filled = (judge_fill_rubric if judge.syntax == "placeholder" else judge_fill_format).fill(judge, values)
    uses = tuple(_use(name, place, values) for name, place in filled.names)
    if filled.user is None:
        return (), filled.names, filled.notes, uses
    system = (Segment(judge.system, "system", judge.name, judge.system_place),) if judge.system else ()
    return to_messages(system, filled.user, True), filled.names, filled.notes, uses


def _use(name: str, place: Place, values: Mapping[str, Value]) -> Use:
    """What became of a placeholder, under the name of the field it is filled from."""
    one = values.get(PLACEHOLDERS.get(name, "gold" if name == GOLD_FIELD else name))
    if one is None:
        return Use(name, "missing", place)
    return Use(one.field, "missing" if one.value is None else "present" if one.value else "empty", place)
