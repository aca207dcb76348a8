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

from readback.readers.checksum import State, state
from readback.readers.logs.events import Event

HEAD = 1 << 18  # bytes looked at
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
    return LogFormat(key, module.NAME, module.recognise, module.read, is_dataset, holds_scores)


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
