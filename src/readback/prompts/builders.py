"""Build the user messages of the built-in prompt formats: question only, closed book, hybrid, standard, stored.

Sources: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025) and the builders it
names as its definition. Options, the document's behaviour first: `condition4: hybrid | standard`, `closed_book:
no_citations | short`, `spacing: program | document`.

Its `normalize_contexts` drops nulls, turns the rest into text and strips it; if every text already begins with a number
in brackets they stay as they are, otherwise all are numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from readback.prompts.render import Rendered
from readback.records.fields import row_fields
from readback.records.fields.row_fields import Field
from readback.records.record_memo import remember
from readback.sources.templates.prompt_texts import CLOSED_BOOK, HYBRID, NO_CONTEXTS, STANDARD, UNKNOWN
from readback.types import NOWHERE, Diagnostic, Location, Record, Segment, Values, VariableUse

NUMBER = re.compile(r"\s*\[(\d+)\]")


class Contexts(NamedTuple):
    """Hold one tuple of segments for each context that is left, and the diagnostics about the contexts."""

    texts: tuple[tuple[Segment, ...], ...]
    diagnostics: tuple[Diagnostic, ...]


def normalise_contexts(items: Sequence[Any], field: str = "rag.contexts", place: Location = NOWHERE) -> Contexts:
    """Strip and number `items` as the prompt builders do.

    A segment is named `field[i]`, where i is the position in `items`.
    """
    contexts: list[tuple[str, Any, str]] = []
    diagnostics: list[Diagnostic] = []
    for index, item in enumerate(items):
        name = f"{field}[{index}]"
        if item is None:
            values: Values = {"field": name, "what": "null"}
            diagnostics.append(Diagnostic("fmt-context-empty", values, _locate_field(place, name)))
        else:
            contexts.append((name, item, str(item).strip()))
    matches = [NUMBER.match(text) for _, _, text in contexts]
    numbered = all(matches)
    texts = []
    for number, ((name, item, text), match) in enumerate(zip(contexts, matches, strict=True), 1):
        location = _locate_field(place, name)
        diagnostics += _check_context(name, item, text, match, numbered, location)
        label = Segment("" if numbered else f"[{number}] ", "template", "context number")
        value = Segment(text, "variable", name, location)
        texts.append(tuple(segment for segment in (label, value) if segment.text))
    numbers = [int(match[1]) for match in matches if match]
    expected = list(range(1, len(contexts) + 1))
    if numbered and numbers != expected:
        values = {"field": field, "numbers": numbers, "wanted": expected}
        diagnostics.append(Diagnostic("fmt-context-order", values, _locate_field(place, field), str(numbers)))
    return Contexts(tuple(texts), tuple(diagnostics))


def _check_context(
    name: str, item: Any, text: str, mark: re.Match[str] | None, numbered: bool, place: Location
) -> Iterator[Diagnostic]:
    """Report a context that is not text, is numbered twice, or is empty."""
    if not isinstance(item, str):
        yield Diagnostic("fmt-context-not-text", {"field": name, "what": row_fields.name_json_type(item)}, place, text)
    if mark and not numbered:
        yield Diagnostic(
            "fmt-context-double-number", {"field": name, "number": mark[0].strip()}, place, mark[0].strip()
        )
    if not (text[mark.end() :] if mark and numbered else text).strip():
        yield Diagnostic("fmt-context-empty", {"field": name, "what": '""'}, place)


def _locate_field(place: Location, field: str) -> Location:
    """Return the place of a field of the record."""
    return Location(file=place.file, line=place.line, field=field)


Builder = Literal["question", "closed_book", "hybrid", "standard", "stored"]
Options = Mapping[str, str]
NO_OPTIONS: Options = {}


def build_user_message(
    name: str, record: Record, model_type: str | None = None, options: Options | None = None
) -> Rendered:
    """Build the user content of mode `name`: instruction, rag, hybrid, or standard, which rebuilds what `rag` has
    stored.

    `model_type` is base, instruction_only, rag_trained or None (as base). A stored prompt is taken as it is. What the
    row lacks is a diagnostic; `ok` is False where nothing can be built.
    """
    if options is None:
        options = NO_OPTIONS
    builder = choose_builder(name, model_type, options)
    key = (
        build_user_message,
        name,
        builder,
        id(record),
        id(options),
    )  # several conditions send the same, and train on it
    return remember(record.fields, key, lambda: (record, options, _build(name, builder, record, options)))[2]


def _build(name: str, builder: Builder, record: Record, options: Options) -> Rendered:
    """Build the user content with a builder."""
    if builder == "stored":
        return _build_stored(record)
    question = row_fields.read_question(record.fields)
    if question is None or not isinstance(question.value, str) or not question.value.strip():
        values = {"mode": name, "what": row_fields.name_json_type(question.value if question else None)}
        diagnostic = Diagnostic("fmt-empty-instruction", values, row_fields.locate_field(record, "instruction"))
        return Rendered((), (), (diagnostic,), False, (_make_use("instruction", question),))
    place = row_fields.locate_field(record, question.name)
    question_segment = Segment(question.value.strip(), "variable", question.name, place)
    texts = _Texts(question_segment, f"{name} format")
    if builder == "question":
        return texts.make_rendered(texts.build_question())
    if builder == "closed_book":
        return texts.make_rendered(texts.build_closed_book(options))
    field, contexts = _read_contexts(record)
    if not contexts.texts and name != "standard":
        diagnostic = Diagnostic("fmt-no-contexts", {"field": field.name}, row_fields.locate_field(record, field.name))
        question_only = texts.make_rendered(texts.build_question(), diagnostics=(*contexts.diagnostics, diagnostic))
        contexts_use = _make_use(field.name, row_fields.read_contexts(record.fields))
        return replace(question_only, uses=(*question_only.uses, contexts_use))
    if builder == "hybrid":
        segments = texts.build_hybrid(contexts, options)
    else:
        segments = texts.build_standard(contexts)
    return texts.make_rendered(segments, (field.name,), contexts.diagnostics)


def choose_builder(name: str, model_type: str | None, options: Options) -> Builder:
    """Choose the builder of a mode for a model's type; `rag` for an instruction-only model is condition 4."""
    if name == "standard":
        return "standard"
    if name == "hybrid" or (name == "rag" and model_type == "instruction_only"):
        if options.get("condition4") == "standard":
            return "standard"
        return "hybrid"
    if name == "rag":
        return "stored"
    if model_type == "rag_trained":
        return "closed_book"
    return "question"


