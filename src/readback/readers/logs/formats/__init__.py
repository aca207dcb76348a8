"""The one table of log formats, in the order in which they are asked.

To add a format, write a module in this folder with

* NAME, a noun that people read ("log of Inspect"),
* `recognise(head, path)`: whether the file at `path` is of the format. `head` are its first bytes (at most HEAD,
  unpacked where the file is gzip); the content decides and never the name alone. It is called in the parent for every
  file of a folder, so it must be quick and must not parse more than `head` (of a ZIP: its list of members),
* `read(path, file)`: the events of the log in the order of the file. It runs in the bounded child, streams (no more of
  the file is in memory than one row or sample), raises nothing for what is wrong with the file: that is a Diagnostic
  with `file`, a line where there is one, and a reason. A row that cannot be read is a Call with an error as well, so
  that rows can be counted.

`COMPANIONS` are the keys of formats whose files beside are read with it: when one of them changes, it is read again.

`is_dataset`: its rows are first of all a dataset or training data, and are opened as such; what was sent is exported
from it all the same. `HOLDS_SCORES = False` in a module whose files are requests and replies and never hold grades.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path

from readback.readers.files.checksum import State, state
from readback.readers.logs.events import Event

HEAD = 1 << 18  # bytes looked at
MOST_COMPANIONS = 200  # files of a folder that are looked at
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format of logs: its key, what people read, how it is recognised and what reads it."""

    key: str
    name: str
    recognise: Callable[[bytes, Path], bool]
    read: Callable[[Path, str], Iterator[Event]]
    is_dataset: bool = False
    holds_scores: bool = True
    companions: tuple[str, ...] = ()  # keys of formats whose files beside are read as well


# The modules in the order of asking: those with marks that no other file has come first.
MODULES: tuple[str, ...] = (
    "inspect",
    "promptfoo",
    "lm_eval_samples",
    "lm_eval_results",
    "readback_export",
    "readback_tap",
    "openai_batch",
    "openai_batch_replies",
    "anthropic",
    "gemini",
    "mlflow_traces",
    "spans",
    "span_events",
    "deepeval_run",
    "mlflow_table",
    "ragas_table",
    "openai_requests",
    "chat_rows",
)


def list_formats() -> tuple[LogFormat, ...]:
    """Return every format in the order of asking."""
    return tuple(map(_load_format, MODULES))


def get_format(key: str) -> LogFormat:
    """Return the format of that key. Raises ValueError for an unknown one."""
    if key not in MODULES:
        raise ValueError(f"{key!r} is no format of logs")
    return _load_format(key)


@cache
def _load_format(key: str) -> LogFormat:
    module = import_module(f"{__name__}.{key}")
    is_dataset, holds_scores = getattr(module, "IS_DATASET", False), getattr(module, "HOLDS_SCORES", True)
    companions = getattr(module, "COMPANIONS", ())
    return LogFormat(key, module.NAME, module.recognise, module.read, is_dataset, holds_scores, companions)


def list_companions(path: Path, log_format: LogFormat) -> list[tuple[str, State]]:
    """Return the name and the state of each file beside a log that is read with it. Raises OSError."""
    if not log_format.companions:
        return []
    files = sorted(other for other in path.parent.iterdir() if other != path and other.is_file())[:MOST_COMPANIONS]
    formats = [(other, find_format(other)) for other in files]
    return [(other.name, state(other)) for other, entry in formats if entry and entry.key in log_format.companions]


def find_format(path: Path) -> LogFormat | None:
    """Return the format of the log at `path`, or None where it is no log that is known. Raises nothing."""
    try:
        return _find_format(path, state(path))
    except OSError:
        return None


@lru_cache(maxsize=512)
def _find_format(path: Path, _: State) -> LogFormat | None:
    if not path.is_file():  # a pipe may never answer
        return None
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD)
        except zlib.error:
            return None
    return next((entry for entry in list_formats() if entry.recognise(head, path)), None)
