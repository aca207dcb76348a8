"""Grades in the logs of other tools, which `readers/logs` has decoded: one row for each grade.

Means that the tool itself stored are set beside those of the rows. A number that no rows give again - a standard error,
a weighted mean, a share of records of which two of three epochs pass - is listed and not compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from readback.readers import jsonl
from readback.readers.files.row import Row as FileRow
from readback.readers.logs.decode import NO_MODEL, decode, name_record
from readback.readers.logs.events import Aggregate
from readback.scores.files.cells import LARGEST, describe_stored
from readback.scores.files.formats import tidy
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.scores.table import FAILED, MISSING, OwnSummary, Reported, SourceRead
from readback.scores.values.criteria import load_shipped_criteria, look_up
from readback.types import Criterion, Diagnostic, Location

NAME = "grades of a log"
MARK = "of a log"  # a column that no other file has
STORED = "stored by the log"  # the number that stands where a grade has no value
GRADE, AGGREGATE = "grade", "aggregate"
PLAIN = re.compile(r"(?:mean|accuracy)(?: \(mean\))?")  # of the values of the rows, as Inspect, lm-eval, promptfoo say
LONGEST_REASON = 80  # characters of a tool's reason in a finding
DECIMALS = 6  # logs hold numbers as exactly as the tool computed them
STATES: Mapping[str, str | None] = {"scored": None, "missing": "missing", "failed": "judge failed"}

Key = tuple[str | None, str | None, str]  # condition, judge, criterion


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade as the row of a tidy file."""

    fields: Mapping[str, Any]
    line: int


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether rows are those that `open_file` yields."""
    return bool(rows) and all(MARK in row for row in rows)


def open_file(path: Path, file: str, refused: Callable[[], None]) -> Iterator[Row | Diagnostic] | None:
    """Return the grades of a log as rows of a tidy file; None for every other file."""
    decoded = decode(path, file)
    if decoded is None or not (decoded.counts["scores"] or decoded.aggregates):
        return None
    is_unnamed = any(condition.name == NO_MODEL for condition in decoded.conditions)
    grades = _read_grades(decoded.part("scores"), file, NO_MODEL if is_unnamed else "")
    return chain(grades, map(_make_row, decoded.aggregates))


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the grades under the judge and the criterion that each names, and what the log states of them."""
    find = settings.find_record
    log = _Log()
    grades = log.split(rows)
    first_rows = [row for row in head if row.fields[MARK] == GRADE]
    if not first_rows:  # a file of results alone
        diagnostics = tuple(row for row in grades if isinstance(row, Diagnostic))
        scores = FileScores(None, SourceRead(settings.source.path, NAME), diagnostics)
    else:
        named = [row for row in _name_rows(first_rows, find) if not isinstance(row, Diagnostic)]
        ends: dict[str, tuple[float, float]] = {}
        scores = tidy.read(_note_ends(_name_rows(grades, find), ends), named, settings)
        scores = replace(scores, source=replace(scores.source, what=NAME), criteria=_state_shares(ends))
        scores = _note_stored(scores, log.stored)
        scores = replace(scores, diagnostics=(*scores.diagnostics, *log.list_zeros(settings)))
    return _add_aggregates(scores, log, settings)


def _note_stored(scores: FileScores, stored: Mapping[int, float]) -> FileScores:
    """Return the scores with the numbers that the log stores for grades without a value, by line, in their reasons."""
    columns = scores.columns
    if columns is None or not stored:
        return scores
    whys = dict(columns.whys)
    for cell, line in enumerate(columns.line):
        if line in stored and columns.state[cell] in (FAILED, MISSING):
            whys[cell] = describe_stored(stored[line], whys.get(cell, ""))
    return replace(scores, columns=replace(columns, whys=whys))


@dataclass(slots=True)
class _Log:
    """What a log states of its grades, and of which of them that is no plain mean of the rows.

    `repeated` has the grades of records with several epochs, True where one of them is no score: the mean of the means
    of the records may then be another one than that of the rows.
    """

    aggregates: list[Aggregate] = field(default_factory=list)
    repeated: dict[Key, bool] = field(default_factory=dict)
    stored: dict[int, float] = field(default_factory=dict)
    _zeros: dict[str, _Zeros] = field(default_factory=dict)

    def split(self, rows: Iterable[Row | Diagnostic]) -> Iterator[Row | Diagnostic]:
        """Yield the grades and what is wrong; keep the rest."""
        unscored: set[Key] = set()
        for row in rows:
            if isinstance(row, Diagnostic):
                yield row
                continue
            fields = row.fields
            if fields[MARK] == AGGREGATE:
                self.aggregates.append(Aggregate(**{name: value for name, value in fields.items() if name != MARK}))
                continue
            key = (fields.get("condition") or None, fields["judge"] or None, fields["criterion"])
            if fields["status"]:
                unscored.add(key)
            if fields["replicate"] != "1":
                self.repeated[key] = False
            number = fields.get(STORED)
            if number is not None:
                self.stored[row.line] = number
                if number == 0:
                    self._zeros.setdefault(key[0] or "", _Zeros()).add(fields)
            yield row
        for key in self.repeated:
            self.repeated[key] = key in unscored

    def list_zeros(self, settings: FileSettings) -> Iterator[Diagnostic]:
        """Yield for each condition the rows for which the log stores 0 though they failed."""
        for condition, zeros in self._zeros.items():
            name = settings.aliases.get(condition, condition) or settings.source.path
            values = {
                "condition": name,
                "rows": len(zeros.rows),
                "criteria": list(zeros.criteria),
                "items": list(zeros.items),
                "reason": _shorten(zeros.reason),
            }
            yield Diagnostic("scr-zero-is-failure", values, Location(file=settings.source.path), name, among=(name,))


