"""Group the logged requests that differ from what the files assemble to, by what differs and in which prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.types import Selection

MOST = 2_000  # differences that are told apart; the others are counted without their text
FEW = 3  # different texts of one kind under one condition that are listed; more are what the records differ in


@dataclass(frozen=True, slots=True)
class DifferenceKind:
    """Requests that differ in the same way under one condition.

    `change` is that of the first difference ("left out", "put in", "white space", "replaced", "role", "only ours",
    "only sent") in the message of `role`. `ours` and `sent` are the texts that differ, the same in all of them; empty
    where each request differs in a text of its own.
    """

    name: str  # of the condition, mode or task
    change: str
    role: str
    ours: str
    sent: str
    count: int


@dataclass(slots=True)
class Differences:
    """Counts the differences of requests as records pass by."""

    counts: Counter[tuple[str, str, str, str, str]] = field(default_factory=Counter)

    def take(self, choice: Selection, difference: Sequence[Any], count: int) -> None:
        """Count requests that differ under a choice; `difference` is [change, role, our text, the text sent]."""
        change, role, ours, sent = difference
        name = choice.condition or choice.mode or choice.task or choice.judge or ""
        key = (name, change, role, ours, sent)
        if key not in self.counts and len(self.counts) >= MOST:
            key = (name, change, role, "", "")
        self.counts[key] += count

    def list_kinds(self) -> tuple[DifferenceKind, ...]:
        """List the kinds of difference, the most frequent first."""
        texts = Counter((name, change, role) for name, change, role, _, _ in self.counts)
        merged: Counter[tuple[str, str, str, str, str]] = Counter()
        for (name, change, role, ours, sent), count in self.counts.items():
            is_own = texts[name, change, role] > FEW
            merged[(name, change, role, "", "") if is_own else (name, change, role, ours, sent)] += count
        return tuple(DifferenceKind(*key, count) for key, count in merged.most_common())
