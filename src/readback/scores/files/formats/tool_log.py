"""Grades in the logs of other tools, which `readers/logs` has decoded: one row for each grade."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from readback.readers import jsonl
from readback.readers.logs.decode import NO_MODEL, decode, name_record
from readback.readers.logs.formats import find_format
from readback.readers.row import Row as FileRow
from readback.scores.criteria import load_shipped_criteria, look_up
from readback.scores.files.formats import tidy
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.types import Criterion, Diagnostic

NAME = "grades of a log"
MARK = "of a log"  # a column that no other file has
STATES: Mapping[str, str | None] = {"scored": None, "missing": "missing", "failed": "judge failed"}


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade as the row of a tidy file."""

    fields: Mapping[str, Any]
    line: int


def shows_file(path: Path) -> bool:
    """Tell whether a file is a log of a format that can hold grades."""
    log_format = find_format(path)
    return log_format is not None and log_format.holds_scores


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether rows are those that `open_file` yields."""
    return bool(rows) and all(MARK in row for row in rows)


def open_file(path: Path, file: str, refused: Callable[[], None]) -> Iterator[Row | Diagnostic] | None:
    """Return the grades of a log as rows of a tidy file; None for every other file."""
    if not shows_file(path):
        return None
    decoded = decode(path, file)
    if decoded is None or not decoded.counts["scores"]:
        return None
    is_unnamed = any(condition.name == NO_MODEL for condition in decoded.conditions)
    return _read_grades(decoded.part("scores"), file, NO_MODEL if is_unnamed else "")


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the grades under the judge and the criterion that each names."""
    find = settings.find_record
    first_rows = [row for row in _name_rows(head, find) if not isinstance(row, Diagnostic)]
    ends: dict[str, tuple[float, float]] = {}
    scores = tidy.read(_note_ends(_name_rows(rows, find), ends), first_rows, settings)
    return replace(scores, source=replace(scores.source, what=NAME), criteria=_state_shares(ends))


def _note_ends(rows: Iterable[Row | Diagnostic], ends: dict[str, tuple[float, float]]) -> Iterator[Row | Diagnostic]:
    """Yield the rows, and note the lowest and the highest number of each criterion."""
    for row in rows:
        value = None if isinstance(row, Diagnostic) else row.fields.get("score")
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
                yield Grade({MARK: True, **_make_fields(event.fields, unnamed)}, event.line)


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
    return fields


def _name_rows(rows: Iterable[Row | Diagnostic], find: Callable[[str], str]) -> Iterator[Row | Diagnostic]:
    """Yield the rows without the mark, each under the id that its record has here."""
    for row in rows:
        if isinstance(row, Diagnostic):
            yield row
        else:
            fields = {name: value for name, value in row.fields.items() if name != MARK}
            yield Grade({**fields, "item": find(fields["item"])}, row.line)
