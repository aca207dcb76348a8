"""Retrieved contexts as the prompt builders number them, in segments.

Source: `normalize_contexts` of ignaciolinari/beyond-the-cutoff, which the *Prompt Format Specification* names through
its builders: nulls are dropped, the rest is turned into text and stripped; if every text already begins with a number
in brackets they stay as they are, otherwise all are numbered from 1.


The user messages of the built-in prompt formats: question only, closed book, hybrid, standard, stored.

Source: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025) and the builders it
names as its definition. Options, the document's behaviour first: `condition4: hybrid | standard`,
`closed_book: no_citations | short`, `spacing: program | document`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from readback.prompts.render import Rendered
from readback.records import row_fields
from readback.records.record_memo import remember
from readback.records.row_fields import Field
from readback.sources.prompt_texts import CLOSED_BOOK, HYBRID, NO_CONTEXTS, STANDARD, UNKNOWN
from readback.types import NOWHERE, Diagnostic, Location, Record, Segment, VariableUse

NUMBER = re.compile(r"\s*\[(\d+)\]")


class Contexts(NamedTuple):
    """One tuple of segments for each context that is left, and what was seen on the way."""

    texts: tuple[tuple[Segment, ...], ...]
    diagnostics: tuple[Diagnostic, ...]


def normalise_contexts(items: Sequence[Any], field: str = "rag.contexts", place: Location = NOWHERE) -> Contexts:
    """`items` stripped and numbered. A segment is named `field[i]`, i being the place in `items`."""
    kept = [(f"{field}[{i}]", item, str(item).strip()) for i, item in enumerate(items) if item is not None]
    marks = [NUMBER.match(text) for _, _, text in kept]
    numbered = all(marks)
    texts = tuple(
        tuple(s for s in (Segment("" if numbered else f"[{n}] ", "template", "context number"), value) if s.text)
        for n, value in enumerate(
            (Segment(text, "variable", name, _locate_field(place, name)) for name, _, text in kept), 1
        )
    )
    diagnostics = [
        Diagnostic(
            "fmt-context-empty", {"field": f"{field}[{i}]", "what": "null"}, _locate_field(place, f"{field}[{i}]")
        )
        for i, item in enumerate(items)
        if item is None
    ]
    for (name, item, text), mark in zip(kept, marks, strict=True):
        diagnostics += _check_context(name, item, text, mark, numbered, _locate_field(place, name))
    numbers = [int(mark[1]) for mark in marks if mark]
    wanted = list(range(1, len(kept) + 1))
    if numbered and numbers != wanted:
        values = {"field": field, "numbers": numbers, "wanted": wanted}
        diagnostics.append(Diagnostic("fmt-context-order", values, _locate_field(place, field), str(numbers)))
    return Contexts(texts, tuple(diagnostics))


def _check_context(
    name: str, item: Any, text: str, mark: re.Match[str] | None, numbered: bool, place: Location
) -> Iterator[Diagnostic]:
    if not isinstance(item, str):
        yield Diagnostic("fmt-context-not-text", {"field": name, "what": row_fields.name_json_type(item)}, place, text)
    if mark and not numbered:
        yield Diagnostic(
            "fmt-context-double-number", {"field": name, "number": mark[0].strip()}, place, mark[0].strip()
        )
    if not (text[mark.end() :] if mark and numbered else text).strip():
        yield Diagnostic("fmt-context-empty", {"field": name, "what": '""'}, place)


def _locate_field(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)


Builder = Literal["question", "closed_book", "hybrid", "standard", "stored"]
Options = Mapping[str, str]
NO_OPTIONS: Options = {}


def build_user_message(
    name: str, record: Record, model_type: str | None = None, options: Options | None = None
) -> Rendered:
    """The user content of mode `name`: instruction, rag, hybrid, or standard, which rebuilds what `rag` has stored.

    `model_type` is base, instruction_only, rag_trained or None (as base). The stored prompt is taken as it is. What
    the row lacks is a Diagnostic; `ok` is False where nothing can be built.
    """
    options = NO_OPTIONS if options is None else options
    wanted = choose_builder(name, model_type, options)
    asked = (
        build_user_message,
        name,
        wanted,
        id(record),
        id(options),
    )  # several conditions send the same, and train on it
    return remember(record.fields, asked, lambda: (record, options, _build(name, wanted, record, options)))[2]


def _build(name: str, wanted: Builder, record: Record, options: Options) -> Rendered:
    if wanted == "stored":
        return _stored(record)
    question = row_fields.read_question(record.fields)
    if question is None or not isinstance(question.value, str) or not question.value.strip():
        values = {"mode": name, "what": row_fields.name_json_type(question.value if question else None)}
        diagnostic = Diagnostic("fmt-empty-instruction", values, row_fields.locate_field(record, "instruction"))
        return Rendered((), (), (diagnostic,), False, (_make_use("instruction", question),))
    asked = Segment(question.value.strip(), "variable", question.name, row_fields.locate_field(record, question.name))
    texts = _Texts(asked, f"{name} format")
    if wanted == "question":
        return texts.rendered(texts.question())
    if wanted == "closed_book":
        return texts.rendered(texts.closed_book(options))
    field, contexts = _contexts(record)
    if not contexts.texts and name != "standard":
        missing = Diagnostic("fmt-no-contexts", {"field": field.name}, row_fields.locate_field(record, field.name))
        alone = texts.rendered(texts.question(), diagnostics=(*contexts.diagnostics, missing))
        return replace(alone, uses=(*alone.uses, _make_use(field.name, row_fields.read_contexts(record.fields))))
    made = texts.hybrid(contexts, options) if wanted == "hybrid" else texts.standard(contexts)
    return texts.rendered(made, (field.name,), contexts.diagnostics)


def choose_builder(name: str, model_type: str | None, options: Options) -> Builder:
    """Which builder serves a mode for a model's type; `rag` for an instruction-only model is condition 4."""
    if name == "standard":
        return "standard"
    if name == "hybrid" or (name == "rag" and model_type == "instruction_only"):
        return "standard" if options.get("condition4") == "standard" else "hybrid"
    if name == "rag":
        return "stored"
    return "closed_book" if model_type == "rag_trained" else "question"


