"""The one table of score file formats, in the order in which they are asked.

The first format that recognises the first rows of a file reads it. Folders, uploads and readers all ask this table.

docs/adding/score-format.md shows with an example how to add a format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.readers.choose_format import read_beginning
from readback.readers.logs.formats import find_format
from readback.records.replies.batch_replies import CUSTOM_ID
from readback.scores.files.formats import (
    alpaca_eval,
    batch,
    details,
    judge_columns,
    liverag,
    means,
    metadata,
    metrics,
    pairwise,
    plugin_formats,
    replies,
    tidy,
    tool_log,
    verification,
    wide,
)
from readback.scores.files.layout import REPLY, VALUE
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.types import Diagnostic

Rows = Iterable[Row | Diagnostic]
OpenFile = Callable[[Path, str, Callable[[], None]], Iterator[Row | Diagnostic] | None]


@dataclass(frozen=True, slots=True)
class ScoreFormat:
    """A format of score files: its name, what recognises it by the first rows, and what reads it.

    `marks` are columns of which a file of the format has at least one, whatever their case; a file without any of them
    is not looked at further. Where there are no marks every file is. `is_general`: it is known by common names of
    columns alone. `holds_questions`: a file of the format is scores also where its rows hold what was asked, which
    otherwise makes a file a dataset. `question_marks` are sets of columns beside which any file may hold what was
    asked.

    `of_stated_judges`: it is asked only where the workspace names the judges of a file, which are its columns.

    A format whose files are not read row by row as any dataset is has `open_file`, which returns the rows of such a
    file and None for any other. It is called only for files with one of the endings `suffixes` (below `.gz`; any where
    there are none) whose first megabyte holds `signs`, and of a format `of_logs` only for a log of another tool that
    can hold grades. `shows_file` tells by the beginning of a file that nobody named whether opening it is worth the
    time.
    """

    name: str
    recognise: Callable[[Sequence[Mapping[str, Any]], FileSettings], bool]
    read: Callable[[Rows, Sequence[Row], FileSettings], FileScores]
    marks: frozenset[str] = frozenset()
    is_general: bool = False
    holds_questions: bool = True
    question_marks: tuple[frozenset[str], ...] = ()
    of_stated_judges: bool = False
    open_file: OpenFile | None = None
    suffixes: tuple[str, ...] = ()
    signs: re.Pattern[bytes] | None = None
    of_logs: bool = False
    shows_file: Callable[[Path], bool] | None = None

    def fits(self, rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
        """Tell whether a file with these first rows is of the format."""
        if self.of_stated_judges and not settings.source.judges:
            return False
        if self.marks and self.marks.isdisjoint(name.strip().lower() for row in rows for name in row):
            return False
        return self.recognise(rows, settings)

    def may_open(self, path: Path) -> bool:
        """Tell whether `open_file` is to be called for a file."""
        if self.open_file is None:
            return False
        if self.of_logs:
            log_format = find_format(path)
            return log_format is not None and log_format.holds_scores
        if self.suffixes and Path(path.name.lower().removesuffix(".gz")).suffix not in self.suffixes:
            return False
        return self.signs is None or self.signs.search(read_beginning(path)) is not None


# The order: formats with marks that no other file has come before those that are known by common names of columns,
# which any other file may have too. Formats of plugins are asked between the two.
FORMATS = (
    # a log is read by its own rules, whatever its rows look like
    ScoreFormat(
        tool_log.NAME,
        tool_log.recognise,
        tool_log.read,
        marks=frozenset({tool_log.MARK}),
        holds_questions=False,
        open_file=tool_log.open_file,
        of_logs=True,
    ),
    # first of all, for its rows repeat the columns of every other format inside
    ScoreFormat(batch.NAME, batch.recognise, batch.read, marks=frozenset({CUSTOM_ID}), holds_questions=False),
    # before all formats that know columns, for the workspace names the judges
    ScoreFormat(
        judge_columns.NAME,
        judge_columns.recognise,
        judge_columns.read,
        holds_questions=False,
        of_stated_judges=True,
    ),
    ScoreFormat(
        verification.NAME,
        verification.recognise,
        verification.read,
        marks=verification.COLUMNS,
        holds_questions=False,
        open_file=verification.open_file,
        signs=verification.SIGNS,
        shows_file=verification.sees,
    ),
    # before the run's means, whose parts have the same names
    ScoreFormat(
        details.NAME,
        details.recognise,
        details.read,
        marks=frozenset({"task_id"}),
        holds_questions=False,
        question_marks=(frozenset({"judge_scores"}), frozenset({"judge_verdict"})),
    ),
    ScoreFormat(
        metadata.NAME, metadata.recognise, metadata.read, marks=frozenset({"model_label"}), holds_questions=False
    ),
    ScoreFormat(
        metrics.NAME,
        metrics.recognise,
        metrics.read,
        marks=metrics.COLUMNS,
        holds_questions=False,
        open_file=metrics.open_file,
        suffixes=(".json",),
        shows_file=metrics.shows_file,
    ),
    ScoreFormat(liverag.NAME, liverag.recognise, liverag.read, marks=frozenset({"metrics"}), holds_questions=False),
    ScoreFormat(
        alpaca_eval.NAME,
        alpaca_eval.recognise,
        alpaca_eval.read,
        marks=frozenset(alpaca_eval.COLUMNS),
        holds_questions=False,
        question_marks=(frozenset(alpaca_eval.COLUMNS),),
    ),
    ScoreFormat(
        pairwise.NAME,
        pairwise.recognise,
        pairwise.read,
        marks=frozenset({"model_a"}),
        holds_questions=False,
        question_marks=(frozenset({"model_a", "model_b", "outcome"}),),
    ),
    # A new format stands above this line. From here on formats that are known by common names of columns alone.
    # a column of replies and no scores
    ScoreFormat(
        replies.NAME,
        replies.recognise,
        replies.read,
        marks=frozenset(REPLY),
        is_general=True,
        holds_questions=False,
    ),
    # one column of scores
    ScoreFormat(tidy.NAME, tidy.recognise, tidy.read, marks=frozenset(VALUE), is_general=True, holds_questions=False),
    # several columns of scores and no items; before wide, which would take the conditions for items
    ScoreFormat(
        means.NAME,
        means.recognise,
        means.read,
        is_general=True,
        holds_questions=False,
        open_file=means.open_file,
        suffixes=(".json",),
        shows_file=means.shows_file,
    ),
    ScoreFormat(wide.NAME, wide.recognise, wide.read, is_general=True, holds_questions=False),
)


def list_formats() -> tuple[ScoreFormat, ...]:
    """Return every format in the order of asking: those of plugins come before the general ones."""
    plugins = (ScoreFormat(plugin.NAME, plugin.recognise, plugin.read) for plugin in plugin_formats.list_plugins())
    general = [score_format for score_format in FORMATS if score_format.is_general]
    marked = [score_format for score_format in FORMATS if not score_format.is_general]
    return (*marked, *plugins, *general)
