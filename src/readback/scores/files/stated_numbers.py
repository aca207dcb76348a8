"""Judge stated means and rates: which columns hold rates, of 1 or of 100, and which numbers are impossible."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from readback.scores.files.cells import Cell, cell, legible, text_of
from readback.scores.table import MISSING, SCORED, Reported
from readback.scores.values.criteria import look_up, number
from readback.types import Criterion, Diagnostic, Location

# Words of a header that say that something either holds for an item or does not.
YES_OR_NO = {
    *("pass", "passed", "passes", "fail", "failed", "failure", "failures", "verdict", "accuracy", "success"),
    *("refusal", "refused", "abstention", "abstained", "share", "proportion"),
}
WITH_RATE = {"error", "errors", "empty"}  # these only beside `rate` or a percent sign
PERCENT = {"percent", "pct", "percentage"}
NOT_ONE_ITEM = {"win", "wins"}  # ties count half there
DASHES = {"-", "–", "—", "−"}
SIGN = "%"
FINEST = 6  # decimals at which two means are still compared
CODE = "dat-wrong-value"
KINDS = {"list": "a list", "str": "a text", "int": "a number", "float": "a number", "bool": "true or false"}
LONGEST = 40  # characters of a value that are shown


def reported(value: Any) -> Cell:
    """Parse a cell of a published table: `n/a` does not apply, a dash is empty, a percent sign is dropped."""
    if isinstance(value, str):
        bare = value.strip()
        if bare in DASHES:
            return float("nan"), MISSING, ""
        return cell(bare.removesuffix(SIGN).rstrip())
    return cell(value)


def decimals(value: Any) -> int:
    """How many decimals a mean is printed with, which is how exactly it can be compared."""
    digits = text_of(value).strip().removesuffix(SIGN).lower().partition("e")[0]
    return min(len(digits.partition(".")[2].strip()), FINEST)


def whole(header: str, values: Sequence[Any], counts: Sequence[int | None], criteria: Mapping[str, Criterion]) -> float:
    """Return the value of all items in this column: 1 or 100; 0 where it is no column of rates."""
    words = set(re.findall(r"[a-z]+", header.lower()))
    percent = SIGN in header or bool(words & PERCENT) or any(SIGN in v for v in values if isinstance(v, str))
    names_rate = "rate" in words or percent
    if words & NOT_ONE_ITEM or not (
        _binary(header, criteria) or words & YES_OR_NO or (names_rate and words & WITH_RATE)
    ):
        return 0.0
    rates = [(reported(value)[0], n) for value, n in zip(values, counts, strict=True)]
    rates = [(rate, n) for rate, n in rates if not math.isnan(rate)]
    if percent:
        return 100.0
    if all(0 <= rate <= 1 for rate, _ in rates):
        return 1.0
    if all(rate.is_integer() and n is not None and rate <= n for rate, n in rates):
        return 0.0  # how many, not which share
    if all(0 <= rate <= 100 for rate, _ in rates):
        return 100.0
    return 0.0


def _binary(header: str, criteria: Mapping[str, Criterion]) -> bool:
    criterion = look_up(re.sub(r"[%()\s]+", " ", header).strip(), criteria)
    return criterion is not None and criterion.scale == "binary"


def part(fields: Mapping[str, Any], name: str, place: Location) -> Iterator[Diagnostic]:
    """Yield a diagnostic where a part of a row is present and no object."""
    value = fields.get(name)
    if value is not None and not isinstance(value, Mapping):
        values = {"where": name, "value": KINDS.get(type(value).__name__, "something else"), "expected": "an object"}
        yield Diagnostic(CODE, values, place, name, "warning")


def report_no_number(where: str, value: Any, place: Location) -> Diagnostic:
    """Return the diagnostic of a value that stands where a mean should be."""
    values = {"where": legible(where), "value": text_of(value)[:LONGEST], "expected": "a number"}
    return Diagnostic(CODE, values, place, where, "warning")


def report_impossible_rates(reported: Iterable[Reported]) -> Iterator[Diagnostic]:
    """Stated shares of all items that are below none or above all, where no n says so already."""
    for mean in reported:
        if mean.whole is None or mean.state != SCORED or mean.n or 0 <= mean.mean <= mean.whole:
            continue
        expected = f"a share from 0 to {number(mean.whole)}"
        values = {"where": mean.criterion, "value": number(mean.mean), "expected": expected}
        yield Diagnostic(CODE, values, mean.place, mean.criterion, "warning")