def _shorten(reason: str) -> str:
    """Return the first line of a reason, with a mark where it goes on."""
    line = reason.strip().partition("\n")[0][:LONGEST_REASON].rstrip()
    if line == reason.strip():
        return line
    return f"{line} …"


@dataclass(slots=True)
class _Zeros:
    """The rows of one condition for which the log stores 0 and that have no grade; `reason` is why the first has none.

    Sets are kept as mappings, which remember their order.
    """

    rows: dict[tuple[str, str], None] = field(default_factory=dict)
    items: dict[str, None] = field(default_factory=dict)
    criteria: dict[str, None] = field(default_factory=dict)
    reason: str = ""

    def add(self, fields: Mapping[str, Any]) -> None:
        """Add a row by its fields."""
        self.rows[fields["item"], fields["replicate"]] = None
        self.items[fields["item"]] = None
        self.criteria[fields["criterion"]] = None
        self.reason = self.reason or fields.get("rationale", "")


def _add_aggregates(scores: FileScores, log: _Log, settings: FileSettings) -> FileScores:
    """Return the scores with the means that the log states, and its other numbers."""
    here = {dict(key).get("condition", ""): key for key in (scores.columns.conditions if scores.columns else ())}
    place = Location(file=settings.source.path)
    means: list[Reported] = []
    summaries: list[OwnSummary] = []
    for aggregate in log.aggregates:
        name = settings.aliases.get(aggregate.condition or "", aggregate.condition or "")
        condition = here.get(name, (("condition", name),))
        judge, criterion, value = aggregate.judge or settings.judge, aggregate.criterion, aggregate.value
        is_uneven = log.repeated.get((aggregate.condition, aggregate.judge, criterion))
        if value is not None and PLAIN.fullmatch(aggregate.name) and not is_uneven:
            # of repeated records it counts each once
            if is_uneven is None:
                n = aggregate.n
            else:
                n = None
            means.append(Reported(condition, criterion, judge, value, DECIMALS, n, place))
        else:
            summaries.append(OwnSummary(condition, criterion, judge, aggregate.name, value, place))
    return replace(scores, reported=tuple(means), summaries=tuple(summaries))


def _make_row(aggregate: Aggregate) -> Grade:
    return Grade({MARK: AGGREGATE, **asdict(aggregate)}, 0)


def _note_ends(rows: Iterable[Row | Diagnostic], ends: dict[str, tuple[float, float]]) -> Iterator[Row | Diagnostic]:
    """Yield the rows, and note the lowest and the highest number of each criterion."""
    for row in rows:
        if isinstance(row, Diagnostic):
            value = None
        else:
            value = row.fields.get("score")
        if isinstance(value, int | float):
            name = str(row.fields["criterion"])  # type: ignore[union-attr]
            low, high = ends.get(name, (value, value))
            ends[name] = min(low, value), max(high, value)
        yield row


def _state_shares(ends: Mapping[str, tuple[float, float]]) -> dict[str, Criterion]:
    """Return the scale from 0 to 1 of criteria whose name stands for a few grades elsewhere, as ragas' faithfulness.

    The metrics of these tools are shares, whatever the grades are that we know by the same name.
    """
    shares: dict[str, Criterion] = {}
    for name, (low, high) in ends.items():
        usual = look_up(name, load_shipped_criteria())
        if usual is not None and usual.scale == "ordinal" and low >= 0 and high <= 1:
            shares[name] = Criterion(name, "numeric", (), 0.0, 1.0)
    return shares


def _read_grades(path: Path, file: str, unnamed: str) -> Iterator[Row | Diagnostic]:
    with path.open("rb") as lines:
        for event in jsonl.rows(lines, file):
            if isinstance(event, FileRow):
                yield Grade({MARK: GRADE, **_make_fields(event.fields, unnamed)}, event.line)


def _make_fields(grade: Mapping[str, Any], unnamed: str) -> dict[str, Any]:
    """Return the fields of a tidy row; a repeat is a replicate. `unnamed`: the condition of what names none."""
    fields: dict[str, Any] = {
        "item": name_record(grade["record"]),
        "criterion": grade["criterion"],
        "judge": grade["judge"] or "",
        "score": grade["value"],
        "replicate": str(grade["epoch"]),
    }
    condition = grade["condition"] or unnamed
    if condition:  # a table of one system names none: then it goes by the file's name
        fields["condition"] = condition
    status = grade["status"]
    fields["status"] = STATES.get(status, status) or ""
    if grade.get("reason"):
        fields["rationale"] = grade["reason"]
    stored = grade.get("raw")
    if grade["value"] is None and isinstance(stored, bool | int | float) and abs(stored) < LARGEST:
        fields[STORED] = float(stored)
    return fields


def _name_rows(rows: Iterable[Row | Diagnostic], find: Callable[[str], str]) -> Iterator[Row | Diagnostic]:
    """Yield the rows without the mark, each under the id that its record has here."""
    for row in rows:
        if isinstance(row, Diagnostic):
            yield row
        else:
            fields = {name: value for name, value in row.fields.items() if name not in (MARK, STORED)}
            yield Grade({**fields, "item": find(fields["item"])}, row.line)
