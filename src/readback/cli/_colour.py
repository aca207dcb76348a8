"""Colour on a terminal: who may have it, and what is painted with it.

What is painted was made safe before: the escapes here are the only ones that a line of ours holds.
"""

from __future__ import annotations

import os
import re
import sys
from contextvars import ContextVar
from typing import TextIO

OPTIONS = ("--color", "--colour")  # help shows the first
CHOICES = ("auto", "always", "never")
CHOICE = ContextVar("colour", default="auto")  # what --color says of the command that runs
RESET = "\x1b[0m"
STYLES = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[33m",
    "info": "\x1b[36m",
    "removed": "\x1b[31m",
    "added": "\x1b[32m",
    "strong": "\x1b[1m",
    "faint": "\x1b[2m",
}
PAINTED = re.compile("\x1b\\[[0-9;]*m")
COUNTS = re.compile(r"\b[1-9][\d,]* (error|warning)s?\b")


def is_on(stream: TextIO) -> bool:
    """Return whether this stream gets colour: --color decides, then NO_COLOR, then FORCE_COLOR, then whether it is a
    terminal that can show any (no-color.org, force-color.org).
    """
    choice = CHOICE.get()
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """Return `text` in a style of STYLES where the stream (standard output, if none is named) gets colour."""
    if not text or not is_on(stream or sys.stdout):
        return text
    return f"{STYLES[style]}{text}{RESET}"


def paint_counts(line: str) -> str:
    """Return the line with its numbers of errors and warnings painted, but for those that are 0."""
    return COUNTS.sub(lambda count: paint(count[0], count[1]), line)


def paint_difference(line: str) -> str:
    """Return a line of a difference, painted by the mark at its beginning."""
    styles = {"- ": "removed", "+ ": "added", "==": "strong"}
    style = styles.get(line[:2])
    return paint(line, style) if style else line


def unpaint(text: str) -> str:
    """Return a text without the escapes of `paint`."""
    return PAINTED.sub("", text)
