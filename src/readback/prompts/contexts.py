"""Retrieved contexts as the prompt builders number them, in segments.

Source: `normalize_contexts` of ignaciolinari/beyond-the-cutoff, which the *Prompt Format Specification* names through
its builders: nulls are dropped, the rest is turned into text and stripped; if every text already begins with a number
in brackets they stay as they are, otherwise all are numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from readback.records import row_fields
from readback.types import NOWHERE, Diagnostic, Location, Segment

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
        for n, value in enumerate((Segment(text, "variable", name, _in(place, name)) for name, _, text in kept), 1)
    )
    diagnostics = [
        Diagnostic("fmt-context-empty", {"field": f"{field}[{i}]", "what": "null"}, _in(place, f"{field}[{i}]"))
        for i, item in enumerate(items)
        if item is None
    ]
    for (name, item, text), mark in zip(kept, marks, strict=True):
        diagnostics += _about(name, item, text, mark, numbered, _in(place, name))
    numbers = [int(mark[1]) for mark in marks if mark]
    wanted = list(range(1, len(kept) + 1))
    if numbered and numbers != wanted:
        values = {"field": field, "numbers": numbers, "wanted": wanted}
        diagnostics.append(Diagnostic("fmt-context-order", values, _in(place, field), str(numbers)))
    return Contexts(texts, tuple(diagnostics))


def _about(
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


def _in(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)
