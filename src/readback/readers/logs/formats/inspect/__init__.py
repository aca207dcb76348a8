"""Logs of Inspect, `.eval` and `.json`: every request of a run with its exact messages, and the scores.

Rules (inspect_ai 0.3.285; logs since 2024 have the same names):

* A sample is a row, `id` its record, `epoch` its repeat. Its calls are the events of kind `model`, in their order; what
  stands within a scorer is a grader's. The last call by the evaluated model is the answer. A sample without one is
  shown with the input of its row, and a warning.
* The condition is the model: task, arguments and solver are those of the whole log (`Run.details`).
* `C`, `I`, `P`, `N` count 1, 0, 0.5, 0; yes, no, true, false and texts of numbers as Inspect counts them; a mapping has
  a criterion for each key (`scorer.key`). NaN and null mean that the scorer gave no grade: failed, never 0. A sample
  that failed has no score, unless the run scored those, too.
* `reductions` are not read: they repeat the scores, and the means stand in `results`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from readback.readers.logs.events import Event
from readback.readers.logs.formats.inspect import archive, json_log

NAME = "log of Inspect"


def recognise(head: bytes, path: Path) -> bool:
    """Return whether the file is a log of Inspect: by the members of a ZIP, else by the first names of the object."""
    if head.startswith(archive.ZIP_MARK):
        return archive.recognise(path)
    return json_log.recognise(head)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the events of the log. Raises OSError where the file cannot be read."""
    with path.open("rb") as stream:
        is_zip = stream.read(len(archive.ZIP_MARK)) == archive.ZIP_MARK
    yield from (archive if is_zip else json_log).read(path, file)
