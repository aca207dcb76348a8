"""Know which runs of this process go on at once: what was stopped in company is worth another try alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Run:
    """One run of a child; `in_company`: another one went on at some moment of it."""

    in_company: bool = False


class ConcurrentRuns:
    """The runs that go on now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: set[Run] = set()

    @contextmanager
    def add(self) -> Iterator[Run]:
        """Add a run while the block lasts."""
        new_run = Run()
        with self._lock:
            self._runs.add(new_run)
            if len(self._runs) > 1:
                for run in self._runs:
                    run.in_company = True
        try:
            yield new_run
        finally:
            with self._lock:
                self._runs.discard(new_run)
