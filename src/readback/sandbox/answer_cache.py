"""Cache answers of children to payloads that recur: a page asks for the same texts each time it is opened."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

from readback import sandbox

Answer = TypeVar("Answer")
CAPACITY = 256  # answers: those of a page, and about a model's made-up conversation
LONGEST = 1 << 18  # characters of an answer that is stored
PIECE = 64  # characters that a piece of an answer counts for, beside its text


class AnswerCache(Generic[Answer]):
    """Store the last answers of one kind, at most `capacity`. Safe to use from several threads."""

    def __init__(self, measure: Callable[[Answer], int], capacity: int = CAPACITY) -> None:
        """Take what `measure` returns as the size of an answer: its characters, and PIECE for each of its pieces."""
        self._measure, self._capacity, self._lock = measure, capacity, Lock()
        self._answers: dict[bytes, Answer] = {}  # the oldest first

    def get_or_ask(self, payload: Mapping[str, Any], ask: Callable[[Mapping[str, Any]], Answer]) -> Answer:
        """Return the stored answer to a payload of JSON, else that of `ask(payload)`, which must depend on it alone.

        What `ask` raises is raised each time. In a sandboxed child nothing is looked up or stored, because a child sees
        each record once.
        """
        if sandbox.is_child():
            return ask(payload)
        key = hashlib.sha256(json.dumps(payload).encode("ascii")).digest()
        with self._lock:
            if key in self._answers:
                return self._answers[key]
        answer = ask(payload)
        if self._measure(answer) <= LONGEST:
            with self._lock:
                while len(self._answers) >= self._capacity:
                    del self._answers[next(iter(self._answers))]
                self._answers[key] = answer
        return answer
