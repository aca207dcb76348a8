"""Pairs of records of which the later one may repeat the earlier one, looked at by children beside their ranges.

To look at a pair takes two records and what a rule says of them. The process that counts could do it, one pair after
another; but then, on many cores, all children wait for it. So the child of the next range is asked about the pairs that
are known by then, and tells of them first. At a pair of which no child tells, the counting process looks itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any

from readback import sandbox
from readback.checks import rules
from readback.checks.finding_lines import line, read
from readback.checks.rules import Fault
from readback.records.dataset import Dataset
from readback.types import Finding, Record, RuleContext, Workspace

MOST = 512  # pairs that one child is asked about at once

Pair = tuple[str, int, int]  # the rule's code, the number of the earlier record and that of the later one


def found(
    opened: Workspace, code: str, first: Record, later: Record, kinds: Sequence[str]
) -> Iterator[Finding | Fault]:
    """What a rule says of two records that have marks of these kinds with the same hashes."""
    case = RuleContext(opened, later)
    earlier = set(rules.marks(RuleContext(opened, first), {code}))
    same = tuple(kind for _, kind, text in rules.marks(case, {code}) if (code, kind, text) in earlier)
    if kinds := [kind for kind in same if kind in kinds]:  # hashes may agree where texts do not
        yield from rules.repeats(code, first, case, kinds)


def told(opened: Workspace, data: Dataset, asked: Iterable[Any]) -> Iterator[list[Any]]:
    """In a child: [the code, both numbers, what is found] of each pair that is asked for, as `Pairs.hand_out` has it;
    nothing of one where a rule fails. Raises DatasetChanged.
    """
    there = (one for one in asked if one[2] < len(data))  # there may be no index any more
    for code, first, later, kinds in there:
        sandbox.beat()
        every = [*found(opened, code, data.record(first), data.record(later), kinds)]
        if all(isinstance(one, Finding) for one in every):
            yield [code, first, later, [line(one) for one in every if isinstance(one, Finding)]]
    data.let_go()  # an earlier record may be anywhere, and so in the end every page of the index would be held


class Pairs:
    """The pairs of one dataset that somebody waits for. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[Pair, Sequence[str]] = {}
        self._asked: set[Pair] = set()
        self._told: dict[Pair, Sequence[str]] = {}

    def wait_for(self, pair: Pair, kinds: Sequence[str]) -> None:
        """The next child is to look at a pair, whose later record repeats these kinds of marks."""
        with self._lock:
            self._waiting[pair] = kinds

    def hand_out(self) -> list[list[Any]]:
        """What a child that begins is to look at, as JSON: lists of code, both numbers, kinds."""
        with self._lock:
            some = dict(islice(self._waiting.items(), MOST))
            for pair in some:
                del self._waiting[pair]
            self._asked.update(some)
            return [[*pair, kinds] for pair, kinds in some.items()]

    def take(self, said: Iterable[Any]) -> None:
        """What a child has told."""
        with self._lock:
            for code, first, later, every in said:
                if (pair := (code, first, later)) in self._asked:
                    self._asked.remove(pair)
                    self._told[pair] = every

    def give_back(self, asked: Iterable[Sequence[Any]]) -> None:
        """A child has ended that was handed these: of what it did not tell nobody tells."""
        with self._lock:
            self._asked.difference_update((code, first, later) for code, first, later, _ in asked)

    def are_under_way(self, pairs: Iterable[Pair]) -> bool:
        """Whether somebody may yet tell of one of these."""
        with self._lock:
            return any(pair in self._asked or pair in self._waiting for pair in pairs)

    def answer(self, pair: Pair) -> list[Finding] | None:
        """What was told of a pair, which nobody waits for any more; None where nothing was."""
        with self._lock:
            self._waiting.pop(pair, None)
            self._asked.discard(pair)
            every = self._told.pop(pair, None)
        return None if every is None else [*map(read, every)]
