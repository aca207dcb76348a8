"""Build a judge's messages for one record and answer: its system text as it is, its template with the values put in
once.

Two kinds of template. Python format fields: {question}, {answer}, {documents}, {gold_reference}; source: `prompts.py`
of the LLM evaluator of rmit-ir/GRAG-LiveRAG (MIT) and the code that fills it in. Placeholders: {{QUESTION}},
{{CONTEXTS}}, {{EXPECTED_RESPONSE}}, {{ASSISTANT_RESPONSE}}; source: the judge configurations of
ignaciolinari/beyond-the-cutoff (MIT). Its program replaces one placeholder after the other, so that one inside a value
is filled in as well; here every placeholder of the rubric is filled in once, and one inside a value is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from readback.prompts.base_texts import render_templates
from readback.prompts.judge_values import (
    ABSENT_CODES,
    ABSENT_VALUE,
    VALUE_NAMES,
    FilledPrompt,
    JudgeValue,
    Rows,
    find_value,
    list_documents,
    report_absent,
)
from readback.prompts.messages import Segments, drop_empty, make_messages
from readback.prompts.render import Template
from readback.records.fields.field_path import MISSING, look
from readback.records.fields.row_fields import name_json_type
from readback.sources.judges.judge_names import USUAL, find_record_value, list_format_fields
from readback.types import Answer, Assembly, Diagnostic, Judge, Location, Message, Record, Segment, Values, VariableUse

GOLD_FIELD = "gold_reference"
AS_IT_IS = "no plain name is in braces, so nothing is filled in and the text is shown as it is"


def fill_format(judge: Judge, values: Mapping[str, JudgeValue]) -> FilledPrompt:
    """Fill in a template with format fields once.

    Documents are numbered from 1; the gold reference has a heading or is empty.
    """
    if judge.syntax == "text":
        return _show_unfilled(judge)
    texts, faults = list_documents(values["documents"])
    pieces = {
        "documents": tuple(_number_documents(values["documents"], texts)),
        GOLD_FIELD: _make_gold_section(values["gold"]),
    }
    plain = {name: value.text for name, value in values.items() if name not in ("documents", "gold")}
    texts_by_name = plain | {name: "".join(piece.text for piece in segments) for name, segments in pieces.items()}
    (rendered,) = render_templates((Template(judge.user, judge.syntax, "template", judge.place),), texts_by_name)
    if not rendered.ok:
        return FilledPrompt(None, rendered.names, rendered.diagnostics)
    used = {"gold" if name == GOLD_FIELD else name for name, _ in rendered.names}
    user = tuple(
        piece for segment in rendered.segments for piece in _locate_segments(segment, pieces, texts_by_name, values)
    )
    return FilledPrompt(user, rendered.names, (*rendered.diagnostics, *report_absent(judge, used, values, faults)))


def _show_unfilled(judge: Judge) -> FilledPrompt:
    """Return a text that names nothing to fill in; the first of its braces is reported for information."""
    (braces,) = render_templates((Template(judge.user, "format", "template", judge.place),), {})
    diagnostics = (
        replace(diagnostic, values={**diagnostic.values, "reason": AS_IT_IS}, severity="info")
        for diagnostic in braces.diagnostics[:1]
    )
    return FilledPrompt(drop_empty([Segment(judge.user, "template", place=judge.place)]), (), tuple(diagnostics))


def _locate_segments(
    segment: Segment, pieces: Mapping[str, Segments], texts: Mapping[str, str], values: Mapping[str, JudgeValue]
) -> Segments:
    """Return an inserted value with its record's place; documents and gold reference piece by piece."""
    name = segment.name
    if segment.origin != "variable" or name is None:
        return (segment,)
    if name in pieces and texts[name] == segment.text:
        return pieces[name]
    if name in values:
        return (replace(segment, place=values[name].place),)
    return (segment,)


def _number_documents(documents: JudgeValue, texts: tuple[str, ...]) -> Iterator[Segment]:
    """Yield the documents, each under its number."""
    for index, text in enumerate(texts):
        yield Segment(f"\nDocument {index + 1}:\n", "joiner")
        yield from drop_empty([documents.item(index, text)])
        yield Segment("\n", "joiner")


