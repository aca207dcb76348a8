"""Annotations of AlpacaEval: two answers to one instruction, and a number that says which one is preferred.

Source: `annotations.json` of tatsu-lab/alpaca_eval (Apache-2.0): `generator_1`, `generator_2` and `preference`, 1 for
the first answer, 2 for the second, 1.5 for neither. Numbers between say how sure the annotator was; here the nearer
answer wins, as in its `discrete_win_rate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readback.scores.files.cells import text_of
from readback.scores.files.formats import pairwise
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.types import Diagnostic

NAME = "AlpacaEval annotations"
FIRST, SECOND, PREFERENCE, ITEM = "generator_1", "generator_2", "preference", "instruction"
COLUMNS = (FIRST, SECOND, PREFERENCE, ITEM)
RENAMED = {FIRST: pairwise.A, SECOND: pairwise.B, PREFERENCE: pairwise.WON, ITEM: "id"}
EVEN = 1.5  # neither is preferred
LOW, HIGH = 1.0, 2.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A row with its fields under the names of pairwise outcomes."""

    fields: Mapping[str, Any]
    line: int


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """All rows have both generators, the preference and the instruction."""
    return bool(rows) and all(all(name in row for name in COLUMNS) for row in rows)


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every row's outcome; a row without a preference is counted, one whose preference makes no sense a diagnostic."""
    outcomes = pairwise.read(_pairs(rows), [row for row in _pairs(head) if isinstance(row, Pair)], settings)
    columns = {**outcomes.source.columns, "item": (ITEM,), "condition": (FIRST, SECOND), "score": (PREFERENCE,)}
    return replace(outcomes, source=replace(outcomes.source, what=NAME, columns=columns))


def _pairs(rows: Iterable[Row | Diagnostic]) -> Iterator[Pair | Diagnostic]:
    for row in rows:
        if isinstance(row, Diagnostic):
            yield row
            continue
        fields = {RENAMED.get(name, name): value for name, value in row.fields.items() if name not in RENAMED.values()}
        yield Pair({**fields, pairwise.WON: _outcome(row.fields.get(PREFERENCE))}, row.line)


def _outcome(preference: Any) -> str:
    """Return a preference as an outcome; empty for none, and its own text where it is no number from 1 to 2."""
    if preference is None or text_of(preference).strip().lower() in ("", "nan", "none"):
        return ""
    try:
        number = float(text_of(preference))
    except ValueError:
        return text_of(preference)
    if not LOW <= number <= HIGH:
        return text_of(preference)
    if number == EVEN:
        return "tie"
    if number < EVEN:
        return "win_a"
    return "win_b"
