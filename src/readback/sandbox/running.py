"""Which runs of this process are under way at once: what was stopped in company is worth another try alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Run:
    """One run of a child; `in_company`: another one was under way at some moment of it."""

    in_company: bool = False


class Company:
    """The runs under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: set[Run] = set()

    @contextmanager
    def run(self) -> Iterator[Run]:
        """One more, while the block lasts."""
        mine = Run()
        with self._lock:
            self._runs.add(mine)
            if len(self._runs) > 1:
                for one in self._runs:
                    one.in_company = True
        try:
            yield mine
        finally:
            with self._lock:
                self._runs.discard(mine)
