"""Keep Python's garbage collector from costing more than the pages themselves.

Streamlit has it look at every object of the process after each run of a page: at all that was imported and cached,
some tenths of a second while nobody else gets a page. Without that (`runner.postScriptGC`) the texts of earlier runs
would stay in memory for long. So it stays, and what outlived a slow collection is set aside, so that the next
ones look at new objects only; now and then all are looked at again, so that nothing is set aside for ever.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

SLOW = 0.02  # seconds of processor time of one full collection
AGAIN = 600.0  # seconds after which what was set aside is looked at, too
FULL = 2  # the generation that holds everything


class Collector:
    """Told by Python when a collection begins and ends."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.all_seen, self.began = clock, clock(), 0.0

    def __call__(self, phase: str, about: Mapping[str, int]) -> None:
        if about["generation"] != FULL:
            return
        if phase == "start":
            if self.clock() - self.all_seen > AGAIN:
                gc.unfreeze()
                self.all_seen = self.clock()
            self.began = time.thread_time()
        elif time.thread_time() - self.began > SLOW:
            gc.freeze()


def begin() -> None:
    """From now on, in this process."""
    gc.callbacks.append(Collector())
