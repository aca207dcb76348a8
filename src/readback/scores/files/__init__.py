"""Score files by their kind: one module each.

A module has NAME, what pages and `readback scores` call the kind; `recognise(rows, asked)`, whether a file with these
first rows is of it; and `read(rows, head, asked)`, which gives a `Read` (`score_rows`). `liverag` makes wide rows of
its own and leaves the rest to `wide.read`; `tidy.read` does the same for tidy rows. Of several modules that recognise a
file the first by its file's name reads it. Names that begin with _ are no kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from readback.folder import by
from readback.readers.choose_format import choose
from readback.readers.row import Header
from readback.records.raw_rows import raw_rows
from readback.scores.criteria import known
from readback.scores.files import columnar, metadata, metrics, pairwise, verification
from readback.scores.files._plugins import of_plugins
from readback.scores.files.cells import legible
from readback.scores.files.score_rows import Asked, Read, Row
from readback.scores.files.verification import embedded
from readback.types import Diagnostic, Location, ScoreSource

OFTEN = 5_000  # rows between two reports of progress
HEAD = 50  # rows looked at before a file is recognised and its columns get their roles


def reader(rows: Sequence[Mapping[str, Any]], asked: Asked) -> Any:
    """The module that reads a file with these first rows, or None where no scores are seen in them."""
    readers: tuple[Any, ...] = (*by(__name__, "NAME").values(), *of_plugins())
    return next((module for module in readers if module.recognise(rows, asked)), None)


def recognise(path: Path, file: str) -> str | None:
    """What kind of score file this is, by its content (`tidy`, `wide`, …), or None when it is none."""
    rows = (row.fields for row in _rows(path, file) if not isinstance(row, Diagnostic))
    found = reader(list(islice(rows, HEAD)), Asked(ScoreSource(file), known(), {}, {}))
    return None if found is None else str(found.NAME)


def read(path: Path, asked: Asked, beat: Callable[[int], None] | None = None) -> Read | Diagnostic:
    """The scores of one file, or the diagnostic that says why there are none. `beat` gets the bytes that are done."""
    refused: list[None] = []
    above: list[Header] = []
    rows = _rows(path, asked.source.path, lambda: refused.append(None), above.append)
    early: list[Row | Diagnostic] = []
    head: list[Row] = []
    for row in rows:
        early.append(row)
        if not isinstance(row, Diagnostic):
            head.append(row)
            if len(head) == HEAD:
                break
    found = reader([row.fields for row in head], asked)
    if found is not None:
        asked = replace(asked, typed=_typed(path, asked.source.path))
        result: Read = columnar.read(path, found, head, asked, beat) or found.read(
            _told(chain(early, rows), beat), head, asked
        )
        result = replace(result, source=replace(result.source, refused=result.source.refused + len(refused)))
        return replace(result, diagnostics=(*result.diagnostics, _none(asked, head))) if _nothing(result) else result
    if not (head or refused) and (columns := above[0].shape.get("names") if above else None):
        return Diagnostic("dat-empty-file", {"columns": columns}, Location(file=asked.source.path), severity="warning")
    if early and not head and isinstance(early[0], Diagnostic):  # the row reader has said why there is nothing
        return early[0]
    return _none(asked, head)


def _none(asked: Asked, head: Sequence[Row]) -> Diagnostic:
    columns = ", ".join(dict.fromkeys(legible(name) for row in head for name in row.fields)) or "–"
    values = {"path": asked.source.path, "columns": columns}
    return Diagnostic("scr-no-scores", values, Location(file=asked.source.path), asked.source.path)


def _nothing(result: Read) -> bool:
    """Whether a file of a known kind gave nothing, and nobody has said why; that nobody has decided yet is no fault."""
    source = result.source
    if source.what in (metadata.NAME, pairwise.NAME) or source.refused:
        return False
    return not (result.reported or result.outcomes or (result.columns is not None and len(result.columns)))


def _rows(
    path: Path,
    file: str,
    refused: Callable[[], None] = lambda: None,
    header: Callable[[Header], None] = lambda header: None,
) -> Iterator[Row | Diagnostic]:
    """The file's rows; a file of means that is one object is one row. `refused` is told of each that is unreadable."""
    if (of_checkpoint := embedded.rows(path, file, refused)) is not None:
        return of_checkpoint
    if (results := verification.rows(path, file, refused)) is not None:
        return results
    if value := metrics.only_object(path, file):
        return iter((_Whole(value),))
    return iter(raw_rows(path, file, refused=refused, header=header))


def _typed(path: Path, file: str) -> bool:
    """Whether the file tells texts from numbers; in a table such as CSV every cell is a text."""
    try:
        chosen = choose(path, file)
    except OSError:
        return False
    return not isinstance(chosen, Diagnostic) and not getattr(chosen.module, "CELLS", False)


def _told(rows: Iterable[Row | Diagnostic], beat: Callable[[int], None] | None) -> Iterator[Row | Diagnostic]:
    for count, row in enumerate(rows):
        if beat and count % OFTEN == 0:
            beat(getattr(row, "offset", 0))
        yield row


@dataclass(frozen=True, slots=True)
class _Whole:
    """A file that is one object."""

    fields: Mapping[str, Any]
    line: int = 1
