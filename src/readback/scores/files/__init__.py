"""Read score files: find the format of a file in the table of `formats`, and let that format read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from readback.readers.choose_format import choose_format
from readback.readers.files.row import Header
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.cells import legible
from readback.scores.files.formats import ScoreFormat, list_formats, metadata, pairwise
from readback.scores.files.row_labels import number_rows
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.scores.values.criteria import load_shipped_criteria
from readback.types import Diagnostic, Location, ScoreSource

OFTEN = 5_000  # rows between two reports of progress
HEAD = 50  # rows looked at before a file is recognised and its columns get their roles


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a score file.

    `name` is that of its format, `rivals` are the names of added formats, such as plugins, that know the file as well.
    `holds_questions`: such a file is scores also where its rows hold what was asked.
    """

    name: str
    holds_questions: bool = False
    rivals: tuple[str, ...] = ()


def find_format(rows: Sequence[Any], settings: FileSettings) -> ScoreFormat | None:
    """Return the first format that recognises a file with these first rows; None where no scores are seen in them."""
    for score_format in list_formats():
        if score_format.fits(rows, settings):
            return score_format
    return None


def find_kind(path: Path, file: str) -> Kind | None:
    """Return what kind of score file this is, by its content; None where it is none."""
    return _find_kind(_open_rows(path, file), file)


def find_kind_of_whole_file(path: Path, file: str) -> Kind | None:
    """Return the kind of a file that is not read row by row as any dataset is; None for every other file."""
    for score_format in list_formats():
        if score_format.open_file is None or not score_format.may_open(path):
            continue
        if score_format.shows_file is not None and not score_format.shows_file(path):
            continue
        rows = score_format.open_file(path, file, lambda: None)
        if rows is not None and (kind := _find_kind(rows, file)):
            return kind
    return None


def _find_kind(rows: Iterator[Row | Diagnostic], file: str) -> Kind | None:
    head = list(islice((row.fields for row in rows if not isinstance(row, Diagnostic)), HEAD))
    settings = FileSettings(ScoreSource(file), load_shipped_criteria(), {}, {})
    score_format = find_format(head, settings)
    if score_format is None:
        return None
    rivals = [
        rival.name
        for rival in list_formats()
        if rival.holds_questions and rival is not score_format and rival.fits(head, settings)
    ]
    return Kind(score_format.name, score_format.holds_questions, tuple(rivals))


def read_scores(
    path: Path, settings: FileSettings, beat: Callable[[int], None] | None = None
) -> FileScores | Diagnostic:
    """Return the scores of one file, or the diagnostic that says why there are none.

    `beat` is called with the number of bytes that are read.
    """
    file = settings.source.path
    refused: list[None] = []
    headers: list[Header] = []
    rows = _open_rows(path, file, lambda: refused.append(None), headers.append)
    early: list[Row | Diagnostic] = []
    head: list[Row] = []
    for row in rows:
        early.append(row)
        if not isinstance(row, Diagnostic):
            head.append(row)
            if len(head) == HEAD:
                break
    score_format = find_format([row.fields for row in head], settings)
    if score_format is not None:
        settings = replace(settings, typed=_is_typed(path, file))
        every_row = chain(early, rows)
        if beat:
            every_row = chain(_report_progress(every_row, beat))
        scores = score_format.read(every_row, head, settings)
        source = replace(scores.source, refused=scores.source.refused + len(refused))
        scores = replace(scores, source=source)
        if _is_empty(scores):
            scores = replace(scores, diagnostics=(*scores.diagnostics, _report_no_scores(file, head)))
        return scores
    if headers:
        columns = headers[0].shape.get("names")
    else:
        columns = None
    if columns and not head and not refused:
        return Diagnostic("dat-empty-file", {"columns": columns}, Location(file=file), severity="warning")
    if early and not head and isinstance(early[0], Diagnostic):  # the row reader has said why there is nothing
        return early[0]
    return _report_no_scores(file, head)


def _report_no_scores(file: str, head: Sequence[Row]) -> Diagnostic:
    columns = ", ".join(dict.fromkeys(legible(name) for row in head for name in row.fields)) or "–"
    return Diagnostic("scr-no-scores", {"path": file, "columns": columns}, Location(file=file), file)


def _is_empty(scores: FileScores) -> bool:
    """Tell whether a file of a known format gave nothing without a reason; undecided outcomes are no fault."""
    source = scores.source
    if source.what in (metadata.NAME, pairwise.NAME) or source.refused:
        return False
    return not (
        scores.reported or scores.summaries or scores.outcomes or (scores.columns is not None and len(scores.columns))
    )


def _open_rows(
    path: Path,
    file: str,
    refused: Callable[[], None] = lambda: None,
    header: Callable[[Header], None] = lambda header: None,
) -> Iterator[Row | Diagnostic]:
    """Return the rows of a file. `refused` is called for each that is unreadable, `header` with what is above them."""
    for score_format in list_formats():
        if score_format.open_file is None or not score_format.may_open(path):
            continue
        if (rows := score_format.open_file(path, file, refused)) is not None:
            return rows
    if not _is_typed(path, file):  # every record of a table begins in a line of its own
        return read_raw_rows(path, file, refused=refused, header=header)
    unreadable: list[None] = []

    def refuse() -> None:
        unreadable.append(None)
        refused()

    return number_rows(read_raw_rows(path, file, refused=refuse, header=header), lambda: len(unreadable))


def _is_typed(path: Path, file: str) -> bool:
    """Tell whether the file distinguishes texts from numbers; in a table such as CSV every cell is a text."""
    try:
        chosen = choose_format(path, file)
    except OSError:
        return False
    return not isinstance(chosen, Diagnostic) and not getattr(chosen.module, "CELLS", False)


def _report_progress(rows: Iterable[Row | Diagnostic], beat: Callable[[int], None]) -> Iterator[Row | Diagnostic]:
    for count, row in enumerate(rows):
        if count % OFTEN == 0:
            beat(getattr(row, "offset", 0))
        yield row
