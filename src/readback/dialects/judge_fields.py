"""The `{fields}` of a judge's prompt template: which it may have, and what the four it always has are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import Formatter

from readback.types import Judge, Note, Place

# Source: the evaluator's prompts.py of rmit-ir/GRAG-LiveRAG (MIT).
FIELDS = ("question", "answer", "documents", "gold_reference")


def check(judge: Judge, mapped: Mapping[str, str] | None = None) -> Iterator[Note]:
    """Notes for what `str.format` would do beyond filling in texts, and for fields that nothing fills.

    `mapped` are the workspace's `fields`, which may name more than the four; a template that is no format is fine.
    """
    if judge.syntax != "format":
        return
    seen: set[str] = set()
    try:
        for _, name, spec, conversion in Formatter().parse(judge.user):
            if name is None or name in seen:
                continue
            seen.add(name)
            if reason := _refused(name, spec or "", conversion or "", (*FIELDS, *(mapped or {}))):
                place = replace(_at(judge.place, judge.user, name), judge=judge.name, field=name or None)
                yield Note("jdg-format-field", {"field": name, "reason": reason}, place, f"{judge.name} {name}")
    except ValueError as error:
        place = replace(judge.place, judge=judge.name)
        yield Note("jdg-format-syntax", {"reason": str(error)}, place, judge.name)


def _refused(name: str, spec: str, conversion: str, known: tuple[str, ...]) -> str:
    if not name or name.isdigit():
        return "it is positional"
    if "." in name or "[" in name:
        return "it reaches into a value"
    if spec or conversion:
        return "it asks for a format"
    return "" if name in known else "nothing fills it"


def _at(place: Place, text: str, name: str) -> Place:
    """The line on which a field first stands; the column is not kept, for a template may be indented in its file."""
    offset = text.find("{" + name)
    if place.line is None or offset < 0:
        return place
    return replace(place, line=place.line + text.count("\n", 0, offset), column=None)
