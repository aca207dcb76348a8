"""Which columns of stated numbers are rates, and whether these are shares of 1 or percent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.scores.criteria import look_up
from readback.scores.files.cells import Cell, cell, text_of
from readback.scores.table import MISSING
from readback.types import Criterion

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


def reported(value: Any) -> Cell:
    """A cell of a published table: `n/a` does not apply, a dash is nothing, a percent sign stays off the number."""
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
    """What all of the items would be in this column: 1 or 100; 0 where it is no column of rates."""
    words = set(re.findall(r"[a-z]+", header.lower()))
    percent = SIGN in header or bool(words & PERCENT) or any(SIGN in v for v in values if isinstance(v, str))
    said = "rate" in words or percent
    if words & NOT_ONE_ITEM or not (_binary(header, criteria) or words & YES_OR_NO or (said and words & WITH_RATE)):
        return 0.0
    numbers = [(number, n) for value, n in zip(values, counts, strict=True) if (number := reported(value)[0]) == number]
    if percent:
        return 100.0
    if all(0 <= number <= 1 for number, _ in numbers):
        return 1.0
    if all(number.is_integer() and n is not None and number <= n for number, n in numbers):
        return 0.0  # how many, not which share
    return 100.0 if _within(number for number, _ in numbers) else 0.0


def _binary(header: str, criteria: Mapping[str, Criterion]) -> bool:
    found = look_up(re.sub(r"[%()\s]+", " ", header).strip(), criteria)
    return found is not None and found.scale == "binary"


def _within(numbers: Iterable[float]) -> bool:
    return all(0 <= number <= 100 for number in numbers)
