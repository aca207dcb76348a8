"""What a check said of records that repeat earlier ones, kept until either is another.

A range of records that are looked through for repetitions has a file beside its parts (`kept_parts`). In it is what was
found where a record repeats an earlier one of the same dataset, named by both: the later one by its place in the range,
the earlier one by its place in its own range and by that range's digest.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from readback import as_json
from readback.checks.kept_parts import Parts, read_packed
from readback.checks.rules import Fault
from readback.types import Finding

NAME = "repeats"  # of what is in the files, beside what it depends on


class KeptRepeats:
    """Of the records of one dataset, in their order. Without parts nothing is known and nothing kept."""

    def __init__(self, parts: Parts | None) -> None:
        self._parts = parts
        self._range = ""  # the digest of the range whose records come now
        self._known: Mapping[str, Any] = {}  # what was said of it, by `key`
        self._said: dict[str, Any] = {}  # what is said of it now
        self._clean = True  # no rule failed

    def key(self, code: str, first: int, later: int, kinds: Sequence[str]) -> str:
        """What is kept of a record that repeats kinds of an earlier one, both by their numbers, is kept under this key;
        nothing where the range of one of them is not known by its digest.
        """
        here, there = (self._parts.where(number) if self._parts else None for number in (later, first))
        if self._parts is None or here is None or there is None:
            return ""
        if here[0] != self._range:
            self.end()
            self._range = here[0]
            self._known = read_packed(self._parts.beside(self._range, NAME))
        return as_json.packed([code, here[1], *there, *kinds]).decode()

    def told(self, key: str) -> list[Finding] | None:
        """What was said under a key; None where that is new."""
        try:
            found = [as_json.read_finding(one) for one in self._known[key]]
        except (LookupError, TypeError, ValueError):
            return None
        self._said[key] = self._known[key]
        return found

    def take(self, key: str, said: Sequence[Finding | Fault]) -> None:
        """What is said where nothing was known."""
        if key:
            self._clean = self._clean and not any(isinstance(one, Fault) for one in said)
            self._said[key] = [as_json.keep(one) for one in said if isinstance(one, Finding)]

    def end(self) -> None:
        """No more records come of the range: keep what is new of it."""
        if self._parts and self._clean and self._said.keys() - self._known.keys():
            said = self._said
            self._parts.keep(self._parts.beside(self._range, NAME), lambda: zlib.compress(json.dumps(said).encode(), 1))
        self._said, self._known, self._range, self._clean = {}, {}, "", True