class _Texts(NamedTuple):
    """Hold one question, and put the builders' sentences around it."""

    question_segment: Segment
    name: str

    def build_question(self) -> tuple[Segment, ...]:
        """Return the question with nothing else."""
        return self.make_text("Question: "), self.question_segment, self.make_text("\n\nAnswer:")

    def build_closed_book(self, options: Options) -> tuple[Segment, ...]:
        """Return the question after the sentence that no context is available."""
        sentence = CLOSED_BOOK["short" if options.get("closed_book") == "short" else "no_citations"]
        return self.make_text(f"{sentence}Question: "), self.question_segment, self.make_text("\n\nAnswer:")

    def build_hybrid(self, contexts: Contexts, options: Options) -> tuple[Segment, ...]:
        """Return the question, the contexts, and how to answer from both."""
        if options.get("spacing") == "document":
            lines, blank = ("\n", "\n")
        else:
            lines, blank = (" ", "\n\n")
        ask = self.make_text(f"\n\n{HYBRID}{lines}{UNKNOWN}\n\nAnswer:")
        return (
            self.make_text("Question: "),
            self.question_segment,
            self.make_text("\n\nContext:\n"),
            *_join_contexts(contexts, blank),
            ask,
        )

    def build_standard(self, contexts: Contexts) -> tuple[Segment, ...]:
        """Return the contexts and the question, or the sentence that there are no contexts."""
        block = _join_contexts(contexts, "\n\n") or (self.make_text(NO_CONTEXTS),)
        first = self.make_text(f"{STANDARD} {UNKNOWN}\n\nContext:\n")
        return first, *block, self.make_text("\n\nQuestion: "), self.question_segment, self.make_text("\nAnswer:")

    def make_text(self, text: str) -> Segment:
        """Return a segment of the template's own text."""
        return Segment(text, "template", self.name)

    def make_rendered(
        self, segments: tuple[Segment, ...], names: tuple[str, ...] = (), diagnostics: tuple[Diagnostic, ...] = ()
    ) -> Rendered:
        """Return the segments as a rendered template whose names are the question and `names`."""
        read_names = (self.question_segment.name or "", *names)
        uses = tuple(VariableUse(name, "present") for name in read_names)
        return Rendered(segments, tuple((name, NOWHERE) for name in read_names), diagnostics, True, uses)


def _join_contexts(contexts: Contexts, between: str) -> tuple[Segment, ...]:
    """Join the contexts with `between`."""
    joiner = Segment(between, "joiner")
    segments: list[Segment] = []
    for index, text in enumerate(contexts.texts):
        if index:
            segments.append(joiner)
        segments += text
    return tuple(segments)


def _read_contexts(record: Record) -> tuple[Field, Contexts]:
    """Read the record's contexts; a value that is not a list is reported and counts as none."""
    field = row_fields.read_contexts(record.fields) or Field("rag.contexts", [])
    place = row_fields.locate_field(record, field.name)
    if isinstance(field.value, list):
        return field, normalise_contexts(field.value, field.name, place)
    values = {"field": field.name, "what": row_fields.name_json_type(field.value)}
    return field, Contexts((), (Diagnostic("fmt-context-not-text", values, place),))


def _build_stored(record: Record) -> Rendered:
    """Return the prompt that the record has stored, as it is."""
    field = row_fields.read_stored_prompt(record.fields)
    if field is None or not isinstance(field.value, str) or not field.value:
        name = field.name if field else "rag.prompt"
        values = {"field": name, "what": row_fields.name_json_type(field.value if field else None)}
        diagnostic = Diagnostic("fmt-stored-prompt-missing", values, row_fields.locate_field(record, name))
        return Rendered((), (), (diagnostic,), False, (_make_use(name, field),))
    segment = Segment(field.value, "variable", field.name, row_fields.locate_field(record, field.name))
    return Rendered((segment,), ((field.name, NOWHERE),), (), True, (VariableUse(field.name, "present"),))


def _make_use(name: str, field: Field | None) -> VariableUse:
    """Say what became of a field that a builder could not use."""
    if field is None:
        return VariableUse(name, "missing")
    if isinstance(field.value, list):
        return VariableUse(name, "idle")
    return VariableUse(name, "null" if field.value is None else "empty")
