"""Row files of the GRAG-LiveRAG evaluation program: a wide file whose scores lie one level down, under `metrics`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from readback.scores.files.formats import wide
from readback.scores.files.layout import SCORE_ENDING, first, flatten
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.types import Diagnostic

NAME = "evaluation rows"


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether a row has a question id, and scores under `metrics`."""
    return any(
        isinstance(metrics := row.get("metrics"), Mapping)
        and any(str(name).endswith(SCORE_ENDING) for name in metrics)
        and first(("qid",), row) is not None
        for row in rows
    )


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the rows as a wide file."""
    return wide.read_changed(rows, head, settings, NAME, flatten)
