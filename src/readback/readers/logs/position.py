"""How far the reading of a log is, in bytes of its file: what reads the log says it, for whoever sends on what it read.

It is of the whole process, since a bounded child reads one log.
"""

from __future__ import annotations

from collections.abc import Callable

_measure: Callable[[], int] = int
_size = 0


def follow(measure: Callable[[], int], size: int) -> None:
    """Let `measure` answer from now on how many of the `size` bytes have been read."""
    global _measure, _size
    _measure, _size = measure, size


def measure_position() -> tuple[int, int]:
    """Return how many bytes have been read, and of how many; (0, 0) where nothing reads that says it."""
    try:
        return min(_measure(), _size), _size
    except ValueError:  # the file is closed, because it has been read
        return _size, _size
