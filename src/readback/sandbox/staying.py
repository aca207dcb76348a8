"""A child that stays: it does the same work for one payload after another, and what it has loaded is at hand.

To start a child and to compile a template takes several times as long as to render it. A child that stays has the
limits of a single run for all that it does, so it ends after some thousands of payloads, and another one is started.
It is a short way and never a verdict: whatever it does not answer plainly is asked again in a child of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from readback import sandbox
from readback.sandbox.limits import Limits

MOST = 4  # children of one caller; the one that was asked longest ago goes first
ONCE = 64  # pieces of work that were asked for once, and remembered: only what comes again is worth a child


class Children:
    """The children that stay for one caller, each for a piece of work of its own. Safe to use from several threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._once: dict[Any, None] = {}
        self._children: dict[Any, sandbox.Child] = {}

    def ask(self, name: Any, work: str, payload: Any, limits: Limits) -> list[Any] | None:
        """All values of the generator function `work` for a payload, from the child that does the work of that name;
        None where somebody else asks meanwhile, where it is asked for the first time, or where it has to be asked in a
        child of its own.
        """
        if not self.lock.acquire(blocking=False):
            return None
        try:
            child = self._children.pop(name, None)
            if child is None:
                if not self._known(name):
                    return None
                child = sandbox.Child(work, limits)
            values = list(child.stream(payload))
            while len(self._children) >= MOST:
                self._children.pop(next(iter(self._children))).close()
            self._children[name] = child
            return values
        except (sandbox.Stopped, RuntimeError):
            return None
        finally:
            self.lock.release()

    def each(self) -> tuple[sandbox.Child, ...]:
        """The children there are, the one that was asked last at the end."""
        return tuple(self._children.values())

    def __len__(self) -> int:
        return len(self._children)

    def close(self) -> None:
        """Let all of them end."""
        with self.lock:
            for child in self._children.values():
                child.close()
            self._children.clear()

    def _known(self, name: Any) -> bool:
        if name in self._once:
            return True
        while len(self._once) >= ONCE:
            del self._once[next(iter(self._once))]
        self._once[name] = None
        return False


_asked: ContextVar[Children | None] = ContextVar("children", default=None)


@contextmanager
def use(children: Children) -> Iterator[None]:
    """Work that knows of them asks these children while the block lasts."""
    token = _asked.set(children)
    try:
        yield
    finally:
        _asked.reset(token)


def ask(name: Any, work: str, payload: Any, limits: Limits) -> list[Any] | None:
    """What `Children.ask` answers, by those of the block around; None where there are none."""
    children = _asked.get()
    return None if children is None or sandbox.inside() else children.ask(name, work, payload, limits)