def _make_gold_section(gold: JudgeValue) -> Segments:
    """Return the section with the reference. The evaluator prints its heading above an empty one, too; none for
    null.
    """
    if gold.value is None:
        return ()
    heading, end = Segment("GOLD REFERENCE ANSWER:\n", "joiner"), Segment("\n\n", "joiner")
    return heading, *drop_empty([Segment(gold.text, "variable", "gold", gold.place)]), end


PLACEHOLDERS = {
    "QUESTION": "question",
    "ASSISTANT_RESPONSE": "answer",
    "CONTEXTS": "documents",
    "EXPECTED_RESPONSE": "gold",
}
BRACES = re.compile(r"\{\{(" + "|".join(PLACEHOLDERS) + r")\}\}")
BARE = re.compile("(QUESTION|ASSISTANT_RESPONSE|CONTEXTS)")  # old rubrics: no braces, no reference
EMPTY = {"documents": "(No contexts provided)", "gold": "(No reference answer provided)"}


def fill_rubric(judge: Judge, values: Mapping[str, JudgeValue]) -> FilledPrompt:
    """Fill in a rubric once; values are stripped, contexts a blank line apart."""
    pattern = BARE if judge.bare else BRACES
    texts, faults = list_documents(values["documents"])
    pieces = {name: _make_piece(values[name], texts) for name in PLACEHOLDERS.values()}
    segments: list[Segment] = []
    names: dict[str, Location] = {}
    end = 0
    for hit in pattern.finditer(judge.user):
        segments += [_make_literal(judge, end, hit.start()), *pieces[PLACEHOLDERS[hit[1]]]]
        names.setdefault(hit[1], _make_literal(judge, hit.start(), hit.end()).place)
        end = hit.end()
    segments.append(_make_literal(judge, end, len(judge.user)))
    used = {PLACEHOLDERS[name] for name in names}
    diagnostics = (*report_absent(judge, used, values, faults), *_find_placeholders_in_data(pattern, values, used))
    return FilledPrompt(drop_empty(segments), tuple(names.items()), diagnostics)


def _make_piece(value: JudgeValue, texts: tuple[str, ...]) -> Segments:
    """Return what stands in place of one placeholder."""
    if value.name == "documents":
        items = [value.item(index, text.strip()) for index, text in enumerate(texts)]
        joined: list[Segment] = []
        for item in items:
            if joined:
                joined.append(Segment("\n\n", "joiner"))
            joined.append(item)
        piece = drop_empty(joined)
    else:
        piece = drop_empty([Segment(value.text.strip(), "variable", value.name, value.place)])
    return piece or drop_empty([Segment(EMPTY.get(value.name, ""), "joiner")])


def _find_placeholders_in_data(
    pattern: re.Pattern[str], values: Mapping[str, JudgeValue], used: set[str]
) -> Iterator[Diagnostic]:
    """Report placeholders inside of values."""
    for name in sorted(used):
        value = values[name]
        for hit in dict.fromkeys(hit[0] for hit in pattern.finditer(value.text)):
            details = {"name": name, "field": value.field, "placeholder": hit}
            yield Diagnostic("jdg-placeholder-in-data", details, value.place, hit)


def _make_literal(judge: Judge, start: int, end: int) -> Segment:
    """Return a stretch of the rubric's own text, with its place."""
    place = judge.place
    if place.line is not None:
        place = replace(place, line=place.line + judge.user.count("\n", 0, start), column=None)
    return Segment(judge.user[start:end], "template", judge.name, place)


NO_FIELDS: Mapping[str, str] = MappingProxyType({})
JudgeAssembly = tuple[
    tuple[Message, ...], tuple[tuple[str, Location], ...], tuple[Diagnostic, ...], tuple[VariableUse, ...]
]


