"""Row files of the GRAG-LiveRAG evaluation program: a wide file whose scores lie one level down, under `metrics`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readback.results import wide
from readback.results._layout import SCORE_ENDING, first
from readback.results._rows import Asked, Read, Row
from readback.types import Note

NAME = "evaluation rows"


@dataclass(frozen=True, slots=True)
class Flat:
    """A row with what stood under `metrics` beside the rest."""

    fields: Mapping[str, Any]
    line: int


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """A question id, and scores under `metrics`."""
    return any(
        isinstance(metrics := row.get("metrics"), Mapping)
        and any(str(name).endswith(SCORE_ENDING) for name in metrics)
        and first(("qid",), row) is not None
        for row in rows
    )


def read(rows: Iterable[Row | Note], head: Sequence[Row], asked: Asked) -> Read:
    """The rows as a wide file."""
    found = wide.read(_flattened(rows), [row for row in _flattened(head) if not isinstance(row, Note)], asked)
    return replace(found, source=replace(found.source, what=NAME))


def _flattened(rows: Iterable[Row | Note]) -> Iterator[Flat | Note]:
    for row in rows:
        if isinstance(row, Note):
            yield row
            continue
        metrics = row.fields.get("metrics")
        rest = {name: value for name, value in row.fields.items() if name != "metrics"}
        yield Flat({**rest, **metrics} if isinstance(metrics, Mapping) else rest, row.line)
