"""Fill sentences, paint them on a terminal, and show how far a command is.

What is painted was made safe before: the escapes here are the only ones that a printed line may hold.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextvars import ContextVar
from time import monotonic
from typing import Any, TextIO

from readback.quantity import fill_sentence, size

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
CLEAR = "\r\x1b[K"

REDRAW_SECONDS = 0.1  # between two states of the line on a terminal
FIRST_SECONDS, LONGEST_SECONDS = 10.0, 60.0  # elsewhere: until the first line, and between two at most
ESTIMATE_SECONDS = 2.0  # before this, the time that is left cannot be told
MINUTES_FROM = 90  # seconds from which on the time that is left is given in minutes


def fill(sentence: str, **values: Any) -> str:
    """Return the sentence with its places filled; `fill("{n:,} {n:record|records}", n=2)` has the word that fits."""
    return fill_sentence(sentence, values)


def has_colour(stream: TextIO) -> bool:
    """Return whether this stream gets colour.

    --color decides, then NO_COLOR, then FORCE_COLOR (no-color.org, force-color.org), then whether the stream is a
    terminal that can show any.
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
    """Return `text` in a style of STYLES where the stream (default: standard output) gets colour."""
    if not text or not has_colour(stream or sys.stdout):
        return text
    return f"{STYLES[style]}{text}{RESET}"


def paint_counts(line: str) -> str:
    """Return the line with its numbers of errors and warnings painted, except where they are 0."""
    return COUNTS.sub(lambda count: paint(count[0], count[1]), line)


def paint_difference(line: str) -> str:
    """Return a line of a difference, painted by the mark at its beginning."""
    styles = {"- ": "removed", "+ ": "added", "==": "strong"}
    style = styles.get(line[:2])
    if style:
        return paint(line, style)
    return line


def remove_paint(text: str) -> str:
    """Return a text without the escapes of `paint`."""
    return PAINTED.sub("", text)


class Progress:
    """Write to standard error how far something is, in the words of `describe`, unless `quiet` is set.

    On a terminal one line changes in place; elsewhere there is a line now and then.
    """

    def __init__(self, quiet: bool, describe: Callable[[int, int, float], str] | None = None) -> None:
        self.quiet = quiet
        self.describe = describe or describe_progress
        self.started = self.last_drawn = monotonic()
        if sys.stderr.isatty():
            self.wait = REDRAW_SECONDS
        else:
            self.wait = FIRST_SECONDS
        self.has_line = False  # whether the terminal shows a line of this progress
        # Done and total at the last call: with another total, another part of the work has begun.
        self.previous = (0, 0)

    def __call__(self, done: int, total: int) -> bool:
        """Show that `done` of `total` are done; return True, since nothing here stops the work."""
        now = monotonic()
        if total != self.previous[1] or done < self.previous[0]:
            self.started = now
        self.previous = done, total
        if self.quiet or not total or now - self.last_drawn < self.wait:
            return True
        self.last_drawn = now
        line = self.describe(done, total, now - self.started)
        if sys.stderr.isatty():
            self.has_line = True
            print(f"{CLEAR}{line}", end="", file=sys.stderr, flush=True)
        else:
            self.wait = min(2 * self.wait, LONGEST_SECONDS)
            print(f"readback: {line}", file=sys.stderr, flush=True)
        return True

    def end(self) -> None:
        """Clear the line of a terminal."""
        if self.has_line:
            self.has_line = False
            print(CLEAR, end="", file=sys.stderr, flush=True)


def describe_progress(done: int, total: int, seconds: float) -> str:
    """Return how many records are done, their share, and, once it is known, how long the rest takes."""
    counted = fill("{done:,} of {total:,} {total:record|records}", done=done, total=total)
    return counted + _describe_rest(done, total, seconds)


def describe_reading(done: int, total: int, seconds: float) -> str:
    """Return how many bytes of a log have been read, their share, and, once it is known, how long the rest takes."""
    return fill("reading the log: {done} of {total}", done=size(done), total=size(total)) + _describe_rest(
        done, total, seconds
    )


def _describe_rest(done: int, total: int, seconds: float) -> str:
    share = 100 * done // total
    if seconds < ESTIMATE_SECONDS or not 0 < done < total:
        return fill(", {share} %", share=share)
    left = seconds * (total - done) / done
    if left < MINUTES_FROM:
        left = max(1, round(left))
        return fill(", {share} %, about {left} {left:second|seconds} left", share=share, left=left)
    return fill(", {share} %, about {left:,} {left:minute|minutes} left", share=share, left=round(left / 60))
