"""What each criterion got in a reply: a number, nothing, or something that is not a score on its scale."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from readback.scores.files.judge_reply.read_reply import Reply
from readback.scores.table import NOT_READ
from readback.scores.values.criteria import holds, number, scale_text
from readback.types import Criterion, Diagnostic, Location, ScoreState

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LARGEST = 1e70  # as of cells: the fourth powers of a million of these still have a sum
NESTED = "scores"  # where rubrics ask for the scores
NOTHING = "the reply contains no object that can be read"
NULL = "the reply says null"
NO_NUMBER = "not a number: "


class Mark(NamedTuple):
    """What one criterion got: NaN unless `state` is scored. `note` says what was odd, `text` that it was in quotes."""

    value: float
    state: ScoreState
    why: str = ""
    diagnostic: Diagnostic | None = None
    text: bool = False


def scores(reply: Reply, criteria: Mapping[str, Criterion], *, item: str = "", judge: str = "") -> dict[str, Mark]:
    """Each criterion's mark. One that cannot be read does not void the others.

    A value is looked for under the criterion's name, with and without the ending `_score`, at the top of the object
    and under `scores`. `item` and `judge` are named in diagnostics.
    """
    return {name: _check_scale(written(reply, name), criterion, item, judge) for name, criterion in criteria.items()}


def written(reply: Reply, name: str) -> Mark:
    """Return the mark that a reply gives to one criterion, whatever its scale."""
    if reply.unknown_form:
        return Mark(math.nan, "missing", NOT_READ)
    if reply.value is None:
        if reply.refused:
            why = f"{NOTHING} ({reply.refused[0]})"
        else:
            why = NOTHING
        return Mark(math.nan, "failed", why)
    for place in _places(reply.value):
        for key in spellings((name,)):
            if key in place:
                return mark(place[key])
    return Mark(math.nan, "missing", NOT_READ)


def mark(value: Any) -> Mark:
    """Return a value of a reply as a mark: numbers, also as text; null is missing, all else the judge's failure."""
    if value is None:
        return Mark(math.nan, "missing", NULL)
    if isinstance(value, bool):
        return _not_a_number("true" if value else "false")
    if isinstance(value, int | float):
        fits = abs(value) < LARGEST  # false for NaN, which a strict reading has refused before
        if fits:
            return Mark(float(value) + 0.0, "scored")
        return _not_a_number(str(value)[:40])
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()) and abs(float(value)) < LARGEST:
        return Mark(float(value) + 0.0, "scored", text=True)
    if isinstance(value, str):
        return _not_a_number(value[:40])
    if isinstance(value, list):
        return _not_a_number("a list")
    return _not_a_number("an object")


def _check_scale(mark: Mark, criterion: Criterion, item: str, judge: str) -> Mark:
    """Return the mark, failed with a diagnostic where its number is not on the scale."""
    at = Location(record=item or None, judge=judge or None)
    if mark.state == "scored" and not holds(criterion, mark.value):
        text = number(mark.value)
        mark = Mark(math.nan, "failed", f"not on the scale: {text}")
    elif mark.state == "failed" and mark.why.startswith(NO_NUMBER):
        text = mark.why.removeprefix(NO_NUMBER)
    else:
        if mark.text:
            values = {"criterion": criterion.name, "value": number(mark.value), "count": 1, "where": item}
            return mark._replace(diagnostic=Diagnostic("jdg-score-text", values, at, criterion.name))
        return mark
    values = {"value": text, "criterion": criterion.name, "scale": scale_text(criterion), "item": item or "the answer"}
    return mark._replace(diagnostic=Diagnostic("jdg-out-of-range", values, at, f"{criterion.name}|{text}"))


def _not_a_number(text: str) -> Mark:
    return Mark(math.nan, "failed", NO_NUMBER + text)


def _places(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield value
    if isinstance(nested := value.get(NESTED), Mapping):
        yield nested


def spellings(names: Iterable[str]) -> Iterator[str]:
    """Each criterion's name with and without its ending, as a reply may have it."""
    for name in names:
        yield from (name, f"{name}_score", name.removesuffix("_score"))
