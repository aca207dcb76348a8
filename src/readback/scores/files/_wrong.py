"""Parts and numbers of score files that are of a wrong kind, or cannot be what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from readback.scores.criteria import number
from readback.scores.files.cells import legible, text_of
from readback.scores.table import SCORED, Reported
from readback.types import Diagnostic, Location

CODE = "dat-wrong-value"
KINDS = {"list": "a list", "str": "a text", "int": "a number", "float": "a number", "bool": "true or false"}
LONGEST = 40  # characters of a value that are shown


def part(fields: Mapping[str, Any], name: str, place: Location) -> Iterator[Diagnostic]:
    """A diagnostic where a part of a row is there and no object."""
    value = fields.get(name)
    if value is not None and not isinstance(value, Mapping):
        values = {"where": name, "value": KINDS.get(type(value).__name__, "something else"), "expected": "an object"}
        yield Diagnostic(CODE, values, place, name, "warning")


def no_number(where: str, value: Any, place: Location) -> Diagnostic:
    """What is where a mean should be."""
    values = {"where": legible(where), "value": text_of(value)[:LONGEST], "expected": "a number"}
    return Diagnostic(CODE, values, place, where, "warning")


def impossible_rates(reported: Iterable[Reported]) -> Iterator[Diagnostic]:
    """Stated shares of all items that are below none or above all, where no n says so already."""
    for one in reported:
        if one.whole is None or one.state != SCORED or one.n or 0 <= one.mean <= one.whole:
            continue
        expected = f"a share from 0 to {number(one.whole)}"
        values = {"where": one.criterion, "value": number(one.mean), "expected": expected}
        yield Diagnostic(CODE, values, one.place, one.criterion, "warning")
