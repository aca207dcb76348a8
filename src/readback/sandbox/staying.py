"""A child that stays: it does the same work for one payload after another, and what it has loaded is at hand.

To start a child and to compile a template takes several times as long as to render it. A child that stays has the
limits of a single run for all that it does, so it ends after some thousands of payloads, and another one is started.
It is a short way and never a verdict: whatever it does not answer plainly is asked again in a child of its own.
"""

from __future__ import annotations

import os
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from typing import Any

from readback import sandbox
from readback.sandbox import frames
from readback.sandbox.client import ZygoteLost, alive
from readback.sandbox.limits import Limits, wall

MOST = 4  # children of one caller; the one that was asked longest ago goes first
ONCE = 64  # pieces of work that were asked for once, and remembered: only what comes again is worth a child


class _Child:
    """One child and our end of the sockets to it; it is killed when they are closed."""

    def __init__(self, work: str, limits: Limits) -> None:
        """Raises ZygoteLost."""
        self.work, self.limits, self.owner, self.new = work, limits, os.getpid(), True
        self.data, data_end = socket.socketpair()
        self.status, status_end = socket.socketpair()
        self.closed = weakref.finalize(self, _close, self.data, self.status)
        with data_end, status_end:
            alive().ask(f"{sandbox.TOGETHER} {work.partition(':')[0]}", data_end, status_end)

    def ask(self, payload: Any) -> list[Any] | None:
        """The values of the work; None where it did not end as it should."""
        asked = payload
        if self.new:
            asked = {"work": self.work, "limits": asdict(self.limits), "payload": payload, "stays": True}
            self.new = False
        values: list[Any] = []
        left, most = self.limits.output, wall() * self.limits.total
        try:
            self.data.settimeout(most)
            self.data.sendall(frames.encode(frames.VALUE, asked))
            while True:
                kind, value, size = frames.read(self.data, left + 1024, most)
                left -= size
                if kind == frames.DONE:
                    return values
                if kind != frames.VALUE:
                    return None
                values.append(value)
        except (OSError, frames.Closed, frames.TooLarge, frames.Late):
            return None


def _close(*ends: socket.socket) -> None:
    for end in ends:
        end.close()


class Children:
    """The children that stay for one caller, each for a piece of work of its own. Safe to use from several threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._once: dict[Any, None] = {}
        self._children: dict[Any, _Child] = {}

    def ask(self, name: Any, work: str, payload: Any, limits: Limits) -> list[Any] | None:
        """All values of the generator function `work` for a payload, from the child that does the work of that name;
        None where somebody else asks meanwhile, where it is asked for the first time, or where it has to be asked in a
        child of its own.
        """
        if not self.lock.acquire(blocking=False):
            return None
        try:
            child = self._children.pop(name, None)
            if child is None or child.owner != os.getpid():
                if not self._known(name):
                    return None
                child = _Child(work, limits)
            values = child.ask(payload)
            if values is None:
                child.closed()
                return None
            while len(self._children) >= MOST:
                self._children.pop(next(iter(self._children))).closed()
            self._children[name] = child
            return values
        except (OSError, ZygoteLost):
            return None
        finally:
            self.lock.release()

    def each(self) -> tuple[_Child, ...]:
        """The children there are, the one that was asked last at the end."""
        return tuple(self._children.values())

    def __len__(self) -> int:
        return len(self._children)

    def close(self) -> None:
        """Let all of them end."""
        with self.lock:
            for child in self._children.values():
                child.closed()
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