class _Texts(NamedTuple):
    """The builders' sentences around one question, as segments."""

    asked: Segment
    name: str

    def question(self) -> tuple[Segment, ...]:
        return self.said("Question: "), self.asked, self.said("\n\nAnswer:")

    def closed_book(self, options: Options) -> tuple[Segment, ...]:
        sentence = CLOSED_BOOK["short" if options.get("closed_book") == "short" else "no_citations"]
        return self.said(f"{sentence}Question: "), self.asked, self.said("\n\nAnswer:")

    def hybrid(self, contexts: Contexts, options: Options) -> tuple[Segment, ...]:
        lines, blank = ("\n", "\n") if options.get("spacing") == "document" else (" ", "\n\n")
        ask = self.said(f"\n\n{HYBRID}{lines}{UNKNOWN}\n\nAnswer:")
        return self.said("Question: "), self.asked, self.said("\n\nContext:\n"), *_block(contexts, blank), ask

    def standard(self, contexts: Contexts) -> tuple[Segment, ...]:
        block = _block(contexts, "\n\n") or (self.said(NO_CONTEXTS),)
        first = self.said(f"{STANDARD} {UNKNOWN}\n\nContext:\n")
        return first, *block, self.said("\n\nQuestion: "), self.asked, self.said("\nAnswer:")

    def said(self, text: str) -> Segment:
        return Segment(text, "template", self.name)

    def rendered(
        self, segments: tuple[Segment, ...], names: tuple[str, ...] = (), diagnostics: tuple[Diagnostic, ...] = ()
    ) -> Rendered:
        read = (self.asked.name or "", *names)
        uses = tuple(VariableUse(name, "present") for name in read)
        return Rendered(segments, tuple((name, NOWHERE) for name in read), diagnostics, True, uses)


def _block(contexts: Contexts, between: str) -> tuple[Segment, ...]:
    joiner = Segment(between, "joiner")
    return tuple(s for i, text in enumerate(contexts.texts) for s in ((joiner,) if i else ()) + text)


def _contexts(record: Record) -> tuple[Field, Contexts]:
    field = row_fields.read_contexts(record.fields) or Field("rag.contexts", [])
    place = row_fields.locate_field(record, field.name)
    if isinstance(field.value, list):
        return field, normalise_contexts(field.value, field.name, place)
    values = {"field": field.name, "what": row_fields.name_json_type(field.value)}
    return field, Contexts((), (Diagnostic("fmt-context-not-text", values, place),))


def _stored(record: Record) -> Rendered:
    field = row_fields.read_stored_prompt(record.fields)
    if field is None or not isinstance(field.value, str) or not field.value:
        name = field.name if field else "rag.prompt"
        values = {"field": name, "what": row_fields.name_json_type(field.value if field else None)}
        diagnostic = Diagnostic("fmt-stored-prompt-missing", values, row_fields.locate_field(record, name))
        return Rendered((), (), (diagnostic,), False, (_make_use(name, field),))
    segment = Segment(field.value, "variable", field.name, row_fields.locate_field(record, field.name))
    return Rendered((segment,), ((field.name, NOWHERE),), (), True, (VariableUse(field.name, "present"),))


def _make_use(name: str, field: Field | None) -> VariableUse:
    """What became of a field that a builder could not use."""
    if field is None:
        return VariableUse(name, "missing")
    return VariableUse(name, "idle" if isinstance(field.value, list) else "null" if field.value is None else "empty")
