"""Files of means: one row for each condition, no items. They are set beside the means of the rows, not mixed in."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.readers.files.text_file import read_head, read_text
from readback.readers.json_text import Decoder, NotJson
from readback.scores.files.cells import INFINITE, cell, legible, stem, text_of
from readback.scores.files.costs import Costs
from readback.scores.files.formats.details import ABOUT_DOCUMENTS
from readback.scores.files.formats.metrics import shape
from readback.scores.files.layout import (
    ANSWERERS,
    CONDITION,
    FACTORS,
    MEANS,
    Layout,
    fields_of,
    first,
    flatten,
    item_columns,
    layout,
    looks_numeric,
    score_columns,
)
from readback.scores.files.run_facts import CLOSED_BOOK
from readback.scores.files.score_rows import FileScores, FileSettings, PlainRow, Row
from readback.scores.files.stated_numbers import (
    DASHES,
    decimals,
    report_impossible_rates,
    report_no_number,
    reported,
    whole,
)
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED, ConditionKey, Reported, SourceRead
from readback.scores.values.criteria import load_shipped_criteria
from readback.types import Diagnostic, Location, ScoreSource

NAME = "means"
LARGEST = 1 << 20  # bytes of a summary that is one JSON object
COUNT = ("sample_count", "count", "n", "examples_evaluated", "total_examples")
# of how many items a rate is, failed ones included
ALL_OF = (
    *("total", "total_count", "total_items", "total_problems", "total_tasks", "total_questions", "n_total"),
    *("num_total", "n_problems", "num_problems", "n_items", "num_items", "n_tasks", "num_tasks", "n_all", "attempted"),
    *("problems", "tasks", "items", "questions", "rows", "size"),
)
# how many of them have a score, in words that leave no doubt
SCORED_OF = (
    *("scored", "n_scored", "num_scored", "scored_count", "rated", "n_rated", "graded", "n_graded", "judged"),
    *("n_judged", "valid", "n_valid", "num_valid", "with_score", "n_with_score"),
)
# numbers beside a rate that count, and are no part of a condition
COUNTED = re.compile(
    r"^(?:n|num|count)_|_(?:n|num|count)$|^(?:success(?:es|ful)?|succeeded|completed|finished|failed|fails?|failures?"
    r"|errors?|timeouts?|crashed|skipped|missing|passed|passes|solved|correct|wrong|unscored|invalid|excluded)$",
    re.IGNORECASE,
)
RUN_OF = ("system_name", "model_label", "label")  # which run a file of avg_ columns is about
LABEL = (*CONDITION, "model_label", "label", "run_label")  # a column that alone names the conditions of a table
MEMBER = ("mode", "adapter", "model")  # what may be beside it as part of the condition
LEADER = ("name", "model", "model_name", "system", "system_name", "generator", "player", "team")  # of a leaderboard
RATE = re.compile(
    r"(?:^|_|\b)(?:(?:win|pass|success|solve|resolve)_?rate|pass_?at_?\d+|elo|accuracy)(?:$|_|\b)", re.IGNORECASE
)
# what is no score although it is a number: lengths, tokens, time and money, how many there were, places
NO_SCORE = re.compile(
    r"(?:^|_)(?:length|len|tokens?|words?|chars?|characters?|latency|duration|seconds|cost|price|samples?|count|total"
    r"|rank|place|position|n)(?:$|_)",
    re.IGNORECASE,
)
# A JSON object with one of these keys may be a summary of rates.
RATES = re.compile(rb'"(?:(?:avg|mean)_\w+|(?:pass|success|solve|resolve)_?rate|pass_?(?:at_?|@)\d+|accuracy)"', re.I)
CONTROLLED = re.compile(r"length_controlled|len_controlled|_lc(?:$|_)|^lc_", re.IGNORECASE)
SPREAD = re.compile(r"(.*\S)[ _](?:sd|std|stdev)", re.IGNORECASE)  # the spread of the column named before it
AGGREGATED = ".aggregated."  # in the name of a file of means that lies beside one of rows


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of stated numbers. `whole` is 1 or 100 where they are rates, `spread` the column of their spread."""

    name: str
    criterion: str
    whole: float | None = None
    spread: str | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    layout: Layout
    columns: tuple[_Column, ...]
    factors: tuple[str, ...]
    is_one_run: bool  # columns called avg_… and nothing that tells rows apart: the file is about one run
    averages: bool
    counts: tuple[str, ...]  # columns that say how many scores a mean is of, the surest first
    rows: int = 1


