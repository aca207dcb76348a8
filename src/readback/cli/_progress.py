"""How far a command is, on standard error: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from time import monotonic

from readback.cli._sentence import fill

DRAWN = 0.1  # seconds between two states of the line on a terminal
FIRST, SLOWEST = 10.0, 60.0  # seconds until the first line of its own, and between two at most
KNOWN = 2.0  # seconds after which the time that is left can be told
CLEAR = "\r\x1b[K"


class Progress:
    """Records done, with their share and the time left; nothing where `quiet` is asked for."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.begun = self.drawn = monotonic()
        self.wait = FIRST if not sys.stderr.isatty() else DRAWN
        self.there = False  # whether the terminal has a line of ours
        self.before = (
            0,
            0,
        )  # done and total when it was called last: with another total another part of the work began

    def __call__(self, done: int, total: int) -> bool:
        """Take note that `done` of `total` records are done; True, since nothing here stops the work."""
        now = monotonic()
        if total != self.before[1] or done < self.before[0]:
            self.begun = now
        self.before = done, total
        if self.quiet or not total or now - self.drawn < self.wait:
            return True
        self.drawn = now
        line = describe(done, total, now - self.begun)
        if sys.stderr.isatty():
            self.there = True
            print(f"{CLEAR}{line}", end="", file=sys.stderr, flush=True)
        else:
            self.wait = min(2 * self.wait, SLOWEST)
            print(f"readback: {line}", file=sys.stderr, flush=True)
        return True

    def end(self) -> None:
        """Clear the line of a terminal."""
        if self.there:
            self.there = False
            print(CLEAR, end="", file=sys.stderr, flush=True)


def describe(done: int, total: int, seconds: float) -> str:
    """Return how many records are done, which share that is, and, once it can be told, how long the rest takes if it
    is as fast as what is done.
    """
    values = {"done": done, "total": total, "share": 100 * done // total}
    if seconds < KNOWN or not 0 < done < total:
        return fill("{done:,} of {total:,} {total:record|records}, {share} %", **values)
    left = seconds * (total - done) / done
    if left < 90:
        return fill(
            ("{done:,} of {total:,} {total:record|records}, {share} %, about {left} {left:second|seconds} left"),
            **values,
            left=max(1, round(left)),
        )
    return fill(
        ("{done:,} of {total:,} {total:record|records}, {share} %, about {left:,} {left:minute|minutes} left"),
        **values,
        left=round(left / 60),
    )
