"""Formats of plugins, held to what a format promises: none of them raises, and each event is one that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from readback import plugins
from readback.readers.row import Blank, Event, Header, Refused, Row
from readback.types import Diagnostic, Location

Parse = Callable[[bytes, Mapping[str, Any]], Mapping[str, Any]]


def rows(entry: plugins.Entry, module: Any, stream: Any, file: str) -> Iterator[Event]:
    """The events of a plugin's format; where it fails, the rest of the file is refused as one record."""
    line, end = 0, 0
    try:
        for event in module.rows(stream, file):
            if not isinstance(event, Row | Blank | Header | Refused | Diagnostic):
                raise TypeError(f"rows gave {type(event).__name__}, which is no event")
            if not isinstance(event, Diagnostic):
                line, end = max(line, getattr(event, "end_line", event.line)), event.end
            yield event
    except Exception as error:
        yield Refused(_failed(entry, error, file, line + 1), line + 1, line + 1, end)


def spool(entry: plugins.Entry, module: Any) -> Callable[[Path, Any, str], Iterator[int | Diagnostic]]:
    """What writes a plugin's format as JSON lines; where it fails, that is said and what came before is read."""

    def spooled(path: Path, out: Any, file: str) -> Iterator[int | Diagnostic]:
        try:
            yield from module.spool(path, out, file)
        except Exception as error:
            yield _failed(entry, error, file, None)

    return spooled


def parse(entry: plugins.Entry, module: Any) -> Parse:
    """The fields of one record; ValueError where the plugin fails, as for a file that has changed."""

    def parsed(raw: bytes, shape: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            fields = module.parse(raw, shape)
        except Exception as error:
            raise ValueError(plugins.failed(entry, error)) from None
        if not isinstance(fields, dict):
            raise ValueError(f"{entry.said} failed: parse gave {type(fields).__name__} instead of a dict")
        return fields

    return parsed


def _failed(entry: plugins.Entry, error: Exception, file: str, line: int | None) -> Diagnostic:
    return Diagnostic("dat-bad-line", {"reason": plugins.failed(entry, error)}, Location(file=file, line=line))
