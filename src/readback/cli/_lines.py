"""Findings as lines for people, safe for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from readback.bookmarks.entry import Excerpt
from readback.cli._colour import paint
from readback.cli._sentence import fill
from readback.types import Finding, Location
from readback.words import t

MARK = {"error": "error", "warning": "warning", "info": "info"}
RANK = ("info", "warning", "error")


def line(found: Finding, stream: TextIO | None = None) -> str:
    """file:line, what it is about, severity, code, sentence and key, on one line; painted as the stream (standard
    output, if none is named) has it.
    """
    at = found.place
    where = ":".join(str(part) for part in (at.file, at.line, at.column) if part is not None)
    what = about(at)
    # check --baseline reads the keys again, so their form is the same in every language
    head = " ".join(part for part in (where and f"{where}:", what and f"[{what}]") if part) or "-"
    severity = paint(MARK[found.severity], found.severity, stream)
    code = paint(found.code, "strong", stream)
    key = paint(f"(key {found.key})", "faint", stream)
    return f"{safe(unbroken(head))} {severity} {code}: {safe(unbroken(found.message))} {key}"


def with_fix(found: Finding, said: str = "") -> str:
    """The line of a finding, or what is `said` of it, and below it what to do."""
    said = said or line(found)
    if not found.fix:
        return said
    fix = fill("fix: {fix}", fix=safe(unbroken(found.fix)))
    return f"{said}\n    {paint(fix, 'added')}"


def with_excerpt(said: str, part: Excerpt) -> str:
    """What is said of a finding, and below it the text that it is about, with a mark below the first stretch."""
    before = f"{t('findings.left_out', n=part.before)} " if part.before else ""
    after = f" {t('findings.left_out', n=part.after)}" if part.after else ""
    text = f"{before}{_on_one_line(part.text)}{after}"
    if not part.marks:
        return f"{said}\n    {text}"
    start, end = (len(before) + len(_on_one_line(part.text[:at])) for at in part.marks[0])
    mark = paint("^" * max(1, end - start), "error")
    return f"{said}\n    {text}\n    {' ' * start}{mark}"


def _on_one_line(text: str) -> str:
    return safe(text.replace("\n", "\\n").replace("\t", "\\t"))  # a tab would move the mark


def safe(text: str) -> str:
    """`text` without what a terminal would obey: control characters are spelled out, line feeds and tabs kept."""
    return "".join(char if char in "\n\t" or not _commands(char) else f"\\x{ord(char):02x}" for char in text)


def unbroken(value: Any) -> Any:
    """`value` with line feeds spelled out in all its texts, so that a name cannot look like another line."""
    if isinstance(value, str):
        return value.replace("\n", "\\n")
    if isinstance(value, Mapping):
        return {unbroken(name): unbroken(one) for name, one in value.items()}
    return [unbroken(one) for one in value] if isinstance(value, list | tuple) else value


def shown(text: str) -> str:
    """A text of somebody else's for standard output: as it is for a file or a pipe, made safe for a terminal."""
    return safe(text) if sys.stdout.isatty() else text


def worst(severities: Iterable[str], limit: str) -> bool:
    """Whether one of the severities reaches the limit; `never` is never reached."""
    return limit != "never" and any(RANK.index(one) >= RANK.index(limit) for one in severities)


def about(at: Location) -> str:
    """What a place is about, beside its file: its condition or mode, its record, its stretch of a message."""
    return ", ".join(_about(at))


def _about(at: Location) -> Iterable[str]:
    names = ("condition", "mode", "task", "adapter", "judge") if at.condition is None else ("condition", "judge")
    yield from (t(f"frame.{name}_is", **{name: value}) for name in names if (value := getattr(at, name)) is not None)
    if at.index is not None:
        named = "" if at.record is None else f" {at.record}"
        yield t("frame.record_is", record=f"{at.index}{named}")
    if at.role or at.field:
        span = f" {at.start}-{at.end}" if at.start is not None else ""
        yield f"{at.role or at.field}{span}"


def _commands(char: str) -> bool:
    return ord(char) < 32 or 127 <= ord(char) < 160
