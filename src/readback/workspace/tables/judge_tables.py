"""Tables with one column for each judge: never records, and read as scores only where somebody confirms it.

Numbers under any names may be anything, so a table of ids and small whole numbers is proposed, with the columns that
look like judges, and `chosen` says yes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.files.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.cells import ABSENT, INAPPLICABLE, NOT_FINITE, TRUTH
from readback.types import ScoreSource
from readback.workspace.draft import Draft
from readback.workspace.recognise import DATASET, ID, RecognisedFile
from readback.workspace.survey import Survey

KEY = "judges"  # of what whoever opens a workspace chooses: FILE=COLUMN,COLUMN a line
WHAT = "table of judges"
ROWS = 200  # rows that are looked at
LEAST = 2  # judges; a single column of numbers may be anything
LEAST_ROWS = 3
GAPS = frozenset({*ABSENT, *NOT_FINITE, *INAPPLICABLE})
ONE_OR_ZERO = ("0", "1", "0.0", "1.0")
VALUES = 12  # different values of a scale that people use
HIGHEST = 100
MANY = 3  # columns on one scale that look like judges whatever their names are
CALLED = re.compile(
    r"judge|rater|annotat|grader|evaluator|assessor|expert|human|score|rating|gpt|llama|claude|gemini|mistral|qwen"
    r"|^[jra]\d+$",
    re.IGNORECASE,
)
OTHERS = frozenset({
    "index", "row", "line", "number", "n", "nr", "count", "fold", "split", "label", "gold", "target", "year", "month",
    "day", "week", "age", "rank", "weight", "length", "words", "tokens", "level", "version", "page", "chapter", "seed",
})  # fmt: skip


def propose(draft: Draft, around: Survey) -> frozenset[str]:
    """Take the tables that were confirmed, offer those that were not; answers all of them, which are no datasets."""
    confirmed = parse_choice(draft.chosen.get(KEY))
    offered: list[str] = []
    tables: list[str] = []
    for candidate in around.all(DATASET):
        file = format_relative(draft.root, candidate.path)
        items, judges = find_judge_columns(candidate)
        if file in confirmed:
            named = items or tuple(sorted(candidate.fields - set(confirmed[file])))
            draft.scores.append(ScoreSource(file, item=named, judges=confirmed[file]))
            draft.say(file, "scores", detail=f"one column for each judge: {', '.join(confirmed[file])}")
        elif judges:
            offered.append(f"{file}={','.join(judges)}")
            draft.say(file, WHAT, used=False, detail=f"these columns look like judges: {', '.join(judges)}")
        else:
            continue
        tables.append(file)
    if offered:
        draft.alternatives[KEY] = tuple(offered)
    return frozenset(tables)


def find_judge_columns(candidate: RecognisedFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that name the item and those that are probably judges; both empty if rows are records."""
    if candidate.texts:
        return (), ()
    rows: list[dict[str, Any]] = []
    for row in islice(read_raw_rows(candidate.path, candidate.path.name, enough=ROWS), ROWS):
        if isinstance(row, Row):
            if not all(map(_is_short, row.fields.values())):  # a text: the rows are records, and no more need be read
                return (), ()
            rows.append(dict(row.fields))
    names = list(rows[0]) if rows else []
    judges = tuple(name for name in names if name.lower() not in OTHERS and is_on_scale(row.get(name) for row in rows))
    items = tuple(name for name in names if name not in judges)
    called = all(CALLED.search(name) for name in judges)
    few = len(judges) < max(LEAST if called else MANY, len(items)) or len(rows) < LEAST_ROWS
    if few or not items or _are_alike(rows, items):
        return (), ()
    return items, judges


def parse_choice(text: str | None) -> dict[str, tuple[str, ...]]:
    """`FILE=COLUMN,COLUMN` lines by file."""
    pairs = (line.rpartition("=") for line in (text or "").split("\n"))
    return {file: tuple(filter(None, names.split(","))) for file, equals, names in pairs if equals and file}


def is_on_scale(cells: Iterable[Any]) -> bool:
    """Tell whether a column holds a few small numbers that are no running count; cells without a score may be among
    them.
    """
    values = [cell for cell in cells if not _is_gap(cell)]
    numbers = list(_list_numbers(values))
    if not numbers or len(numbers) < len(values):
        return False
    distinct = set(numbers)
    running = len(numbers) > VALUES and len(distinct) == len(numbers)
    return len(distinct) <= VALUES and min(distinct) >= 0 and max(distinct) <= HIGHEST and not running


def are_numbers(cells: Iterable[Any]) -> bool:
    """Tell whether a column holds numbers alone, and at least one; cells without a score may be among them."""
    values = [cell for cell in cells if not _is_gap(cell)]
    return bool(values) and len(list(_list_numbers(values))) == len(values)


def are_verdicts(cells: Iterable[Any]) -> bool:
    """Tell whether a column holds yes and no alone, as truth values, 0 and 1 or words; gaps may be among them."""
    values = [cell for cell in cells if not _is_gap(cell)]
    return bool(values) and all(str(value).strip().lower() in (*TRUTH, *ONE_OR_ZERO) for value in values)


def _is_gap(cell: Any) -> bool:
    """Tell whether a cell holds no score: it is empty, or says NaN, null or the like."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in GAPS)


def _list_numbers(values: Iterable[Any]) -> Iterator[float]:
    for value in values:
        try:
            number = float(value)
        except (TypeError, ValueError):
            continue
        if math.isfinite(number) and not isinstance(value, bool):
            yield number


def _is_short(cell: Any) -> bool:
    """Tell whether a cell may be an id or a number; an empty one may be missing."""
    return cell is None or (isinstance(cell, str | int | float) and len(str(cell)) <= ID)


def _are_alike(rows: Sequence[Mapping[str, Any]], items: Sequence[str]) -> bool:
    """Tell whether the other columns do not tell the rows apart, as what is judged would."""
    keys = [tuple(str(row.get(name)) for name in items) for row in rows]
    return len(set(keys)) < len(keys)