def build_judge_messages(
    judge: Judge,
    record: Record,
    condition: str | None = None,
    answer: Answer | None = None,
    extra: Values | None = None,
    mapped: Mapping[str, str] = NO_FIELDS,
    reference: bool = False,
) -> JudgeAssembly:
    """Return messages, the names the template reads, diagnostics, and what became of the names.

    There are no messages where the template cannot be filled in. The answer is that of `condition` (missing where
    `answer` is None), or without a condition the record's own. What is beside the answer goes before what the record
    has; see `judge_values.find_value`. `mapped` are variables that the workspace reads from another field of the
    record. `reference`: the condition sends nothing (see `Rows`).
    """
    rows = Rows(judge, record, condition, answer, extra or {}, mapped, reference)
    values = {name: find_value(rows, name) for name in dict.fromkeys((*VALUE_NAMES, *judge.fields))}
    values = {**dict(_find_own_names(rows, values)), **values}
    if rows.alone and values["gold"].place == values["answer"].place and "gold" not in judge.fields:
        # a rubric takes the row's `answer` for a reference, unless that is the very answer it judges
        values["gold"] = replace(values["gold"], value=None)
    filled = (fill_rubric if judge.syntax == "placeholder" else fill_format)(judge, values)
    left_out = {name for name, value in values.items() if value.left_out}
    uses = tuple(_make_use(name, place, values) for name, place in filled.names if _name_input(name) not in left_out)
    if filled.user is None:
        return (
            (),
            filled.names,
            tuple(_lower_severity(judge, record, diagnostic) for diagnostic in filled.diagnostics),
            uses,
        )
    system = (Segment(judge.system, "system", judge.name, judge.system_place),) if judge.system else ()
    return make_messages(system, filled.user, True), filled.names, filled.diagnostics, uses


def lacks_answer(assembly: Assembly, answer: Answer | None, tried_values: Values = NO_FIELDS) -> bool:
    """Tell whether a judge's prompt asks about an answer that does not exist: it can be read, and nobody can send it.

    `answer` is that of the condition, `tried` are values that somebody tries. An empty answer is what the model
    replied, and is judged.
    """
    if assembly.choice.judge is None or "answer" in tried_values:
        return False
    absences = (
        diagnostic.values
        for diagnostic in assembly.diagnostics
        if diagnostic.code in (ABSENT_CODES["answer"], ABSENT_VALUE)
    )
    return (assembly.choice.condition is not None and answer is None) or any(
        values["what"] == name_json_type(None) and USUAL.get(values["name"].lower(), values["name"]) == "answer"
        for values in absences
    )


def _name_input(placeholder: str) -> str:
    """Return the name of the value that a placeholder is filled from."""
    return PLACEHOLDERS.get(placeholder, "gold" if placeholder == GOLD_FIELD else placeholder)


def _find_own_names(rows: Rows, values: Mapping[str, JudgeValue]) -> Iterator[tuple[str, JudgeValue]]:
    """Find what goes into the names that are the template's own.

    That is what `fields` map under that name, what is usually called so, else the field of that name beside the answer
    or in the record.
    """
    for name in sorted((list_format_fields(rows.judge) or frozenset()) - values.keys() - {GOLD_FIELD}):
        usual = values.get(find_record_value(rows.judge, name) or "")
        if usual and usual.value is not None and not isinstance(usual.value, list):
            yield name, usual
            continue
        value = find_value(rows, name)
        if value.value is not None or look(rows.record.fields, name) is not MISSING:
            yield name, value
        elif usual and rows.record.id is not None:  # no answer yet, say: what the judge lacks is told under its name
            yield name, usual


def _lower_severity(judge: Judge, record: Record, diagnostic: Diagnostic) -> Diagnostic:
    """Lower the diagnostic of a template that cannot be filled in to information, where it is no fault yet.

    That is where there is nothing yet to fill it with, and where braces stand that `str.format` would refuse, unless it
    is known to be called: other programs replace names alone.
    """
    is_plain = diagnostic.code == "jdg-format-field" and str(diagnostic.values.get("field", "")).isidentifier()
    is_other = diagnostic.code in ("jdg-format-field", "jdg-format-syntax") and not is_plain
    if (is_plain and record.id is None) or (is_other and not judge.formatted):
        return replace(diagnostic, severity="info")
    return diagnostic


def _make_use(name: str, place: Location, values: Mapping[str, JudgeValue]) -> VariableUse:
    """Say what became of a placeholder, under the name of the field it is filled from."""
    value = values.get(_name_input(name))
    if value is None:
        return VariableUse(name, "missing", place)
    if value.value is None:
        return VariableUse(value.field, "missing", place)
    return VariableUse(value.field, "present" if value.value else "empty", place)
