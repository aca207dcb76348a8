"""The places where two texts part, as lines for a terminal and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from readback.compare.diff import Difference
from readback.compare.first_difference import FirstDifference, Spot, said
from readback.compare.side import Shown
from readback.compare.token_numbers import numbers
from readback.types import Model, Segment, Workspace

LISTED = 20  # differences that the text names
WRITERS = {
    "serving": "chat template",
    "system": "system text",
    "variable": "data",
    "default": "default",
    "adapter": "adapter",
    "joiner": "a joiner",
    "unknown": "origin not known",
}


def lines(d: Difference, opened: Workspace) -> Iterator[str]:
    """Every difference with its places on both sides and who wrote what is there."""
    tokens_a, tokens_b = _tokens(d, opened)
    for number, one in enumerate(d.first_differences[:LISTED], 1):
        yield f"{number:>3}. {said(one)}"
        yield f"     A: {_where(one, one.a, tokens_a)}"
        yield f"     B: {_where(one, one.b, tokens_b)}"
    if len(d.first_differences) > LISTED:
        yield f"     and {len(d.first_differences) - LISTED:,} more"


def values(d: Difference, opened: Workspace) -> dict[str, Any]:
    """What is shown of what was trained on, and every difference with its places; nothing where neither is."""
    sides = {name: _trained(one) for name, one in (("a", d.a), ("b", d.b)) if one.form}
    tokens_a, tokens_b = _tokens(d, opened)
    found = [
        {"said": said(one), "a": _spot(one, one.a, tokens_a), "b": _spot(one, one.b, tokens_b)}
        for one in d.first_differences
    ]
    return {**({"training": sides} if sides else {}), **({"partings": found} if found else {})}


def written(segment: Segment) -> str:
    """Who wrote a stretch: system text modelfile, ollama/Modelfile.instruction_only line 37."""
    who = WRITERS.get(segment.origin, segment.origin)
    at = segment.place
    named = f"{who} {segment.name}" if segment.name and segment.name != at.file else who
    return f"{named}, {at.file} line {at.line}" if at.file and at.line else f"{named}, {at.file}" if at.file else named


def model_of(opened: Workspace, shown: Shown) -> Model | None:
    """The model of a side's condition."""
    condition = opened.condition(shown.side.choice.condition) if shown.side.choice.condition else None
    return opened.models.get(condition.model) if condition and condition.model else None


def _tokens(d: Difference, opened: Workspace) -> tuple[Mapping[int, int], Mapping[int, int]]:
    sides = (
        (d.a, [one.a.start + one.shared for one in d.first_differences]),
        (d.b, [one.b.start + one.shared for one in d.first_differences]),
    )
    a, b = (_numbers(opened, shown, at) for shown, at in sides)
    return a, b


def _numbers(opened: Workspace, shown: Shown, at: Sequence[int]) -> Mapping[int, int]:
    if not at or shown.side.workspace is not None:
        return {}
    return numbers(model_of(opened, shown), shown.messages[0].text, at, Path(opened.root))


def _where(one: FirstDifference, spot: Spot, tokens: Mapping[int, int]) -> str:
    at = spot.start + one.shared
    number = f", token {tokens[at]:,}" if at in tokens else ""
    origin = f" ({written(spot.segments[0])})" if spot.segments else ""
    return f"character {at + 1:,}, line {spot.line:,}, column {spot.column + one.shared:,}{number}{origin}"


def _spot(one: FirstDifference, spot: Spot, tokens: Mapping[int, int]) -> dict[str, Any]:
    at = spot.start + one.shared
    place = spot.segments[0].place if spot.segments else None
    return {
        "text": spot.text,
        "start": spot.start,
        "end": spot.end,
        "character": at + 1,
        "line": spot.line,
        "column": spot.column + one.shared,
        "token": tokens.get(at),
        "origin": spot.segments[0].origin if spot.segments else None,
        "written_by": written(spot.segments[0]) if spot.segments else None,
        "file": place.file if place else None,
        "file_line": place.line if place else None,
    }


def _trained(shown: Shown) -> dict[str, Any]:
    known = shown.trained
    found = known.template if known else None
    return {
        "form": shown.form,
        "template": found.name if found else None,
        "basis": found.basis if found else None,
        "assumed": bool(found and found.basis == "assumed"),
    }
