"""Which scales a judge's text states: numbers in brackets behind a criterion's name, and one range for all."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"
LISTED = re.compile(rf"\(({_NUMBER}(?:(?:\s*,\s*(?:or\s+)?|\s+or\s+){_NUMBER})+)\)")  # (-1, 0, 1, or 2)
_RANGE = rf"({_NUMBER})\s*(?:to|-|\u2013)\s*({_NUMBER})"
OVERALL = re.compile(  # on a scale of 0 to 3; a 0-1 value
    rf"\bscale\s+(?:of|from|between)?\s*{_RANGE}|\b{_RANGE}\s+(?:value|scale|score|rating)\b", re.IGNORECASE
)
NEAR = 60  # characters between a criterion's name and its numbers

Numbers = tuple[float, ...]


def of_criterion(text: str, name: str) -> set[Numbers]:
    """The lists of numbers that stand right behind the name of a criterion, on one line."""
    words = re.escape(name.removesuffix("_score")).replace("_", r"[ _]")
    named = re.compile(rf"\b{words}(?:[ _]score)?\b([^()\n]{{0,{NEAR}}}){LISTED.pattern}", re.IGNORECASE)
    return {_numbers(hit[2]) for hit in named.finditer(text)}


def overall(text: str) -> set[tuple[float, float]]:
    """The ranges that a text states for everything it asks."""
    pairs = ([part for part in hit.groups() if part is not None] for hit in OVERALL.finditer(text))
    return {(_number(low), _number(high)) for low, high in pairs if _number(low) < _number(high)}


def said(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def _numbers(listed: str) -> Numbers:
    return tuple(sorted({_number(number) for number in re.findall(_NUMBER, listed)}))


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-"))
