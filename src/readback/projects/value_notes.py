"""What is noticed about the values of a row while a tool's prompt is filled in: as notes of the rendered messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MISSING, RENDERED, ROLE_IN_VALUE = "asm-project-value-missing", "asm-value-rendered", "asm-role-in-value"
TYPE, LINE_BREAK, SUM = "asm-value-type", "asm-value-line-feed", "asm-numbers-added"
EMPTY, TYPED = "nothing is written in its place", "the tool sends the name as it is typed"
SHORT = 60  # characters of a line that are quoted
MOST = 20  # notes of a kind for a row

Note = Mapping[str, Any]


def note_missing(names: Iterable[str], effect: str) -> tuple[Note, ...]:
    """Return a note for each name that a template reads and the row has no value for, with what the tool does then."""
    return tuple(
        {"code": MISSING, "values": {"field": name, "effect": effect}, "severity": "warning"}
        for name in list(dict.fromkeys(names))[:MOST]
    )


def note_rendered(marks: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return a note for each variable whose value holds a mark that the tool fills in: pairs of variable and mark."""
    by_field: dict[str, str] = {}
    for field, mark in marks:
        by_field.setdefault(field, mark)
    return tuple(
        {"code": RENDERED, "values": {"field": field, "mark": mark}, "severity": "warning"}
        for field, mark in list(by_field.items())[:MOST]
    )


def note_roles(lines: Iterable[tuple[str, str]]) -> tuple[Note, ...]:
    """Return a note for each variable whose value opens a message: pairs of variable and line."""
    by_field: dict[str, str] = {}
    for field, line in lines:
        by_field.setdefault(field, line if len(line) <= SHORT else f"{line[:SHORT]}…")
    return tuple(
        {"code": ROLE_IN_VALUE, "values": {"field": field, "line": line}, "severity": "error"}
        for field, line in list(by_field.items())[:MOST]
    )


def note_types(changes: Iterable[tuple[str, str, str]]) -> tuple[Note, ...]:
    """Return a note for each value that is written in another form: its variable, what it is, and what is sent."""
    return tuple(
        {"code": TYPE, "values": {"field": field, "kind": kind, "text": text}, "severity": "warning"}
        for field, kind, text in list(changes)[:MOST]
    )


def note_sums(sums: Iterable[tuple[tuple[str, ...], str, str]]) -> tuple[Note, ...]:
    """Return a note for numbers that a tool adds up where the template has them one after the other.

    Each is the names of their variables, the numbers as the template has them, and the sum that is sent.
    """
    return tuple(
        {
            "code": SUM,
            "values": {"field": ", ".join(names) or "numbers", "typed": typed, "text": text},
            "severity": "warning",
        }
        for names, typed, text in list(dict.fromkeys(sums))[:MOST]
    )


def note_line_breaks(names: Iterable[str]) -> tuple[Note, ...]:
    """Return a note for each variable whose value loses the line feed at its end."""
    return tuple(
        {"code": LINE_BREAK, "values": {"field": name}, "severity": "info"}
        for name in list(dict.fromkeys(names))[:MOST]
    )
