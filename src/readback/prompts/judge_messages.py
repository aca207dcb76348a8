"""A judge's messages for one record and answer: its system text as it is, its template with the values put in once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from readback.prompts import judge_fill_format, judge_fill_rubric
from readback.prompts.judge_fill_format import GOLD_FIELD
from readback.prompts.judge_fill_rubric import PLACEHOLDERS
from readback.prompts.judge_values import ABSENT, ABSENT_OTHER, FOUR, Rows, Value, value
from readback.prompts.tri_section import to_messages
from readback.records.field_path import MISSING, look
from readback.records.row_fields import name_json_type
from readback.sources.judge_names import USUAL, filled_by, format_names
from readback.types import Answer, Assembly, Diagnostic, Judge, Location, Message, Record, Segment, Values, VariableUse

NOTHING: Mapping[str, str] = MappingProxyType({})
Made = tuple[tuple[Message, ...], tuple[tuple[str, Location], ...], tuple[Diagnostic, ...], tuple[VariableUse, ...]]


def judge_messages(
    judge: Judge,
    record: Record,
    condition: str | None = None,
    answer: Answer | None = None,
    extra: Values | None = None,
    mapped: Mapping[str, str] = NOTHING,
    reference: bool = False,
) -> Made:
    """Messages, the names the template reads, diagnostics, and what became of the names.

    There are no messages where the template cannot be filled in.

    The answer is that of `condition` (missing where `answer` is None), or without a condition the record's own. What
    is beside the answer goes before what the record has; see `judge_values.value`. `mapped` are variables that the
    workspace reads from another field of the record. `reference`: the condition sends nothing (see `Rows`).
    """
    rows = Rows(judge, record, condition, answer, extra or {}, mapped, reference)
    values = {name: value(rows, name) for name in dict.fromkeys((*FOUR, *judge.fields))}
    values = {**dict(_own_names(rows, values)), **values}
    if rows.alone and values["gold"].place == values["answer"].place and "gold" not in judge.fields:
        # a rubric takes the row's `answer` for a reference, unless that is the very answer it judges
        values["gold"] = replace(values["gold"], value=None)
    filled = (judge_fill_rubric if judge.syntax == "placeholder" else judge_fill_format).fill(judge, values)
    left = {name for name, one in values.items() if one.left_out}
    uses = tuple(_use(name, place, values) for name, place in filled.names if _input(name) not in left)
    if filled.user is None:
        return (), filled.names, tuple(_weighed(judge, record, diagnostic) for diagnostic in filled.diagnostics), uses
    system = (Segment(judge.system, "system", judge.name, judge.system_place),) if judge.system else ()
    return to_messages(system, filled.user, True), filled.names, filled.diagnostics, uses


def unanswered(made: Assembly, answer: Answer | None, tried: Values = NOTHING) -> bool:
    """Whether a judge's prompt asks about an answer that is not there: it can be read, and nobody can send it.

    `answer` is that of the condition, `tried` are values that somebody tries. An answer that is there and empty is what
    the model replied, and is judged.
    """
    if made.choice.judge is None or "answer" in tried:
        return False
    lacking = (one.values for one in made.diagnostics if one.code in (ABSENT["answer"], ABSENT_OTHER))
    return (made.choice.condition is not None and answer is None) or any(
        values["what"] == name_json_type(None) and USUAL.get(values["name"].lower(), values["name"]) == "answer"
        for values in lacking
    )


def _input(placeholder: str) -> str:
    return PLACEHOLDERS.get(placeholder, "gold" if placeholder == GOLD_FIELD else placeholder)


def _own_names(rows: Rows, values: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """What goes into the names that are the template's own: what `fields` map under that name, what is usually called
    so, else the field of that name beside the answer or in the record.
    """
    for name in sorted((format_names(rows.judge) or frozenset()) - values.keys() - {GOLD_FIELD}):
        usual = values.get(filled_by(rows.judge, name) or "")
        if usual and usual.value is not None and not isinstance(usual.value, list):
            yield name, usual
        elif (own := value(rows, name)).value is not None or look(rows.record.fields, name) is not MISSING:
            yield name, own
        elif usual and rows.record.id is not None:  # no answer yet, say: what the judge lacks is told under its name
            yield name, usual


def _weighed(judge: Judge, record: Record, diagnostic: Diagnostic) -> Diagnostic:
    """Why a template cannot be filled in: for information where there is nothing yet to fill it with, and where braces
    stand that `str.format` would refuse, unless it is known to be called: other programs replace names alone.
    """
    plain = diagnostic.code == "jdg-format-field" and str(diagnostic.values.get("field", "")).isidentifier()
    other = diagnostic.code in ("jdg-format-field", "jdg-format-syntax") and not plain
    if (plain and record.id is None) or (other and not judge.formatted):
        return replace(diagnostic, severity="info")
    return diagnostic


def _use(name: str, place: Location, values: Mapping[str, Value]) -> VariableUse:
    """What became of a placeholder, under the name of the field it is filled from."""
    one = values.get(_input(name))
    if one is None:
        return VariableUse(name, "missing", place)
    return VariableUse(one.field, "missing" if one.value is None else "present" if one.value else "empty", place)
