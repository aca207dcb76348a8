"""Read the value of a grade: a number, yes or no, or a word that is no number; a failed judge gives none."""

from __future__ import annotations

import math
from typing import Any

from readback.readers.logs.events import Status

WORDS = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0, "pass": 1.0, "fail": 0.0}


def read_verdict(raw: Any, is_error: bool = False) -> tuple[float | None, Status]:
    """Return the number that a grade stands for, None where it is none, and whether there is a grade at all.

    `yes` and `no` are 1 and 0. Another word, or a value of several parts, is a grade without a number.
    """
    if is_error:
        return None, "failed"
    if raw is None:
        return None, "missing"
    if isinstance(raw, bool | int | float):
        try:
            number = float(raw)
        except OverflowError:
            return None, "failed"
        if math.isfinite(number):
            return (number, "scored")
        return (None, "failed")
    if isinstance(raw, str):
        word = WORDS.get(raw.lower())
        if raw:
            return (word, "scored")
        return (None, "missing")
    return None, "scored"


def read_cell(text: str) -> tuple[float | None, Any]:
    """Return the number that a cell of a table stands for, and its value; both None for an empty one."""
    if not text:
        return None, None
    if text.lower() in WORDS:
        return WORDS[text.lower()], text
    try:
        number = float(text)
    except ValueError:
        return None, text
    if math.isfinite(number):
        return (number, text)
    return (None, None)
