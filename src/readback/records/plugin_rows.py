"""Call the formats of plugins so that their exceptions and wrong results become diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from readback import plugins
from readback.readers.files.row import Blank, Event, Header, Refused, Row
from readback.types import Diagnostic, Location

Parse = Callable[[bytes, Mapping[str, Any]], Mapping[str, Any]]


def read_rows(entry: plugins.Entry, module: Any, stream: Any, file: str) -> Iterator[Event]:
    """Yield the events of a plugin's format; if it fails, refuse the rest of the file as one record."""
    line, end = 0, 0
    try:
        for event in module.rows(stream, file):
            if not isinstance(event, Row | Blank | Header | Refused | Diagnostic):
                raise TypeError(f"rows gave {type(event).__name__}, which is no event")
            if not isinstance(event, Diagnostic):
                line = max(line, getattr(event, "end_line", event.line))
                end = event.end
            yield event
    except Exception as error:
        yield Refused(_report_failure(entry, error, file, line + 1), line + 1, line + 1, end)


def guard_spool(entry: plugins.Entry, module: Any) -> Callable[[Path, Any, str], Iterator[int | Diagnostic]]:
    """Return a function that writes a plugin's format as JSON lines; if it fails, it yields a diagnostic and ends."""

    def spool(path: Path, out: Any, file: str) -> Iterator[int | Diagnostic]:
        try:
            yield from module.spool(path, out, file)
        except Exception as error:
            yield _report_failure(entry, error, file, None)

    return spool


def guard_parse(entry: plugins.Entry, module: Any) -> Parse:
    """Return a function that parses a record; it raises ValueError if the plugin fails, as for a changed file."""

    def parse(raw: bytes, shape: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            fields = module.parse(raw, shape)
        except Exception as error:
            raise ValueError(plugins.describe_failure(entry, error)) from None
        if not isinstance(fields, dict):
            raise ValueError(f"{entry.description} failed: parse gave {type(fields).__name__} instead of a dict")
        return fields

    return parse


def _report_failure(entry: plugins.Entry, error: Exception, file: str, line: int | None) -> Diagnostic:
    return Diagnostic(
        "dat-bad-line", {"reason": plugins.describe_failure(entry, error)}, Location(file=file, line=line)
    )
