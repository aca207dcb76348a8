"""Open the file of a log, unpacked where it is gzip, and turn what is wrong with its bytes into a diagnostic."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from readback.readers.logs.events import Event
from readback.readers.logs.json_rows import open_log
from readback.types import Diagnostic, Location


def read_stream(path: Path, file: str, read: Callable[[BinaryIO], Iterator[Event]]) -> Iterator[Event]:
    """Yield what `read` yields for the stream of the file; where its bytes end or break, a diagnostic comes last."""
    try:
        with open_log(path) as stream:
            yield from read(stream)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        yield report_row(f"the file cannot be read further: {reason}", file)


def report_row(reason: str, file: str, line: int | None = None) -> Diagnostic:
    """Return the diagnostic for a row of a log that cannot be read."""
    return Diagnostic("dat-log-row", {"reason": reason}, Location(file=file, line=line), reason)
