"""Format findings as lines for people, and make any text safe for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from readback.bookmarks.entry import Excerpt
from readback.cli.common.terminal import fill, paint
from readback.types import Finding, Location
from readback.words import t

SEVERITIES = ("info", "warning", "error")  # the worst last


def format_finding(finding: Finding, stream: TextIO | None = None) -> str:
    """Return a finding on one line: file:line, what it is about, severity, code, sentence and key.

    The line is painted as the stream (default: standard output) has it.
    """
    place = finding.place
    position = ":".join(str(part) for part in (place.file, place.line, place.column) if part is not None)
    subject = describe_location(place)
    # check --baseline reads the keys again, so their form is the same in every language
    head = " ".join(part for part in (position and f"{position}:", subject and f"[{subject}]") if part) or "-"
    severity = paint(finding.severity, finding.severity, stream)
    code = paint(finding.code, "strong", stream)
    key = paint(f"(key {finding.key})", "faint", stream)
    message = make_safe(escape_newlines(finding.message))
    return f"{make_safe(escape_newlines(head))} {severity} {code}: {message} {key}"


def format_with_fix(finding: Finding, line: str = "") -> str:
    """Return the line of a finding (or `line` in its place), and below it how to fix it."""
    line = line or format_finding(finding)
    if not finding.fix:
        return line
    fix = fill("fix: {fix}", fix=make_safe(escape_newlines(finding.fix)))
    return f"{line}\n    {paint(fix, 'added')}"


def add_excerpt(line: str, excerpt: Excerpt) -> str:
    """Return the line of a finding, and below it the text that it is about with a mark below the first stretch."""
    if excerpt.before:
        before = f"{t('findings.left_out', n=excerpt.before)} "
    else:
        before = ""
    if excerpt.after:
        after = f" {t('findings.left_out', n=excerpt.after)}"
    else:
        after = ""
    text = f"{before}{_put_on_one_line(excerpt.text)}{after}"
    if not excerpt.marks:
        return f"{line}\n    {text}"
    start, end = (len(before) + len(_put_on_one_line(excerpt.text[:index])) for index in excerpt.marks[0])
    mark = paint("^" * max(1, end - start), "error")
    return f"{line}\n    {text}\n    {' ' * start}{mark}"


def _put_on_one_line(text: str) -> str:
    return make_safe(text.replace("\n", "\\n").replace("\t", "\\t"))  # a tab would move the mark


def make_safe(text: str) -> str:
    """Return `text` without what a terminal would obey: control characters are spelled out, but for newline and tab."""
    return "".join(char if char in "\n\t" or not _is_control(char) else f"\\x{ord(char):02x}" for char in text)


def make_safe_for_stdout(text: str) -> str:
    """Return a text of a prompt for standard output: safe for a terminal, unchanged for a file or a pipe."""
    if sys.stdout.isatty():
        return make_safe(text)
    return text


def print_safe(text: str, file: TextIO | None = None) -> None:
    """Print a text that is made safe for a terminal, to standard output unless another stream is named."""
    print(make_safe(text), file=file)


def print_note(text: str) -> None:
    """Print to standard error what is worth knowing beside the answer."""
    print_safe(f"readback: {text}", sys.stderr)


def escape_newlines(value: Any) -> Any:
    """Return `value` with newlines spelled out in all its texts, so that a name cannot look like another line."""
    if isinstance(value, str):
        return value.replace("\n", "\\n")
    if isinstance(value, Mapping):
        return {escape_newlines(name): escape_newlines(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [escape_newlines(item) for item in value]
    return value


def reaches_severity(severities: Iterable[str], limit: str) -> bool:
    """Return whether a severity is at or above the limit; the limit `never` is never reached."""
    if limit == "never":
        return False
    return any(SEVERITIES.index(severity) >= SEVERITIES.index(limit) for severity in severities)


def describe_location(place: Location) -> str:
    """Return what a place is about beside its file: its condition or mode, its record, its stretch of a message."""
    return ", ".join(_list_parts(place))


def _list_parts(place: Location) -> Iterator[str]:
    names = ["condition", "judge"]
    if place.condition is None:
        names = ["condition", "mode", "task", "adapter", "judge"]
    for name in names:
        value = getattr(place, name)
        if value is not None:
            yield t(f"frame.{name}_is", **{name: value})
    if place.index is not None:
        if place.record is None:
            record_id = ""
        else:
            record_id = f" {place.record}"
        yield t("frame.record_is", record=f"{place.index}{record_id}")
    if place.role or place.field:
        if place.start is not None:
            span = f" {place.start}-{place.end}"
        else:
            span = ""
        yield f"{place.role or place.field}{span}"


def _is_control(char: str) -> bool:
    return ord(char) < 32 or 127 <= ord(char) < 160
