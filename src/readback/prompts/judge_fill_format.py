"""A judge's template with Python format fields: {question}, {answer}, {documents}, {gold_reference}.

Source: `prompts.py` of the LLM evaluator of rmit-ir/GRAG-LiveRAG (MIT) and the code that fills it in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from readback.prompts.base_texts import rendered
from readback.prompts.judge_values import Filled, Value, absent, documents
from readback.prompts.render import Template
from readback.prompts.tri_section import Segments, compact
from readback.types import Judge, Segment

GOLD_FIELD = "gold_reference"
AS_IT_IS = "no plain name is in braces, so nothing is filled in and the text is shown as it is"


def fill(judge: Judge, values: Mapping[str, Value]) -> Filled:
    """The template filled in once; documents are numbered from 1, the gold reference has a heading or is empty."""
    if judge.syntax == "text":
        return _as_it_is(judge)
    texts, faults = documents(values["documents"])
    pieces = {"documents": tuple(_documents(values["documents"], texts)), GOLD_FIELD: _gold(values["gold"])}
    plain = {name: one.text for name, one in values.items() if name not in ("documents", "gold")}
    said = plain | {name: "".join(s.text for s in segments) for name, segments in pieces.items()}
    (made,) = rendered((Template(judge.user, judge.syntax, "template", judge.place),), said)
    if not made.ok:
        return Filled(None, made.names, made.diagnostics)
    used = {"gold" if name == GOLD_FIELD else name for name, _ in made.names}
    user = tuple(piece for segment in made.segments for piece in _opened(segment, pieces, said, values))
    return Filled(user, made.names, (*made.diagnostics, *absent(judge, used, values, faults)))


def _as_it_is(judge: Judge) -> Filled:
    """A text that names nothing to fill in; the first of its braces is said for information."""
    (braces,) = rendered((Template(judge.user, "format", "template", judge.place),), {})
    diagnostics = (
        replace(diagnostic, values={**diagnostic.values, "reason": AS_IT_IS}, severity="info")
        for diagnostic in braces.diagnostics[:1]
    )
    return Filled(compact([Segment(judge.user, "template", place=judge.place)]), (), tuple(diagnostics))


def _opened(
    segment: Segment, pieces: Mapping[str, Segments], said: Mapping[str, str], values: Mapping[str, Value]
) -> Segments:
    """An inserted value with its record's place; documents and gold reference piece by piece."""
    name = segment.name
    if segment.origin != "variable" or name is None:
        return (segment,)
    if name in pieces and said[name] == segment.text:
        return pieces[name]
    return (replace(segment, place=values[name].place),) if name in values else (segment,)


def _documents(found: Value, texts: tuple[str, ...]) -> Iterator[Segment]:
    for i, text in enumerate(texts):
        yield Segment(f"\nDocument {i + 1}:\n", "joiner")
        yield from compact([found.item(i, text)])
        yield Segment("\n", "joiner")


def _gold(gold: Value) -> Segments:
    """The section with the reference; the evaluator prints its heading above an empty one, too, and none for null."""
    if gold.value is None:
        return ()
    heading, end = Segment("GOLD REFERENCE ANSWER:\n", "joiner"), Segment("\n\n", "joiner")
    return heading, *compact([Segment(gold.text, "variable", "gold", gold.place)]), end
