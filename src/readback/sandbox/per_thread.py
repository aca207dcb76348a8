"""A child for each thread of work that is cut into ranges: it does one of them after another."""

from __future__ import annotations

from threading import local
from types import TracebackType

from readback import sandbox
from readback.sandbox.limits import Limits


class ChildPerThread:
    """A context, in which threads ask for theirs; it is left when none of them asks any more."""

    def __init__(self, work: str, limits: Limits, shared: tuple[str, ...] = ()) -> None:
        self._asked = work, limits, shared
        self._mine = local()
        self._all: list[sandbox.Child] = []

    def __enter__(self) -> ChildPerThread:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for child in self._all:
            child.close()

    def child(self) -> sandbox.Child:
        """That of the thread that asks."""
        if not hasattr(self._mine, "child"):
            self._mine.child = sandbox.Child(*self._asked)
            self._all.append(self._mine.child)
        child: sandbox.Child = self._mine.child
        return child
