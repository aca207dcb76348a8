"""Means of the beyond-the-cutoff evaluation program (`metrics.json`), in the three shapes its versions write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from readback.files.text_file import read_text
from readback.formats._json_text import Decoder, NotJson
from readback.results._cells import legible, text_of
from readback.results._rows import Asked, Read, Row
from readback.scores.table import Reported, SourceRead
from readback.types import Note, Place

LARGEST = 64 << 20  # bytes: shape A holds every record's answer beside the means
NAME = "run metrics"
# numbers in a summary that are no score
COUNTS = (
    *("examples_evaluated", "examples_with_errors", "examples_with_empty_responses", "error_rate", "total_examples"),
    *("evaluation_time_seconds", "response_length"),
)


def only_object(path: Path, file: str) -> Mapping[str, Any] | None:
    """The object a `.json` file is, when it is one of the three shapes; None for every other file."""
    text, _ = read_text(path, file, LARGEST) if path.suffix.lower() == ".json" else (None, ())
    if text is None or not text.lstrip().startswith("{"):
        return None
    try:
        value = Decoder().whole(text)
    except NotJson:
        return None
    return value if isinstance(value, Mapping) and shape(value) else None


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """One object in one of the three shapes."""
    return len(rows) == 1 and shape(rows[0]) is not None


def shape(value: Mapping[str, Any]) -> str | None:
    """Which of the shapes this is: A (`summary` and `examples`), B (flat), C (a spread for each score)."""
    if isinstance(value.get("summary"), Mapping) and "examples" in value:
        return "A"
    scores = value.get("judge_scores")
    if isinstance(scores, Mapping) and scores and all(isinstance(s, Mapping) and "mean" in s for s in scores.values()):
        return "C"
    return "B" if "evaluation_time_seconds" in value and "total_examples" in value else None


def read(rows: Iterable[Row | Note], head: Sequence[Row], asked: Asked) -> Read:
    """The means the file states. The rows behind them, where they are there, are what counts."""
    notes = tuple(row for row in rows if isinstance(row, Note))
    found = [means for row in head for means in _means(row.fields, asked)]
    what = ", ".join(f"{NAME}, shape {shape(row.fields)}" for row in head)
    roles = {"score": tuple(means.criterion for means in found)}
    account = SourceRead(asked.source.path, what, len(head), 0, roles, synthetic=asked.source.synthetic)
    return Read(None, account, notes, tuple(found))


def judge_of(value: Mapping[str, Any]) -> str:
    """The judge's name as the file states it."""
    said: Any = value.get("summary") if isinstance(value.get("summary"), Mapping) else value
    return text_of(said.get("judge_name")) or text_of(said.get("judge_model"))


def _means(value: Mapping[str, Any], asked: Asked) -> Iterable[Reported]:
    kind = shape(value)
    said: Mapping[str, Any] = value["summary"] if kind == "A" else value
    label = asked.source.label or text_of(said.get("model_label")) or PurePosixPath(asked.source.path).parent.name
    numbers: Mapping[str, tuple[Any, Any]]
    if kind == "C":
        numbers = {str(k): (s.get("mean"), s.get("n")) for k, s in said["judge_scores"].items()}
    else:
        numbers = {str(k): (v, None) for k, v in said.items() if k not in COUNTS}
    for criterion, (mean, n) in numbers.items():
        if isinstance(mean, int | float) and not isinstance(mean, bool):
            yield Reported(
                condition=(("condition", asked.aliases.get(label, label)),),
                criterion=legible(criterion),
                judge=judge_of(value) or asked.judge,
                mean=float(mean),
                n=n if isinstance(n, int) else None,
                place=Place(file=asked.source.path),
            )