def read_object(path: Path, file: str) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of a `.json` file that is one summary, or one by the name of each condition; none of any other.

    It must say how many items it is about: `{"model": "a", "total": 40, "pass_rate": 0.7}`.
    """
    if path.suffix.lower() != ".json":
        return ()
    text, _ = read_text(path, file, LARGEST)
    if text is None or not text.lstrip().startswith("{"):
        return ()
    try:
        value = Decoder().whole(text)
    except NotJson:
        return ()
    if not isinstance(value, Mapping):
        return ()
    rows: tuple[Mapping[str, Any], ...] = (value,)
    if value and all(isinstance(entry, Mapping) for entry in value.values()):
        rows = tuple({LEADER[1]: name, **entry} for name, entry in value.items())
    if any(isinstance(cell_of, Mapping | list) for row in rows for cell_of in row.values()):
        return ()
    if not _named_rows(fields_of(rows), rows):
        return ()
    if recognise(rows, FileSettings(ScoreSource(file), load_shipped_criteria(), {}, {})):
        return rows
    return ()


def open_file(path: Path, file: str, refused: Callable[[], None]) -> Iterator[Row | Diagnostic] | None:
    """Return the rows of a file that is one summary, or one for each condition; None for any other file."""
    rows = read_object(path, file)
    if rows:
        return iter([PlainRow(row) for row in rows])
    return None


def shows_file(path: Path) -> bool:
    """Tell whether a file has the name of a rate near its beginning."""
    return RATES.search(read_head(path)) is not None


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """No item column, and columns called means, or a number of items, or every row a condition of its own."""
    if len(rows) == 1 and shape(rows[0]):  # a run's summary
        return False
    rows = [flatten(row) for row in rows]
    if not rows or settings.source.judges or item_columns(fields_of(rows), settings.source):
        return False
    plan = _plan(rows, settings)
    if not plan.averages and not plan.counts and item_columns(fields_of(rows), settings.source, rows):
        return False
    if not plan.columns:
        return False
    if plan.averages:
        return True
    keys = [tuple(text_of(row.get(name)) for name in plan.factors) for row in rows]
    return bool(plan.factors) and len(set(keys)) == len(keys) and (len(keys) > 1 or bool(plan.counts))


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Every row's means as reported values."""
    diagnostics = BoundedDiagnostics()
    used_rows: list[tuple[Mapping[str, Any], int]] = []
    for row in rows:
        if isinstance(row, Diagnostic):
            diagnostics.add(row)
        else:
            used_rows.append((flatten(row.fields), row.line))
    plan = _plan([flatten(row.fields) for row in head], settings)
    plan = replace(plan, columns=tuple(_add_wholes(plan, used_rows, settings)), rows=len(used_rows))
    costs = Costs()
    for fields, _ in used_rows:
        costs.row(fields, plan.layout.costs)
    reported = [mean for fields, line in used_rows for mean in _row(fields, line, plan, settings)]
    if plan.is_one_run:
        named = first(RUN_OF, plan.layout.candidates)
    else:
        named = None
    roles: tuple[str, ...]
    if named:
        roles = (named,)
    elif plan.is_one_run:
        roles = ()
    else:
        roles = plan.factors
    columns = {
        "condition": tuple(map(legible, roles)),
        "score": tuple(legible(column.name) for column in plan.columns),
        "unused": tuple(legible(name) for name in plan.layout.candidates if name not in roles),
        **({"cost": costs.format_sums()} if costs.sums else {}),
    }
    account = SourceRead(settings.source.path, NAME, len(used_rows), 0, columns, synthetic=settings.source.synthetic)
    diagnostics.extend(_no_numbers(used_rows, plan, settings.source.path))
    diagnostics.extend(report_impossible_rates(reported))
    if named:
        run_names = dict.fromkeys(text_of(fields.get(named)).strip() for fields, _ in used_rows)
    else:
        run_names = {}
    if len(run_names) == 1 and not settings.source.label:
        called = next(iter(run_names))
    else:
        called = ""
    called = settings.aliases.get(called, called)
    return FileScores(None, account, diagnostics.list_all(settings.source.path), tuple(reported), called=called)


