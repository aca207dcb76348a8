"""What a check said of records that repeat earlier ones, kept until either is another.

A range of records that are looked through for repetitions has a file beside its parts (`kept_parts`). In it is what was
found where a record repeats an earlier one of the same dataset, named by both: the later one by its place in the range,
the earlier one by its place in its own range and by that range's digest.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from readback import as_json
from readback.checks.finding_lines import line, read
from readback.checks.kept_parts import Parts, read_packed
from readback.checks.rules import Fault
from readback.types import Finding

NAME = "repeats"  # of what is in the files, beside what it depends on
Kept = tuple[str, str]  # the digest of the later record's range, and under which key what was said is kept there


@dataclass(slots=True)
class _Range:
    """What was said of a range, and what is said of it now, by their keys."""

    known: Mapping[str, Any]
    said: dict[str, Any] = field(default_factory=dict)
    clean: bool = True  # no rule failed


class KeptRepeats:
    """Of the records of one dataset, in their order. Without parts nothing is known and nothing kept."""

    def __init__(self, parts: Parts | None) -> None:
        self._parts = parts
        self._ranges: dict[str, _Range] = {}  # by their digests, in their order: those whose records come now

    def where(self, code: str, first: int, later: int, kinds: Sequence[str]) -> Kept | None:
        """Where that is kept of a record that repeats kinds of an earlier one, both by their numbers; None where the
        range of one of them is not known by its digest.
        """
        here, there = (self._parts.where(number) if self._parts else None for number in (later, first))
        if self._parts is None or here is None or there is None:
            return None
        if here[0] not in self._ranges:
            self._ranges[here[0]] = _Range(read_packed(self._parts.beside(here[0], NAME)))
        return here[0], as_json.packed([code, here[1], *there, *kinds]).decode()

    def told(self, where: Kept | None) -> list[Finding] | None:
        """What was said there; None where that is new."""
        if where is not None:
            with suppress(LookupError, TypeError, ValueError):
                return [*map(read, self._ranges[where[0]].known[where[1]])]
        return None

    def take(self, where: Kept | None, said: Sequence[Finding | Fault]) -> None:
        """What is said, in the order of the records; nothing comes any more of the ranges before."""
        if where is None:
            return
        for before in [*takewhile(lambda digest: digest != where[0], self._ranges)]:
            self._keep(before)
        its = self._ranges[where[0]]
        its.clean = its.clean and not any(isinstance(one, Fault) for one in said)
        its.said[where[1]] = [line(one) for one in said if isinstance(one, Finding)]

    def end(self) -> None:
        """No more records come: keep what is new."""
        for digest in [*self._ranges]:
            self._keep(digest)

    def _keep(self, digest: str) -> None:
        one = self._ranges.pop(digest)
        if self._parts and one.clean and one.said.keys() - one.known.keys():
            said = one.said
            self._parts.keep(self._parts.beside(digest, NAME), lambda: zlib.compress(json.dumps(said).encode(), 1))
