"""What one cell of a score file says: a number, nothing, not applicable, or something that is not a score."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED

LONGEST_WHY = 40  # characters of a text of a failure that are shown
LARGEST = 1e70  # the fourth powers of a million of these still have a sum
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
ABSENT = {"", "na", "none", "null"}
NOT_FINITE = {"nan", "+nan", "-nan"}  # a program counted and got no number
INAPPLICABLE = {"n/a", "not applicable", "not_applicable", "inapplicable"}
TRUTH = {"true": 1.0, "yes": 1.0, "pass": 1.0, "false": 0.0, "no": 0.0, "fail": 0.0}
NOT_A_NUMBER = "not a number: "
INFINITE = "not a number: endless"  # in JSON, where the row reader has said so
SAYS = "the cell says "
STORED = "stored as "  # how the reason of a grade without a value begins where its log holds a number for it
TRUTH_VALUE = "a truth value"  # how the reason begins; a number on a binary scale only, which is known at the end
WRITTEN = "a number written as text"  # of a row whose program would not count it
KINDS = (".rows", ".aggregated")  # how the GRAG-LiveRAG program ends the names of two files about one run
STATUS = {
    **dict.fromkeys(("failed", "failure", "error", "judge failed", "unparsed", "invalid"), FAILED),
    **dict.fromkeys(("missing", "skipped", "absent"), MISSING),
    **dict.fromkeys(("n/a", "na", "not applicable", "not_applicable"), NOT_APPLICABLE),
}
# How programs write that a row came to nothing; said of a row without a score alone, for a score beside it stands.
FAILURE = re.compile(
    r"error|fail|exception|time[ _-]?d?[ _-]?out|crash|abort|killed|cancel|invalid|unpars|unreadable|overflow"
    r"|refused|rate[ _-]?limit|out[ _-]?of[ _-]?memory|\boom\b|^[45]\d\d$",
    re.IGNORECASE,
)
NO_FAILURE = re.compile(
    r"\b(?:no|not|non|none|without|zero|0)\b[ _-]*(?:error|fail|exception|time|crash)", re.IGNORECASE
)
NO_ERROR = {"", "0", "none", "null", "nil", "na", "n/a", "nan", "false", "no", "ok", "okay", "success", "-", "–", "—"}
# The judge of the GRAG-LiveRAG evaluation program writes 0 for every score when it fails, with one of these notes.
FAILURE_WORDS = (
    "Failed to parse LLM response",
    "JSON parsing error:",
    "Missing required fields in LLM response",
    "Evaluation error:",
)

Cell = tuple[float, int, str]  # the value (NaN unless scored), the state, why


def cell(value: Any) -> Cell:
    """Return the number in a cell, or the state that keeps it apart from 0."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return math.nan, MISSING, ""
    if isinstance(value, bool):
        return float(value), SCORED, TRUTH_VALUE
    if isinstance(value, float) and math.isinf(value):
        return math.nan, FAILED, INFINITE
    if isinstance(value, int | float):
        if abs(value) >= LARGEST:
            return _not_a_number(str(value)[:40])
        return _finite(float(value))
    return _not_a_number(text_of(value)[:40])


@lru_cache(maxsize=4096)
def _text(value: str) -> Cell:
    bare = value.strip()
    if NUMBER.fullmatch(bare):
        parsed = _finite(float(bare))
        if parsed[1] == SCORED:
            return parsed
        return _not_a_number(bare[:40])
    lowered = bare.lower()
    if lowered in ABSENT:
        return math.nan, MISSING, f"{SAYS}{bare}" if bare else ""
    if lowered in NOT_FINITE:
        return math.nan, FAILED, f"{SAYS}{bare}"
    if lowered in INAPPLICABLE:
        return math.nan, NOT_APPLICABLE, ""
    if lowered in TRUTH:
        return TRUTH[lowered], SCORED, TRUTH_VALUE if lowered in ("true", "false") else f"{TRUTH_VALUE}: {bare}"
    return _not_a_number(value[:40])


def _finite(value: float) -> Cell:
    """Return a score, unless it is too large to count with; a negative zero becomes zero."""
    if math.isnan(value):
        return math.nan, FAILED, f"{SAYS}NaN"
    if abs(value) < LARGEST:
        return (value + 0.0, SCORED, "")
    return _not_a_number(str(value))


def _not_a_number(text: str) -> Cell:
    return math.nan, FAILED, NOT_A_NUMBER + text


def apply_status(parsed: Cell, status: Any) -> Cell:
    """Return the cell as the row's status column has it: a failed or missing row keeps no value.

    Only the words of STATUS take a number away. Any other word for a failure makes a cell without a number failed.
    """
    if not isinstance(status, str):
        return parsed
    state = STATUS.get(status.strip().lower())
    if state is not None:
        return math.nan, state, f"status: {status.strip()}"
    if is_failure(status):
        return apply_failure(parsed, status, "status")
    return parsed


def apply_failure(parsed: Cell, text: Any, column: str) -> Cell:
    """Return the cell of a row that failed, as `column` says: failed where it is missing, else unchanged."""
    if parsed[1] != MISSING:
        return parsed
    return math.nan, FAILED, f"{legible(column)}: {text_of(text).strip()[:LONGEST_WHY]}"


@lru_cache(maxsize=4096)
def _says_failure(text: str) -> bool:
    return bool(FAILURE.search(text)) and not NO_FAILURE.search(text)


def is_failure(status: Any) -> bool:
    """Tell whether a word of how a row ended says that it failed: `compile_error`, `TimedOut`, `429`."""
    return isinstance(status, str | int) and not isinstance(status, bool) and _says_failure(str(status).strip())


def is_error(value: Any) -> bool:
    """Tell whether a cell of a column of errors holds one."""
    if isinstance(value, str):
        return value.strip().lower() not in NO_ERROR and not NO_FAILURE.search(value)
    return bool(value) and value == value  # NaN is an empty cell of a table


def failure_words(texts: Iterable[str], cells: Iterable[Cell]) -> str | None:
    """Return the beginning of the note by which a judge's failure was written down as zeros; None for any other row."""
    begun = next((start for text in texts for start in FAILURE_WORDS if text.lstrip().startswith(start)), None)
    values = [value for value, state, _ in cells if state == SCORED]
    if begun and values and not any(values):
        return begun
    return None


def describe_stored(value: float, why: str) -> str:
    """Return why a grade has no value, with the number that its log stores for it."""
    if why:
        return f"{STORED}{value!r}; {why}"
    return f"{STORED}{value!r}"


def read_stored(why: str) -> float | None:
    """Return the number that a log stores for a grade without a value; None where the reason holds none."""
    if why.startswith(STORED):
        return float(why.removeprefix(STORED).partition(";")[0])
    return None


def text_of(value: Any) -> str:
    """Return a cell of an id, a factor or a note as text: `007` stays, a JSON value keeps its JSON spelling."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return legible(value)
    if value is None:
        return ""
    return legible(json.dumps(value, ensure_ascii=False))


def legible(text: str) -> str:
    """Return the text with lone surrogates spelled out (`\\ud800`), for nothing can show or send them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def stem(file: str) -> str:
    """Return the name of a file without its endings: the condition's name when nothing else names it."""
    name = PurePosixPath(file.removesuffix(".gz")).stem
    return next((name.removesuffix(kind) for kind in KINDS if name.endswith(kind) and name != kind), name)