def _plan(samples: Sequence[Mapping[str, Any]], settings: FileSettings) -> _Plan:
    fields = fields_of(samples)
    count = first(COUNT, [name for name in fields if name not in settings.source.condition])
    if settings.source.condition:
        label = None
    else:
        label = first(LABEL, fields)
    averages = tuple(
        (name, legible(name.split("_", 1)[1]), "")
        for name in fields
        if name.lower().startswith(MEANS) and looks_numeric(row.get(name) for row in samples) and not _no_score(name)
    )
    named = score_columns(fields, settings.source, settings.criteria, samples)
    plain_cells = not any(isinstance(value, Mapping | list) for row in samples for value in row.values())
    if not averages and label and count and plain_cells and not settings.source.criteria:
        own_roles = {label, count, *MEMBER}
        named = tuple(name for name in fields if name not in own_roles and _numbers(row.get(name) for row in samples))
    if label or averages or named or settings.source.condition:
        leader = None
    else:
        leader = _leader(fields, samples)
    if leader:
        label = leader
        named = tuple(name for name in fields if RATE.search(name) and _numbers(row.get(name) for row in samples))
    by: tuple[str, ...] = () if label or settings.source.condition else _named_rows(fields, samples)
    if by:
        rates = (name for name in fields if RATE.search(name) and _numbers(row.get(name) for row in samples))
        stated = [name for name, _, _ in averages]
        named = (*named, *(name for name in rates if name not in named and not _repeats(name, stated, samples)))
        if averages:
            averages = (*averages, *((name, legible(name), "") for name in named))
        else:
            averages = ()
    spreads = {match[1]: name for name in fields if (match := SPREAD.fullmatch(name)) and match[1] in fields}
    plain = tuple((name, legible(name), "") for name in named if name not in spreads.values())
    roles = layout(fields, settings.source, averages or plain)
    if by or any(COUNTED.search(name.strip()) for name in fields):
        whole_n = first(ALL_OF, fields)
    else:
        whole_n = None
    counts = tuple(name for name in (first(SCORED_OF, fields), count, whole_n) if name)
    helper_columns = {*counts, *spreads.values()}
    roles = replace(roles, candidates=tuple(name for name in roles.candidates if name not in helper_columns))
    columns = tuple(_Column(name, criterion, spread=spreads.get(name)) for name, criterion, _ in roles.scores)
    factors = roles.candidates
    if by:
        return _Plan(roles, columns, by, False, bool(averages), counts)
    if label and (not averages or label.strip().lower() in CONDITION):
        factors = (label, *(name for name in factors if name.lower() in MEMBER and name != label))
        is_one_run = False
    else:
        is_one_run = bool(averages) and not settings.source.condition and not _apart(samples, factors)
    return _Plan(roles, columns, factors, is_one_run, bool(averages), counts)


