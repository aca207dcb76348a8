"""Score files by their kind: one module each.

A module has NAME, what pages and `readback scores` call the kind; `recognise(rows, asked)`, whether a file with these
first rows is of it; and `read(rows, head, asked)`, which gives a `Read` (`score_rows`). `liverag` makes wide rows of
its own and leaves the rest to `wide.read`; `tidy.read` does the same for tidy rows. Names that begin with _ are no
kinds.

Of several modules that recognise a file the most specific one reads it: those of a format with marks of its own
(MARKED), then modules that somebody has added here and those of plugins, by their names, and last those that know a
table by the common names of its columns (GENERAL).
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
from readback.records.raw_rows import read_raw_rows
from readback.scores.criteria import known
from readback.scores.files import (
    alpaca_eval,
    batch,
    details,
    judge_columns,
    liverag,
    means,
    metadata,
    metrics,
    pairwise,
    replies,
    tidy,
    verification,
    wide,
)
from readback.scores.files._plugins import of_plugins
from readback.scores.files.cells import legible
from readback.scores.files.row_labels import number_rows
from readback.scores.files.score_rows import Asked, Read, Row
from readback.scores.files.verification import embedded
from readback.types import Diagnostic, Location, ScoreSource

OFTEN = 5_000  # rows between two reports of progress
HEAD = 50  # rows looked at before a file is recognised and its columns get their roles


MARKED = (
    batch.NAME,
    judge_columns.NAME,
    verification.NAME,
    details.NAME,
    metadata.NAME,
    metrics.NAME,
    liverag.NAME,
    alpaca_eval.NAME,
    pairwise.NAME,
)
GENERAL = (replies.NAME, tidy.NAME, means.NAME, wide.NAME)


def readers() -> Iterator[Any]:
    """Yield every module that reads scores, the most specific first."""
    modules = by(__name__, "NAME")
    yield from (modules[name] for name in MARKED)
    yield from own_readers()
    yield from (modules[name] for name in GENERAL)


def own_readers() -> tuple[Any, ...]:
    """Return the modules that somebody has added to this folder, by name, then those of plugins."""
    modules = by(__name__, "NAME")
    added = [modules[name] for name in sorted(modules) if name not in (*MARKED, *GENERAL)]
    return (*added, *of_plugins())


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of score file: its name, whether somebody's own module or a plugin reads it, and the names of other such
    modules that know the file as well.
    """

    name: str
    own: bool = False
    rivals: tuple[str, ...] = ()


def reader(rows: Sequence[Mapping[str, Any]], asked: Asked) -> Any:
    """The module that reads a file with these first rows, or None where no scores are seen in them."""
    return next((module for module in readers() if module.recognise(rows, asked)), None)


def recognise(path: Path, file: str) -> str | None:
    """Return what kind of score file this is, by its content (`tidy`, `wide`, …), or None when it is none."""
    kind = find_kind(path, file)
    return kind.name if kind else None


def find_kind(path: Path, file: str) -> Kind | None:
    """Return the same with whose module reads it, and which others would."""
    events = _rows(path, file)
    head = list(islice((row.fields for row in events if not isinstance(row, Diagnostic)), HEAD))
    asked = Asked(ScoreSource(file), known(), {}, {})
    found = reader(head, asked)
    if found is None:
        return None
    own = found in own_readers()
    rivals = [other for other in own_readers() if other is not found and other.recognise(head, asked)]
    return Kind(str(found.NAME), own, tuple(str(other.NAME) for other in rivals))


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
        every = chain(early, rows)
        result: Read = found.read(_report_progress(every, beat) if beat else every, head, asked)
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
    if summary := means.read_object(path, file):
        return iter([_Whole(row) for row in summary])
    if not _typed(path, file):  # every record of a table begins in a line of its own
        return read_raw_rows(path, file, refused=refused, header=header)
    unreadable: list[None] = []

    def refuse() -> None:
        unreadable.append(None)
        refused()

    return number_rows(read_raw_rows(path, file, refused=refuse, header=header), lambda: len(unreadable))


def _typed(path: Path, file: str) -> bool:
    """Whether the file tells texts from numbers; in a table such as CSV every cell is a text."""
    try:
        chosen = choose(path, file)
    except OSError:
        return False
    return not isinstance(chosen, Diagnostic) and not getattr(chosen.module, "CELLS", False)


def _report_progress(rows: Iterable[Row | Diagnostic], beat: Callable[[int], None]) -> Iterator[Row | Diagnostic]:
    for count, row in enumerate(rows):
        if count % OFTEN == 0:
            beat(getattr(row, "offset", 0))
        yield row


@dataclass(frozen=True, slots=True)
class _Whole:
    """A file that is one object."""

    fields: Mapping[str, Any]
    line: int = 1
