"""Per-record results of the beyond-the-cutoff evaluation program (`details.jsonl`, one file for each run)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from readback.files.bounded_notes import BoundedNotes
from readback.results._cells import Cell, cell, legible, stem, text_of
from readback.results._intake import Intake, columns, make_conditions, overflow
from readback.results._rows import Asked, Read, Row
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, SourceRead
from readback.types import Note

NAME = "run details"
VERDICT = "judge_verdict"
COVERAGE = "citation_mean_coverage"
COMPUTED = "computed"  # the judge of what a program counts
CLOSED_BOOK = "instruction"  # a run without documents: what is said about documents does not apply to it
ABOUT_DOCUMENTS = ("grounding", COVERAGE)


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """A task id with a judge's scores or verdict under the names this program uses."""
    return any("task_id" in row and (isinstance(row.get("judge_scores"), Mapping) or VERDICT in row) for row in rows)


def read(rows: Iterable[Row | Note], head: Sequence[Row], asked: Asked) -> Read:
    """Every record's scores, verdict and citation coverage.

    A row without judge scores is a failed judgement of everything the judge scored elsewhere in the file: the
    program leaves them empty without writing an error.
    """
    source = asked.source
    intake = Intake(source.path)
    intake.candidate("condition")
    notes = BoundedNotes()
    failed: list[tuple[int, int, int, str]] = []
    used = 0
    for row in rows:
        if isinstance(row, Note):
            notes.add(row)
            continue
        used += 1
        fields = row.fields
        label = source.label or text_of(fields.get("model_label")) or PurePosixPath(source.path).parent.name
        item = intake.items.code(text_of(fields.get("task_id")) or f"line_{row.line}")
        combo = intake.combo_code([label])
        closed = (fields.get("prompt_mode") or asked.modes.get(asked.aliases.get(label, label))) == CLOSED_BOOK
        note = text_of(fields.get("judge_reasoning"))
        if not fields.get("judge_scores"):
            failed.append((item, combo, row.line, _reason(fields.get("errors"))))
        for criterion, judge, found in _cells(fields, asked.judge):
            if closed and criterion in ABOUT_DOCUMENTS:
                found = (math.nan, NOT_APPLICABLE, "the run has no documents")
            intake.add(item, combo, criterion, judge, found, note=note, line=row.line)
    judged = [c for c in intake.criteria.codes if asked.judge in _judges_of(intake, c)]
    for item, combo, line, reason in failed:
        for criterion in judged:
            intake.add(item, combo, criterion, asked.judge, (math.nan, FAILED, reason), line=line)
    conditions, kept = make_conditions(intake, source, stem(source.path))
    named = tuple(tuple((f, asked.aliases.get(v, v)) for f, v in condition) for condition in conditions)
    roles = {"item": ("task_id",), "condition": kept, "score": tuple(intake.criteria.codes)}
    account = SourceRead(source.path, NAME, used, len(intake.value), roles, synthetic=source.synthetic)
    return Read(columns(intake, named), account, (*notes.kept, *overflow(notes, source.path)))


def _cells(fields: Mapping[str, Any], judge: str) -> Iterator[tuple[str, str, Cell]]:
    scores = fields.get("judge_scores")
    if isinstance(scores, Mapping) and scores:
        yield from ((legible(name), judge, cell(value)) for name, value in scores.items())
        if VERDICT in fields:
            yield VERDICT, judge, _verdict(fields[VERDICT])
    citations = fields.get("citation_metrics")
    if isinstance(citations, Mapping) and "mean_coverage" in citations:
        yield COVERAGE, COMPUTED, cell(citations["mean_coverage"])


def _verdict(value: Any) -> Cell:
    match str(value).strip().lower():
        case "pass":
            return 1.0, SCORED, ""
        case "fail":
            return 0.0, SCORED, ""
        case other:
            return math.nan, MISSING, "" if value is None else f"the verdict is {other[:40]}"


def _reason(errors: Any) -> str:
    if isinstance(errors, Mapping) and errors:
        return f"the run failed: {', '.join(map(str, list(errors)[:3]))}"
    return "the judge gave no scores"


def _judges_of(intake: Intake, criterion: str) -> set[str]:
    code, judges = intake.criteria.codes[criterion], list(intake.judges.codes)
    return {judges[j] for c, j in set(zip(intake.criterion, intake.judge, strict=True)) if c == code}
