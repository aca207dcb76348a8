"""Findings as workflow commands of GitHub Actions, which puts them beside the lines of a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from readback.cli import _lines
from readback.cli._sentence import fill
from readback.types import Finding, Severity

COMMAND: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
# What ends a command or a property, in the order in which it is replaced: the sign of the escapes comes first.
IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_TEXT, ":": "%3A", ",": "%2C"}


def lines(found: Iterable[Finding], file: Callable[[str], str]) -> Iterator[str]:
    """A command for each finding; `file` turns a file of the workspace into one of the repository."""
    for one in found:
        at = one.place
        known = {"file": at.file and file(at.file), "line": at.line, "col": at.column, "title": one.code}
        given = (f"{name}={_escaped(str(value), IN_PROPERTY)}" for name, value in known.items() if value is not None)
        yield f"::{COMMAND[one.severity]} {','.join(given)}::{_escaped(_said(one), IN_TEXT)}"


def _said(found: Finding) -> str:
    about = _lines.about(found.place)
    head = f"[{about}] " if about else ""
    fix = fill("\nfix: {fix}", fix=found.fix) if found.fix else ""
    return f"{head}{found.message}{fix} (key {found.key})"  # at the end, where a baseline has it


def _escaped(text: str, signs: Mapping[str, str]) -> str:
    for sign, written in signs.items():
        text = text.replace(sign, written)
    return _lines.safe(text)
