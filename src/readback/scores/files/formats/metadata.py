"""Facts of runs of the beyond-the-cutoff evaluation program (`metadata.jsonl`): its last line is the latest run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.run_facts import read_record_facts
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.scores.table import ConditionKey, RunFacts, SourceRead
from readback.types import Diagnostic, Location, ScoreSource

NAME = "run metadata"
OF_A_JUDGE = {"prompt_path", "prompt_sha256", "inference_path", "parameters"}


LONGEST = 1 << 20  # bytes of a line looked at to see whether a file is one
LARGEST = 64 << 20  # bytes: a line holds the ids of what was answered


def latest(path: Path, file: str) -> Mapping[str, Any] | None:
    """Return the last readable line of such a file without reading it as scores; None for every other file."""
    try:
        with path.open("rb") as stream:
            begin = stream.readline(LONGEST)
        if b"model_label" not in begin or b"judge" not in begin or path.stat().st_size > LARGEST:
            return None
    except OSError:
        return None
    last_fields = None
    for row in read_raw_rows(path, file):
        if isinstance(row, Diagnostic):
            continue
        if last_fields is None and not recognise([row.fields], FileSettings(ScoreSource(file), {}, {}, {})):
            return None
        last_fields = row.fields
    return last_fields


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether a row has a run's label beside the judge's prompt and the records it was run on."""
    return any(
        "model_label" in row
        and isinstance(row.get("dataset"), Mapping)
        and isinstance(judge := row.get("judge"), Mapping)
        and bool(OF_A_JUDGE & judge.keys())
        for row in rows
    )


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the latest line of each run; earlier lines are counted."""
    diagnostics = BoundedDiagnostics()
    latest: dict[ConditionKey, RunFacts] = {}
    lines = 0
    for row in rows:
        if isinstance(row, Diagnostic):
            diagnostics.add(row)
            continue
        lines += 1
        facts = read_record_facts(row.fields, settings, Location(file=settings.source.path, line=row.line))
        latest[facts.condition] = facts
    earlier = lines - len(latest)
    account = SourceRead(
        settings.source.path,
        NAME,
        left_out={"earlier runs": earlier} if earlier else {},
        synthetic=settings.source.synthetic,
    )
    return FileScores(None, account, diagnostics.list_all(settings.source.path), about=tuple(latest.values()))
