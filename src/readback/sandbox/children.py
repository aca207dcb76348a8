"""Reuse children for many payloads: one for each thread, or one for each piece of work that recurs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from readback import sandbox
from readback.sandbox.limits import Limits

CAPACITY = 4  # children of one caller; the one that was asked longest ago is closed first
REMEMBERED = 64  # names of work that was asked for once: only what comes again is worth a child


class ChildPerThread:
    """A context in which each thread has a child for work that is cut into ranges.

    It is left when no thread asks for its child any more.
    """

    def __init__(self, work: str, limits: Limits, shared: tuple[str, ...] = ()) -> None:
        self._arguments = work, limits, shared
        self._local = threading.local()
        self._children: list[sandbox.Child] = []

    def __enter__(self) -> ChildPerThread:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for child in self._children:
            child.close()

    def get_child(self) -> sandbox.Child:
        """Return the child of the thread that asks."""
        if not hasattr(self._local, "child"):
            self._local.child = sandbox.Child(*self._arguments)
            self._children.append(self._local.child)
        child: sandbox.Child = self._local.child
        return child


class StayingChildren:
    """The children that stay for one caller, each for its own piece of work. Safe to use from several threads.

    To start a child and to compile a template takes several times as long as to render it. A child that stays has the
    limits of a single run for all that it does, so it ends after some thousands of payloads, and another one is
    started. It is a short way and never a verdict: whatever it does not answer plainly is asked again in a child of its
    own.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._remembered: dict[Any, None] = {}
        self._children: dict[Any, sandbox.Child] = {}

    def ask(self, name: Any, work: str, payload: Any, limits: Limits) -> list[Any] | None:
        """Return all values of the generator function `work` for a payload, from the child for the work of that name.

        Returns None where another thread asks meanwhile, where the name is asked for the first time, or where the
        payload has to be asked in a child of its own.
        """
        if not self.lock.acquire(blocking=False):
            return None
        try:
            child = self._children.pop(name, None)
            if child is None:
                if not self._is_repeated(name):
                    return None
                child = sandbox.Child(work, limits)
            values = list(child.stream(payload))
            while len(self._children) >= CAPACITY:
                self._children.pop(next(iter(self._children))).close()
            self._children[name] = child
            return values
        except (sandbox.Stopped, RuntimeError):
            return None
        finally:
            self.lock.release()

    def list_children(self) -> tuple[sandbox.Child, ...]:
        """Return the children there are, the one that was asked last at the end."""
        return tuple(self._children.values())

    def __len__(self) -> int:
        return len(self._children)

    def close(self) -> None:
        """Let all of them end."""
        with self.lock:
            for child in self._children.values():
                child.close()
            self._children.clear()

    def _is_repeated(self, name: Any) -> bool:
        if name in self._remembered:
            return True
        while len(self._remembered) >= REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[name] = None
        return False


_staying: ContextVar[StayingChildren | None] = ContextVar("children", default=None)


@contextmanager
def use_children(children: StayingChildren) -> Iterator[None]:
    """Let `ask_staying_child` ask these children while the block lasts."""
    token = _staying.set(children)
    try:
        yield
    finally:
        _staying.reset(token)


def ask_staying_child(name: Any, work: str, payload: Any, limits: Limits) -> list[Any] | None:
    """Return what `StayingChildren.ask` does, of the children of the block around; None where there are none."""
    children = _staying.get()
    if children is None or sandbox.is_child():
        return None
    return children.ask(name, work, payload, limits)
