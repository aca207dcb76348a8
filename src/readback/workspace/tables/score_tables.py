"""Tables whose columns are probably scores under names of their own: proposed, and read as scores when confirmed.

Unlike a table of judges such a table may also hold what was asked and answered; then its rows stay records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.files.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.layout import (
    ANSWERERS,
    ATTEMPT,
    CONDITION,
    CONTENT,
    COST,
    ENDED,
    ERRORS,
    FACTORS,
    FURTHER_ITEMS,
    ITEM,
    JUDGE,
    KIND,
    OTHER,
    RATIONALE,
    REPLICATE,
    RUN,
    STATUS,
    WEAK_ITEMS,
    fields_of,
    first,
    identifies,
    is_numbered,
)
from readback.types import Location, ScoreSource
from readback.workspace.dataset_choices import list_id_columns
from readback.workspace.draft import Draft
from readback.workspace.recognise import DATASET, ID, SCORES, RecognisedFile
from readback.workspace.survey import Survey
from readback.workspace.tables.judge_tables import (
    LEAST_ROWS,
    ROWS,
    are_numbers,
    are_verdicts,
    is_on_scale,
    parse_choice,
)

KEY = "scores"  # of what whoever opens a workspace chooses: FILE=COLUMN,COLUMN a line
WHAT = "table of scores"
RATED = re.compile(
    r"^(?:score|rating|grade|points|stars|likert|mark|quality|overall|note|bewertung|punkte|punktzahl)s?$"
    r"|helpful|accura|correct|relevan|faithful|grounded|coheren|fluen|complete|concise|clarity|usefu|harmless|toxic"
    r"|factual|consisten|honest|readab|satisf|(?:^|[\W_])(?:score|rating|grade|likert)(?:$|[\W_])",
    re.IGNORECASE,
)


# A table of an item, a condition and one column of such a name is scores and nothing else.
SCORE = re.compile(r"^(?:score|rating|grade|points|stars|likert|mark|quality|bewertung|punkte|punktzahl)s?$", re.I)
VERDICT = re.compile(r"^(?:pass|passed|correct|is_correct|solved|resolved|success|succeeded)$", re.IGNORECASE)
TOLD_APART = (*CONDITION, *FACTORS, *ANSWERERS)
RUNS = (*RUN, *REPLICATE, *ATTEMPT)
# What beside an item, a condition and a score may stand in a table of scores, and is none of the three.
BESIDE = frozenset({*STATUS, *ENDED, *ERRORS, *JUDGE, *KIND, *RATIONALE, *RUNS, *OTHER})
# How long a row took and how much was written, under any name.
MEASURED = re.compile(
    r"(?:^|_)(?:seconds|secs|sec|ms|runtime|wall|tokens?|chars|characters|words|length|retries)(?:$|_)", re.I
)
# What sorts items or is what whole means are about: never an item by its values alone.
SORTS = re.compile(
    r"dataset|benchmark|subset|split|metric|lang|categor|domain|subject|topic|level|difficult|group|kind|type|version"
    r"|condition|setting|config|temperature",
    re.IGNORECASE,
)
FEWEST = 5  # items of a column that nothing but the table's shape says is one
ASSUMED = "scr-columns-assumed"


def propose(draft: Draft, around: Survey, others: frozenset[str]) -> frozenset[str]:
    """Take the tables that were confirmed and those that are nothing but an item, a condition and a score; offer the
    others. Return those that hold no text, and so are no datasets. `others` are tables that are known for something
    else.
    """
    confirmed = parse_choice(draft.chosen.get(KEY))
    offered: list[str] = []
    bare: list[str] = []
    for candidate in around.all(DATASET):
        file = format_relative(draft.root, candidate.path)
        if file in others:
            continue
        called = any(RATED.search(name.strip()) or VERDICT.search(name.strip()) for name in candidate.fields)
        if file not in confirmed and not called and not _names_judge_and_condition(candidate.fields):
            continue  # before a row is decoded: of Parquet that takes a child
        rows = _read_rows(candidate)
        if file not in confirmed and (tidy := find_tidy_columns(rows)):
            _take_tidy(draft, file, tidy)
            bare.append(file)
            continue
        names = confirmed.get(file) or find_score_columns(rows)
        if not names:
            continue
        item, condition = _find_item(rows, names), first((*CONDITION, *FACTORS), rows[0]) if rows else None
        if file in confirmed:
            source = ScoreSource(file, item=item, condition=(condition,) if condition else (), criteria=names)
            draft.scores.append(source)
        else:
            offered.append(f"{file}={','.join(names)}")
        if not _holds_texts(rows, (*names, *item, condition or "")):
            bare.append(file)
            listed = ", ".join(names)
            if file in confirmed:
                draft.say(file, "scores", detail=f"these columns are read as scores: {listed}")
            else:
                draft.say(file, WHAT, used=False, detail=f"these columns look like scores: {listed}")
    if offered:
        draft.alternatives[KEY] = tuple(offered)
    return frozenset(bare)


@dataclass(frozen=True, slots=True)
class TidyColumns:
    """The columns of a table that is nothing but scores."""

    item: str
    condition: str
    score: str


def find_tidy_columns(rows: Sequence[Mapping[str, Any]]) -> TidyColumns | None:
    """Return the columns of a table whose every column is a part of a score; None for any other table.

    There must be one condition, one column of scores that is called so, and an item: by its name, or a column whose
    values, with the condition, occur in one row each. How a row ended, who judged and what it cost may stand beside.
    """
    if len(rows) < LEAST_ROWS:
        return None
    names = fields_of(rows)
    scores = [name for name in names if _is_score(name, rows)]
    conditions = [name for name in names if name.strip().lower() in TOLD_APART]
    conditions = conditions or [name for name in names if name.strip().lower() in RUNS]
    if len(scores) != 1 or len(conditions) != 1:
        return None
    score_and_condition = (scores[0], conditions[0])
    rest = [name for name in names if name not in score_and_condition and not _is_extra(name)]
    if len(rest) != 1 or not _is_item(rest[0], rows, conditions[0]):
        return None
    return TidyColumns(rest[0], conditions[0], scores[0])


def _is_score(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a column is called a score and holds numbers, or called a verdict and holds yes and no."""
    values = [row.get(name) for row in rows]
    if SCORE.search(name.strip()):
        return are_numbers(values)
    return VERDICT.search(name.strip()) is not None and are_verdicts(values)


