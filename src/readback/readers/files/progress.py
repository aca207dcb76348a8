"""Tell a caller how far a long reading is, and stop when it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[int, int], bool]  # bytes done, bytes in all; answers whether to go on
STEP = 4 << 20  # bytes between two reports


class Cancelled(Exception):  # noqa: N818 - an outcome, as StopIteration is
    """`progress` answered that it is enough; nothing was kept."""


_listener: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def report_progress_to(progress: Progress) -> Iterator[None]:
    """Let `progress` hear, while the block lasts, of what is read on the way to something else: a log, say."""
    token = _listener.set(progress)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(done: int, total: int) -> None:
    """Tell whoever listens how far a reading is. Raises Cancelled."""
    progress = _listener.get()
    if progress is not None and not progress(done, total):
        raise Cancelled


class Meter:
    """Turns positions into progress; a packed file counts twice, once unpacked and once read."""

    def __init__(self, progress: Progress | None, size: int, passes: int) -> None:
        self._progress = progress
        self._size = size
        self._passes = passes
        self._current = -1
        self._total = 0
        self._next = 0

    def begin(self, total: int) -> None:
        """Start the next pass, over `total` bytes."""
        self._current += 1
        self._total = total
        self._next = 0
        self.at(0)

    def again(self) -> None:
        """Start the same pass anew."""
        self._current -= 1
        self.begin(self._total)

    def at(self, done: int) -> None:
        """So many bytes of this pass are done. Raises Cancelled."""
        if self._progress is None or done < self._next:
            return
        self._next = done + STEP
        if self._total:
            share = min(1.0, done / self._total)
        else:
            share = 1.0
        if not self._progress(int((self._current + share) * self._size), self._passes * self._size):
            raise Cancelled

    def end(self) -> None:
        """Everything is done. Raises Cancelled."""
        self._next = 0
        self.at(self._total)