def _named_rows(fields: Sequence[str], samples: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the columns that name the rows of a summary that counts its items; none where it counts nothing.

    Such a table has a column of what a rate is of (`total`) or of what became of the items (`failed`), and rows with
    names of their own, which may be one row.
    """
    counted = first(ALL_OF, fields) is not None or any(COUNTED.search(name.strip()) for name in fields)
    if first(COUNT, fields) is not None and any(map(RATE.search, fields)):
        counted = True
    by = tuple(name for name in fields if name.strip().lower() in (*CONDITION, *FACTORS, *ANSWERERS))
    if not counted or not by or first(RUN_OF, fields):
        return ()
    keys = [tuple(text_of(row.get(name)).strip() for name in by) for row in samples]
    if len(set(keys)) == len(keys) and all(any(key) for key in keys):
        return by
    return ()


def _repeats(name: str, others: Sequence[str], samples: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a column states in every row what another one states."""
    return any(all(row.get(name) == row.get(other) for row in samples) for other in others)


def _no_score(name: str) -> bool:
    """Tell whether a column of means holds lengths, tokens, costs or counts: no score, whatever its numbers are."""
    return NO_SCORE.search(CONTROLLED.sub("", name.split("_", 1)[1])) is not None


def _leader(fields: Sequence[str], samples: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the column that names the rows of a leaderboard: each once, beside a column of rates."""
    name = first(LEADER, fields)
    if name is None or len(samples) < 2:
        return None
    names = [text_of(row.get(name)).strip() for row in samples]
    rated = any(RATE.search(field) and _numbers(row.get(field) for row in samples) for field in fields)
    if rated and all(names) and len(set(names)) == len(names):
        return name
    return None


def _apart(samples: Sequence[Mapping[str, Any]], factors: Sequence[str]) -> bool:
    """Whether rows of averages are about several conditions: factors tell each from every other, and no run does."""
    keys = {tuple(text_of(row.get(name)) for name in factors) for row in samples}
    return len(samples) > 1 and len(keys) == len(samples) and first(RUN_OF, factors) is None


def _numbers(values: Iterable[Any]) -> bool:
    """Whether a column of a published table holds numbers, however many of its cells are empty or do not apply."""
    filled = [value for value in values if value not in (None, "") and str(value).strip() not in DASHES]
    states = [reported(value)[1] for value in filled if not isinstance(value, bool)]
    return SCORED in states and states.count(SCORED) + states.count(NOT_APPLICABLE) == len(filled)


def _add_wholes(
    plan: _Plan, used_rows: Sequence[tuple[Mapping[str, Any], int]], settings: FileSettings
) -> Iterator[_Column]:
    """Yield the columns, each with the value of a rate of all items, which content and name decide together."""
    counts = [_count(fields, plan) for fields, _ in used_rows]
    for column in plan.columns:
        whole_value = whole(
            column.criterion, [fields.get(column.name) for fields, _ in used_rows], counts, settings.criteria
        )
        yield replace(column, whole=whole_value or None)


def _no_numbers(used_rows: Sequence[tuple[Mapping[str, Any], int]], plan: _Plan, file: str) -> Iterator[Diagnostic]:
    """Cells where a mean should be and something else is; of an endless one in JSON the row reader has said it."""
    for fields, line in used_rows:
        for column in plan.columns:
            _, state, why = reported(fields.get(column.name))
            if state == FAILED and why != INFINITE:
                yield report_no_number(column.criterion, fields.get(column.name), Location(file=file, line=line))


def _row(fields: Mapping[str, Any], line: int, plan: _Plan, settings: FileSettings) -> Iterator[Reported]:
    condition = _condition(fields, plan, settings)
    closed = any(settings.modes.get(value, value) == CLOSED_BOOK for _, value in condition)
    for column in plan.columns:
        value, state, _ = reported(fields.get(column.name))
        if closed and column.criterion in ABOUT_DOCUMENTS:
            value, state = math.nan, NOT_APPLICABLE
        if column.spread:
            spread = cell(fields.get(column.spread))
        else:
            spread = None
        judge = plan.layout.judge
        yield Reported(
            condition=condition,
            criterion=column.criterion,
            judge=(text_of(fields.get(judge)) if judge else "") or settings.judge,
            mean=value,
            decimals=decimals(fields.get(column.name)),
            n=_count(fields, plan),
            place=Location(file=settings.source.path, line=line),
            sd=spread[0] if spread and spread[1] == SCORED else None,
            whole=column.whole,
            state=state,
        )


def _condition(fields: Mapping[str, Any], plan: _Plan, settings: FileSettings) -> ConditionKey:
    """Return the condition of a row: its factors, or for a file about one run the name by workspace or file."""
    if plan.is_one_run or not plan.factors:
        if name := first(RUN_OF, list(fields)):
            run_name = text_of(fields.get(name))
        else:
            run_name = ""
        base = stem(settings.source.path)
        beside_rows = AGGREGATED in settings.source.path and plan.rows == 1
        called = settings.source.label or ("" if beside_rows else run_name) or base
        return (("condition", settings.aliases.get(called, called)),)
    factors = [(name, text_of(fields.get(name)).strip()) for name in plan.factors]
    names = ["condition" if name.strip().lower() in (*LABEL, LEADER[0]) else legible(name) for name in plan.factors]
    return tuple(
        (name, settings.aliases.get(value, value) if name == "condition" else value)
        for name, (_, value) in zip(names, factors, strict=True)
    )


def _count(fields: Mapping[str, Any], plan: _Plan) -> int | None:
    for name in plan.counts:
        value, state, _ = cell(fields.get(name))
        if state == SCORED and value >= 0 and value.is_integer():
            return int(value)
    return None
