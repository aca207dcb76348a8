"""Yield what stands around the samples of a log: its run before them, its means and what was left out after them."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from readback.readers.logs.events import Event
from readback.readers.logs.formats.inspect.run import SUCCESS, count_rows, list_aggregates, read_run, read_settings
from readback.readers.logs.formats.inspect.sample import SampleReader, report_row
from readback.readers.logs.formats.inspect.values import Fields, Unreadable
from readback.types import Diagnostic, Location

LONGEST_HEADER = 64 << 20  # bytes of what is said about the run
NAMED = 10  # unknown kinds that are named


def report_part(file: str, what: str) -> Diagnostic:
    """Return the diagnostic that something in the log is not read."""
    return Diagnostic("dat-log-part", {"what": what}, Location(file=file))


def list_head(header: Fields, is_complete: bool, file: str) -> Generator[Event, None, SampleReader]:
    """Yield what the header says of the run; return the reader of its samples."""
    settings = read_settings(header)
    try:
        yield read_run(header, is_complete)
    except Unreadable as error:
        yield report_row(file, f"the header: {error}")
    return SampleReader(file, settings)


def list_end(header: Fields, reader: SampleReader) -> Iterator[Event]:
    """Yield the means that the tool stored, and how many events are of kinds that are not known."""
    yield from list_aggregates(header, reader.settings.model)
    if header.get("status") == SUCCESS:
        promised = count_rows(header)
    else:
        promised = None
    if not reader.count and promised:
        yield report_part(reader.file, f"none of the {promised} samples of the run are in the log, only their means")
    elif promised and reader.count < promised:
        yield report_part(reader.file, f"{reader.count} of the {promised} samples of the run are in the log")
    if reader.unknown:
        kinds = ", ".join(f"{kind[:100]} ({count})" for kind, count in reader.unknown.most_common(NAMED))
        yield report_part(reader.file, f"events of unknown kinds: {kinds}")