def _is_extra(name: str) -> bool:
    lowered = name.strip().lower()
    measured = COST.search(lowered) or MEASURED.search(lowered)
    return (lowered in BESIDE or measured is not None) and lowered not in (*ITEM, *FURTHER_ITEMS)


def _is_item(name: str, rows: Sequence[Mapping[str, Any]], condition: str) -> bool:
    """Tell whether a column says what was scored: by its name, or by values, numbered or under every condition."""
    lowered = name.strip().lower()
    if lowered in ITEM:
        return True
    runs = [other for other in rows[0] if other.strip().lower() in (*RUNS, *JUDGE)]
    if not identifies(rows, name, (condition, *runs)):
        return False
    if lowered in FURTHER_ITEMS or is_numbered(row.get(name) for row in rows):
        return True
    if SORTS.search(lowered) or lowered in WEAK_ITEMS:
        return False
    items = {str(row.get(name)) for row in rows}
    conditions = {str(row.get(condition)) for row in rows}
    pairs = {(str(row.get(name)), str(row.get(condition))) for row in rows}
    return len(items) >= FEWEST and len(conditions) > 1 and len(pairs) == len(items) * len(conditions)


def _take_tidy(draft: Draft, file: str, tidy: TidyColumns) -> None:
    """Read the table as scores, and say which columns were taken for what."""
    draft.scores.append(ScoreSource(file, item=(tidy.item,), condition=(tidy.condition,), criteria=(tidy.score,)))
    values = {"file": file, "item": tidy.item, "condition": tidy.condition, "score": tidy.score}
    draft.report(ASSUMED, Location(file=file, line=1), tidy.score, **values)
    parts = f"{tidy.item} is the item, {tidy.condition} the condition, {tidy.score} the score"
    draft.say(file, SCORES, detail=f"read as scores because of its columns: {parts}")


def find_score_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the columns that are probably scores: named so, and holding small numbers with few distinct values. In a
    table that names a judge and a condition any such numbers are, whatever they are called.
    """
    if len(rows) < LEAST_ROWS:
        return ()
    on_scale = [name for name in rows[0] if is_on_scale(row.get(name) for row in rows)]
    scores = [name for name in on_scale if RATED.search(name.strip())]
    if not scores and _names_judge_and_condition(rows[0]):
        scores = [name for name in on_scale if _is_nameless_criterion(name)]
    if _find_item(rows, scores):
        return tuple(scores)
    return ()


def _names_judge_and_condition(names: Iterable[str]) -> bool:
    """Tell whether one column is called a judge and another one a condition."""
    lowered = {name.strip().lower() for name in names}
    return not lowered.isdisjoint(JUDGE) and not lowered.isdisjoint((*CONDITION, *FACTORS))


def _is_nameless_criterion(name: str) -> bool:
    """Tell whether a column has no name of another meaning: an item, a condition, a run, a cost, what sorts items."""
    lowered = name.strip().lower()
    is_item = lowered in (*ITEM, *FURTHER_ITEMS, *WEAK_ITEMS)
    return not (is_item or lowered in TOLD_APART or _is_extra(name) or SORTS.search(lowered))


def _find_item(rows: Sequence[Mapping[str, Any]], scores: Sequence[str]) -> tuple[str, ...]:
    """Return the column that says what is scored: by its usual name, else one that is probably an id."""
    if not rows:
        return ()
    if named := first(ITEM, [name for name in rows[0] if name not in scores]):
        return (named,)
    rest = [{name: value for name, value in row.items() if name not in scores} for row in rows]
    if rest[0]:
        return tuple(islice(list_id_columns(rest), 1))
    return ()


def _read_rows(candidate: RecognisedFile) -> list[Mapping[str, Any]]:
    rows = (
        row.fields for row in read_raw_rows(candidate.path, candidate.path.name, enough=ROWS) if isinstance(row, Row)
    )
    return list(islice(rows, ROWS))


def _holds_texts(rows: Sequence[Mapping[str, Any]], other_names: Sequence[str]) -> bool:
    """Tell whether something asked or answered is in the rows, which are records then: in a column of that name, or in
    one beside those that are `known` whose texts are mostly different.
    """
    if not rows or first(CONTENT, rows[0]):
        return bool(rows)
    cells = ([row.get(name) for row in rows] for name in rows[0] if name not in other_names)
    return any(_are_texts(column) for column in cells)


def _are_texts(values: Sequence[Any]) -> bool:
    texts = [value for value in values if isinstance(value, str) and not value.replace(".", "", 1).isdecimal()]
    return 2 * len(set(texts)) > len(values) or any(len(value) > ID for value in texts)
